"""Lines of a run by key in its folder: as in a run with one model, with the key as first cell."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dynmeans._files.run_folder.format import (
    CLUSTERS_TABLE,
    EVENTS_FILE,
    KEY_COLUMN,
    SAMPLE_TABLE,
    STEPS_TABLE,
    key_cell,
)
from dynmeans._files.run_folder.tables import (
    LABELS_LOG,
    StepRecord,
    cluster_rows,
    event_lines,
    heading,
    lines,
    sample_rows,
    step_line,
)

KEYS_LOG = "keys.spool"  # key of each row, one per line; exists only during the run


def keyed_headings(features: Sequence[str]) -> dict[str, bytes]:
    """Return the first lines of all appended files, by name."""
    return {
        STEPS_TABLE.file: heading([KEY_COLUMN, *STEPS_TABLE.columns, *STEPS_TABLE.newer]),
        CLUSTERS_TABLE.file: heading([KEY_COLUMN, *CLUSTERS_TABLE.columns, *features]),
        EVENTS_FILE: b"",
        SAMPLE_TABLE.file: heading([KEY_COLUMN, *SAMPLE_TABLE.columns, *features]),
        LABELS_LOG: b"",
        KEYS_LOG: b"",
    }


def keyed_lines(key: str, record: StepRecord, *, is_newer: bool = True) -> dict[str, bytes]:
    """Return the lines of one step of one key, without its labels and sample; see `step_lines`."""
    front = f"{key_cell(key)},".encode()
    event_front = f'{{"{KEY_COLUMN}":{json.dumps(key)},'.encode()
    return {
        STEPS_TABLE.file: front + step_line(record, is_newer=is_newer),
        CLUSTERS_TABLE.file: _with_front(front, lines(cluster_rows(record))),
        EVENTS_FILE: b"".join(event_front + line[1:] for line in event_lines(record)),
    }


def sample_lines(key: str, record: StepRecord) -> bytes:
    """Return the rows of one step of one key that are kept for its report."""
    return _with_front(f"{key_cell(key)},".encode(), lines(sample_rows(record)))


def _with_front(front: bytes, text: bytes) -> bytes:
    """Begin every line with the key."""
    return front + text[:-1].replace(b"\n", b"\n" + front) + b"\n" if text else b""
