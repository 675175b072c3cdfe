"""The folder of the labels of a dataset: one folder of Parquet files per step."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans._files.atomic_write import atomic_write, make_folder
from dynmeans._files.extras import require
from dynmeans._model.types import IntArray
from dynmeans.distributed.dataset import Slice

MARK = ".run.json"  # the run that the labels belong to, for an interruption before its first state file


def has_labels(folder: Path) -> bool:
    """Return whether there are labels, complete or not."""
    return any(folder.glob("*step=*"))


def has_labels_of(folder: Path, run: dict[str, Any]) -> bool:
    """Return whether the labels are those of a run."""
    mark = folder / MARK
    return mark.exists() and mark.read_text() == json.dumps(run)


def start_labels(folder: Path, run: dict[str, Any]) -> None:
    """Make an empty folder for the labels of a run."""
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder)
    with atomic_write(folder / MARK) as temporary:
        temporary.write_text(json.dumps(run))


def write_labels(ids: IntArray, piece: Slice, path: str) -> None:
    """Write the ids of some rows of a file, on a worker."""
    arrow, parquet = require("pyarrow", "frames"), require("pyarrow.parquet", "frames")
    first = piece.part.first + piece.start + 1
    table = arrow.table(
        {
            "file": arrow.array([Path(piece.part.path).name] * len(ids)).dictionary_encode(),
            "row": np.arange(first, first + len(ids)),
            "id": ids,
        }
    )
    with atomic_write(Path(path)) as temporary:
        parquet.write_table(table, temporary)
