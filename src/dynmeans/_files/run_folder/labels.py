"""Labels in the format of the input: one id per row."""

from __future__ import annotations

import csv
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.extras import require
from dynmeans._files.run_folder.format import LABELS_STEM
from dynmeans._model.types import IntArray

LOG_TYPE = np.dtype("<i8")  # labels while a run lasts: raw, 8 bytes each
COLUMN = "id"
NO_ID = -2  # of a row that was left out; -1 is noise
_CHUNK = 1 << 16  # labels that are converted at once


def with_left_out(ids: IntArray, left_out: IntArray | None) -> IntArray:
    """Return the ids of all rows, with `NO_ID` for those left out.

    Parameters
    ----------
    ids : ndarray of shape (n,)
    left_out : ndarray of shape (n,) or None
        Number of rows left out before each row.

    Examples
    --------
    >>> with_left_out(np.array([5, 6]), np.array([0, 2])).tolist()
    [5, -2, -2, 6]
    """
    if left_out is None or not left_out.any():
        return ids
    everything = np.full(len(ids) + int(left_out.sum()), NO_ID)
    everything[np.arange(len(ids)) + np.cumsum(left_out)] = ids
    return everything


def labels_file(folder: Path, format: str) -> Path:
    """Return the path of the labels of a run; `format` as in `dynmeans._tables.sources.FORMATS`."""
    return folder / f"{LABELS_STEM}.{format}"


class KeyColumn(NamedTuple):
    """Keys of the rows, for a second column."""

    name: str
    log: Path  # one key per line


def write_labels(raw_labels: Path, target: Path, format: str, keys: KeyColumn | None = None) -> None:
    """Convert raw labels to a file in the format of the input, in chunks.

    Parameters
    ----------
    raw_labels : Path
        Labels as 8-byte little-endian integers.
    target : Path
        File to write, atomically.
    format : str
        One of `dynmeans._tables.sources.FORMATS`. Tables have one column, ``id``, which is empty for rows
        that were left out; arrays have -2 for them.
    keys : KeyColumn, optional
        Keys, which are the first column of a table; NPY and NPZ files have none.
    """
    with atomic_write(target) as location:
        if keys is None or format in ("npy", "npz"):
            _WRITERS[format](raw_labels, location)
        else:
            _KEYED_WRITERS[format](raw_labels, location, keys)


def _chunks(raw_labels: Path) -> Iterator[IntArray]:
    with raw_labels.open("rb") as file:
        while data := file.read(_CHUNK * LOG_TYPE.itemsize):
            yield np.frombuffer(data, LOG_TYPE)


def _keyed_chunks(raw_labels: Path, keys: KeyColumn) -> Iterator[tuple[list[str], IntArray]]:
    with keys.log.open(encoding="utf-8", newline="\n") as file:
        for ids in _chunks(raw_labels):
            yield [line[:-1] for line in islice(file, len(ids))], ids


def _write_keyed_table(raw_labels: Path, location: Path, keys: KeyColumn, delimiter: str = ",") -> None:
    with location.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow([keys.name, COLUMN])
        for names, ids in _keyed_chunks(raw_labels, keys):
            writer.writerows(zip(names, map(_cell, ids.tolist()), strict=True))


def _write_keyed_json_lines(raw_labels: Path, location: Path, keys: KeyColumn) -> None:
    name = json.dumps(keys.name)
    with location.open("w", encoding="utf-8", newline="\n") as file:
        for names, ids in _keyed_chunks(raw_labels, keys):
            pairs = zip(names, map(_json_cell, ids.tolist()), strict=True)
            file.writelines(f'{{{name}: {json.dumps(key)}, "{COLUMN}": {i}}}\n' for key, i in pairs)


def _cell(label: int) -> int | str:
    return "" if label == NO_ID else label


def _json_cell(label: int) -> int | str:
    return "null" if label == NO_ID else label


def _write_lines(raw_labels: Path, location: Path, heading: str, line: str, empty: str) -> None:
    with location.open("w", encoding="utf-8", newline="\n") as file:
        file.write(heading)
        for ids in _chunks(raw_labels):
            file.writelines(empty if i == NO_ID else line % i for i in ids.tolist())


def _write_table(raw_labels: Path, location: Path) -> None:
    _write_lines(raw_labels, location, f"{COLUMN}\n", "%d\n", '""\n')  # many readers skip a blank line


def _write_json_lines(raw_labels: Path, location: Path) -> None:
    _write_lines(raw_labels, location, "", f'{{"{COLUMN}": %d}}\n', f'{{"{COLUMN}": null}}\n')


def _copy_array(raw_labels: Path, file: BinaryIO) -> None:
    """Write an NPY file: a header, then the raw labels unchanged."""
    count = raw_labels.stat().st_size // LOG_TYPE.itemsize
    header = {"descr": LOG_TYPE.str, "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(file, header)
    with raw_labels.open("rb") as raw:
        shutil.copyfileobj(raw, file)


def _write_npy(raw_labels: Path, location: Path) -> None:
    with location.open("wb") as file:
        _copy_array(raw_labels, file)


def _write_npz(raw_labels: Path, location: Path) -> None:
    member = zipfile.ZipInfo(f"{COLUMN}.npy")  # dated 1980: equal labels give equal files
    with zipfile.ZipFile(location, "w") as archive, archive.open(member, "w", force_zip64=True) as file:
        _copy_array(raw_labels, file)  # type: ignore[arg-type]


def _write_parquet(raw_labels: Path, location: Path, keys: KeyColumn | None = None) -> None:
    parquet = require("pyarrow.parquet", "frames")
    schema = _schema(keys)
    with parquet.ParquetWriter(location, schema) as writer:
        for table in _tables(raw_labels, schema, keys):
            writer.write_table(table)


def _write_arrow(raw_labels: Path, location: Path, keys: KeyColumn | None = None) -> None:
    arrow = require("pyarrow", "frames")
    schema = _schema(keys)
    with arrow.OSFile(str(location), "wb") as file, arrow.ipc.new_file(file, schema) as writer:
        for table in _tables(raw_labels, schema, keys):
            writer.write_table(table)


def _schema(keys: KeyColumn | None) -> Any:
    """Return names and types of the columns, for Arrow."""
    arrow = require("pyarrow", "frames")
    first = [] if keys is None else [(keys.name, arrow.string())]
    return arrow.schema([*first, (COLUMN, arrow.int64())])


def _tables(raw_labels: Path, schema: Any, keys: KeyColumn | None) -> Iterator[Any]:
    """Yield the rows as tables of Arrow, in chunks; a row that was left out has a null."""
    arrow = require("pyarrow", "frames")
    if keys is None:
        chunks: Iterator[tuple[Any, ...]] = ((ids,) for ids in _chunks(raw_labels))
    else:
        chunks = _keyed_chunks(raw_labels, keys)
    for *names, ids in chunks:
        columns = [*names, arrow.array(ids, mask=ids == NO_ID)]
        yield arrow.table(dict(zip(schema.names, columns, strict=True)), schema=schema)


_WRITERS: dict[str, Callable[[Path, Path], None]] = {
    "csv": _write_table,
    "tsv": _write_table,
    "jsonl": _write_json_lines,
    "npy": _write_npy,
    "npz": _write_npz,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
_KEYED_WRITERS: dict[str, Callable[[Path, Path, KeyColumn], None]] = {
    "csv": _write_keyed_table,
    "tsv": partial(_write_keyed_table, delimiter="\t"),
    "jsonl": _write_keyed_json_lines,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
