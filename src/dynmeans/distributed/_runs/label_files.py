"""The folder of the labels of a dataset: one folder of Parquet files per step."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans._files.atomic_write import atomic_write, make_folder, sync_folder
from dynmeans._files.digest import Content, describe_files, find_damaged
from dynmeans._files.errors import InputError
from dynmeans._files.extras import require
from dynmeans._files.lock import real_path
from dynmeans._model.types import IntArray
from dynmeans.distributed._runs.dataset import Slice

MARK = ".run.json"  # the run that the labels belong to, for an interruption before its first state file
CONTENTS = ".files.json"  # size and checksum of each file of a step
_STEPS = ("step=*", ".step=*.tmp")  # complete and incomplete ones


def has_labels(folder: Path) -> bool:
    """Return whether there are labels, complete or not."""
    return any(folder.glob("*step=*"))


def has_labels_of(folder: Path, run: dict[str, Any]) -> bool:
    """Return whether the labels are those of a run."""
    mark = folder / MARK
    return mark.exists() and mark.read_text() == json.dumps(run)


def check_labels(folder: Path, inputs: Iterable[Path], state: Path | None) -> None:
    """Refuse inputs and a state file in a folder of which the steps are overwritten."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: not a folder, the labels need one; choose another --out")
    target = real_path(folder)
    for path in inputs:
        if target in real_path(path).parents:
            raise InputError(f"{path}: an input in the folder of the labels; choose another --out")
    if state is not None and target in (real_path(state), *real_path(state).parents):
        raise InputError(f"{state}: in the folder of the labels; choose another --state")


def start_labels(folder: Path, run: dict[str, Any]) -> None:
    """Prepare the folder of the labels of a run: steps of another run are removed, other files stay."""
    make_folder(folder)
    for step in (path for pattern in _STEPS for path in folder.glob(pattern)):
        shutil.rmtree(step)
    with atomic_write(folder / MARK) as temporary:
        temporary.write_text(json.dumps(run))


def step_folder(folder: Path, step: int) -> Path:
    """Return the folder of a step, from 1."""
    return folder / f"step={step:06d}"


def new_step(folder: Path, step: int) -> Path:
    """Return a new temporary folder for the files of a step, which `end_step` renames."""
    temporary = folder / f".{step_folder(folder, step).name}.tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    return temporary


def end_step(folder: Path, step: int, temporary: Path, contents: Mapping[str, Content]) -> None:
    """Rename the folder of a step to its final name durably: all of its files are there, or none."""
    with atomic_write(temporary / CONTENTS) as location:
        location.write_text(json.dumps(contents))
    target = step_folder(folder, step)
    shutil.rmtree(target, ignore_errors=True)
    temporary.rename(target)
    sync_folder(folder)


def digest_after(digest: str, folder: Path, step: int) -> str:
    """Return the checksum of all steps up to this one, from the checksum of those before."""
    target = step_folder(folder, step)
    contents = (target / CONTENTS).read_bytes()
    return hashlib.blake2b(f"{digest} {target.name} ".encode() + contents, digest_size=32).hexdigest()


def find_damage(folder: Path, last: int, digest: str) -> Path | None:
    """Return a file of the steps up to the last one that is missing or damaged, or the folder, or None.

    Parameters
    ----------
    folder : Path
    last : int
        Number of the last step.
    digest : str
        The checksum of these steps, by `digest_after`.
    """
    steps = range(1, last + 1)  # a window without rows has no folder
    known = [step for step in steps if (step_folder(folder, step) / CONTENTS).is_file()]
    if reduce(lambda before, step: digest_after(before, folder, step), known, "") != digest:
        return folder
    for target in (step_folder(folder, step) for step in known):
        for name in find_damaged(target, json.loads((target / CONTENTS).read_bytes())):
            return target / name
    return None


def write_label_file(ids: IntArray, piece: Slice, path: str) -> Content:
    """Write the ids of some rows of a file, on a worker; return size and checksum of the new file."""
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
    return describe_files(Path(path).parent, [Path(path).name])[Path(path).name]
