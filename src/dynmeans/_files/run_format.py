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
STEPS_FILE = "steps.csv"
CLUSTERS_FILE = "clusters.csv"
EVENTS_FILE = "events.jsonl"
SAMPLE_FILE = "sample.csv"
REPORT_FILE = "report.html"
PICTURE_FILE = "picture.png"
LABELS_STEM = "labels"  # its suffix is that of the input

STEPS_COLUMNS = (
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
)
CLUSTERS_COLUMNS = ("step", "time", "id", "weight", "age")  # then the features
SAMPLE_COLUMNS = ("step", "row", "id")  # then the features
# After the features, if rows have texts: words that set the cluster apart, and texts nearest to its center.
CLUSTERS_TEXTS = ("words", "example1", "example2", "example3")
SAMPLE_TEXTS = ("text",)
TIME_KINDS = ("number", "datetime", "step")
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
KEY_COLUMN = "key"  # the first one in the tables of a run by key
FEATURES = "features"  # key of the (n, d) block of feature columns in a table that was read

Table = dict[str, NDArray[Any]]


class Run(NamedTuple):
    """Content of a run folder."""

    info: dict[str, Any]  # run.json
    steps: Table  # one entry per step, keys STEPS_COLUMNS
    clusters: Table  # one entry per step and remembered cluster, keys CLUSTERS_COLUMNS and FEATURES (n, d)
    sample: Table  # some points of every step, keys SAMPLE_COLUMNS and FEATURES (n, d)
    # With texts, these two also have the keys CLUSTERS_TEXTS and SAMPLE_TEXTS.
    events: list[Event]


def key_cell(key: str) -> str:
    """Return a key as a cell of a CSV file."""
    return '"{}"'.format(key.replace('"', '""')) if any(mark in key for mark in ',"') else key
