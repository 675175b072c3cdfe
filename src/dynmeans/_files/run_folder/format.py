"""Format of a run folder, the output of `dynmeans cluster`.

Tables are CSV files with a heading: fixed columns, then the features of the data. A feature may have the
name of a fixed column, so features are identified by position.
"""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

from numpy.typing import NDArray

from dynmeans._model.events import Event, EventKind

FORMAT = 1
INFO_FILE = "run.json"
EVENTS_FILE = "events.jsonl"
REPORT_FILE = "report.html"
PICTURE_FILE = "picture.png"
LABELS_STEM = "labels"  # its suffix is that of the input


class TableFormat(NamedTuple):
    """One table of a run folder: fixed columns, then the features, then texts if the rows have them."""

    file: str
    columns: tuple[str, ...]
    texts: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()  # fixed columns behind the others, which folders of earlier versions lack


STEPS_TABLE = TableFormat(
    "steps.csv",
    (
        "step",
        "time",
        "rows",
        "cost",
        "n_iter",
        "awake",
        "remembered",
        "born",
        "revived",
        "asleep",
        "died",
    ),
    newer=("birth_cost",),
)
CLUSTERS_TABLE = TableFormat(
    "clusters.csv",
    ("step", "time", "id", "weight", "age"),
    ("words", "example1", "example2", "example3"),  # distinctive words, and texts nearest to the center
)
SAMPLE_TABLE = TableFormat("sample.csv", ("step", "row", "id"), ("text",))

TIME_KINDS = ("number", "datetime", "step")
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
KEY_COLUMN = "key"  # the first one in the tables of a run by key
FEATURES = "features"  # key of the (n, d) block of feature columns in a table that was read

Table = dict[str, NDArray[Any]]


class Run(NamedTuple):
    """Content of a run folder."""

    info: dict[str, Any]  # run.json
    # The keys of a table are its fixed columns, its texts, and FEATURES (n, d).
    steps: Table  # one entry per step
    clusters: Table  # one entry per step and remembered cluster
    sample: Table  # some points of every step
    events: list[Event]


def with_parameters(info: Any) -> Any:
    """Return the description of a run, whose parameters had the key "settings" in version 0.1.0."""
    if not isinstance(info, dict) or "settings" not in info:
        return info
    return {"parameters" if key == "settings" else key: value for key, value in info.items()}


def key_cell(key: str) -> str:
    """Return a key as a cell of a CSV file."""
    return '"{}"'.format(key.replace('"', '""')) if any(mark in key for mark in ',"') else key
