"""Labels in the format of the input: one id a row."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.extras import require
from dynmeans._files.run_folder import LABELS_STEM
from dynmeans._model.types import IntArray

LOG_TYPE = np.dtype("<i8")  # labels while a run lasts: raw, 8 bytes each
COLUMN = "id"
_CHUNK = 1 << 16


def labels_file(folder: Path, format: str) -> Path:
    """Where the labels of a run lie; `format` as in `dynmeans._tables.sources.FORMATS`."""
    return folder / f"{LABELS_STEM}.{format}"


def write_labels(spool: Path, target: Path, format: str) -> None:
    """Turn raw labels into a file of the input's format, in pieces.

    Parameters
    ----------
    spool : Path
        Labels as 8-byte little-endian integers.
    target : Path
        File to write; it appears whole or not at all.
    format : str
        One of `dynmeans._tables.sources.FORMATS`. Tables have one column, ``id``.
    """
    with atomic_write(target) as place:
        _WRITERS[format](spool, place)


def _chunks(spool: Path) -> Iterator[IntArray]:
    with spool.open("rb") as file:
        while data := file.read(_CHUNK * LOG_TYPE.itemsize):
            yield np.frombuffer(data, LOG_TYPE)


def _write_lines(spool: Path, place: Path, heading: str, line: str) -> None:
    with place.open("w", encoding="utf-8", newline="\n") as file:
        file.write(heading)
        for ids in _chunks(spool):
            file.writelines(line % i for i in ids.tolist())


def _write_table(spool: Path, place: Path) -> None:
    _write_lines(spool, place, f"{COLUMN}\n", "%d\n")


def _write_json_lines(spool: Path, place: Path) -> None:
    _write_lines(spool, place, "", f'{{"{COLUMN}": %d}}\n')


def _copy_array(spool: Path, file: BinaryIO) -> None:
    """The raw labels are the body of an NPY file as they are; only its header is missing."""
    count = spool.stat().st_size // LOG_TYPE.itemsize
    header = {"descr": LOG_TYPE.str, "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(file, header)
    with spool.open("rb") as raw:
        shutil.copyfileobj(raw, file)


def _write_npy(spool: Path, place: Path) -> None:
    with place.open("wb") as file:
        _copy_array(spool, file)


def _write_npz(spool: Path, place: Path) -> None:
    member = zipfile.ZipInfo(f"{COLUMN}.npy")  # dated 1980: equal labels give equal files
    with zipfile.ZipFile(place, "w") as archive, archive.open(member, "w", force_zip64=True) as file:
        _copy_array(spool, file)  # type: ignore[arg-type]


def _write_parquet(spool: Path, place: Path) -> None:
    arrow, parquet = require("pyarrow", "frames"), require("pyarrow.parquet", "frames")
    schema = arrow.schema([(COLUMN, arrow.int64())])
    with parquet.ParquetWriter(place, schema) as writer:
        for ids in _chunks(spool):
            writer.write_table(arrow.table({COLUMN: ids}, schema=schema))


def _write_arrow(spool: Path, place: Path) -> None:
    arrow = require("pyarrow", "frames")
    schema = arrow.schema([(COLUMN, arrow.int64())])
    with arrow.OSFile(str(place), "wb") as file, arrow.ipc.new_file(file, schema) as writer:
        for ids in _chunks(spool):
            writer.write_table(arrow.table({COLUMN: ids}, schema=schema))


_WRITERS: dict[str, Callable[[Path, Path], None]] = {
    "csv": _write_table,
    "tsv": _write_table,
    "jsonl": _write_json_lines,
    "npy": _write_npy,
    "npz": _write_npz,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
