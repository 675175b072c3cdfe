"""Small valid files of every format that a command reads."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import laspy  # noqa: F401  for the processes that are forked
import matplotlib.pyplot  # noqa: F401
import numpy as np
import pyarrow as pa
import pypcd4  # noqa: F401
from pyarrow import parquet

from air_traffic import as_rows, small_week, write_csv, write_json
from clips import pictures, write_clip
from cloud_files import write_cloud

_RNG = np.random.default_rng(0)
_X = np.round(_RNG.normal(size=(30, 3)), 3)
_TABLE = pa.table(
    {"t": np.repeat(np.arange(6.0), 5), "x": _X[:, 0], "w": np.ones(30), "word": ["a", "bc"] * 15}
)


def _text(path: Path, text: str) -> None:
    data = text.encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _lines(separator: str) -> str:
    rows = [f"2024-03-01T00:{i // 5:02}:00{separator}{x}{separator}{y}" for i, (x, y, _) in enumerate(_X)]
    return "\n".join([separator.join(("t", "x", "y")), *rows]) + "\n"


def _quoted() -> str:
    return 't;"x";note\n' + "".join(f'{i};"{x}";"two\nlines ""{i}"""\n' for i, x in enumerate(_X[:, 0]))


def _objects() -> str:
    return "".join(f'{{"t": {i // 5}, "x": {x}, "word": "\\u00e9"}}\n' for i, x in enumerate(_X[:, 0]))


def _parquet(path: Path, **options: Any) -> None:
    parquet.write_table(_TABLE, path, row_group_size=12, **options)


def _arrow(path: Path, table: Any = _TABLE, *, stream: bool = False, compression: str | None = None) -> None:
    options = pa.ipc.IpcWriteOptions(compression=compression)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as file, make(file, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=12)


def _records() -> np.ndarray:
    table = np.zeros(30, dtype=[("x", "<f8"), ("n", ">i4"), ("v", "<f4", (2,))])
    table["x"] = _X[:, 0]
    return table


def _flights(path: Path) -> None:
    rows = as_rows(small_week())[:60]
    if ".json" in path.name:
        write_json(rows, path)
    elif path.suffix == ".csv":
        write_csv(rows, path)
    else:
        parquet.write_table(pa.Table.from_pylist(rows), path)


def _opensky(path: Path) -> None:
    states = '["3c6444","DLH9LF  ","Germany",1458564120,1458564120,6.1546,50.1964,9639.3,false,232.88,98.26]'
    _text(path, f'{{"time": 1458564121, "states": [{",".join([states] * 20)}]}}')


def _cloud(path: Path) -> None:
    write_cloud(path.parent, path.name.removeprefix("a.")).rename(path)


TABLES: dict[str, Callable[[Path], object]] = {
    "dates.csv": lambda path: _text(path, _lines(",")),
    "quoted.csv": lambda path: _text(path, _quoted()),
    "single.csv": lambda path: _text(path, "".join(f"{x}\n" for x in _X[:, 0])),
    "dates.tsv": lambda path: _text(path, _lines("\t")),
    "zipped.csv.gz": lambda path: _text(path, _lines(",")),
    "objects.jsonl": lambda path: _text(path, _objects()),
    "arrays.jsonl": lambda path: _text(path, "".join(f"{row.tolist()}\n" for row in _X)),
    "zipped.jsonl.gz": lambda path: _text(path, _objects()),
    "plain.parquet": partial(_parquet, compression="none"),
    "snappy.parquet": partial(_parquet, compression="snappy"),
    "zstd.parquet": partial(_parquet, compression="zstd", data_page_version="2.0"),
    "file.arrow": _arrow,
    "stream.arrows": partial(_arrow, stream=True),
    "lz4.feather": partial(_arrow, compression="lz4"),
    "table.npy": lambda path: np.save(path, _X),
    "fortran.npy": lambda path: np.save(path, np.asfortranarray(_X.astype(">f4"))),
    "records.npy": lambda path: np.save(path, _records()),
    "parts.npz": lambda path: np.savez(path, a=_X, b=_X[:4]),
    "deflated.npz": lambda path: np.savez_compressed(path, x=_X[:, 0], y=_X[:, 1]),
}
_VECTORS = pa.table(
    {
        "t": np.repeat(np.arange(6.0), 5),
        "e": _X.tolist(),
        "word": ["a", "bc"] * 15,
        "text": ["red tea", ""] * 15,
    }
)


def _vector_lines() -> str:
    rows = (
        f'{{"t": {i // 5}, "e": {row.tolist()}, "word": "a", "text": "tea {i}"}}' for i, row in enumerate(_X)
    )
    return "\n".join(rows) + "\n"


def _vector_cells() -> str:
    rows = (f'{i // 5},"{row.tolist()}",{i % 2},tea' for i, row in enumerate(_X))
    return "\n".join(["t,e,word,text", *rows]) + "\n"


EMBEDDINGS: dict[str, Callable[[Path], object]] = {
    "lists.jsonl": lambda path: _text(path, _vector_lines()),
    "lists.csv": lambda path: _text(path, _vector_cells()),
    "lists.parquet": lambda path: parquet.write_table(_VECTORS, path, row_group_size=12),
    "lists.arrow": lambda path: _arrow(path, _VECTORS),
    "vectors.npy": lambda path: np.save(path, _X),
    "vectors32.npy": lambda path: np.save(path, np.asfortranarray(_X.astype("<f4"))),
}
_CLOUD_FORMATS = (
    *("ascii.pcd", "binary.pcd", "compressed.pcd", "ascii.ply", "little.ply", "big.ply"),
    *("las", "laz", "npy", "csv", "bin"),
)
CLOUDS: dict[str, Callable[[Path], object]] = {f"a.{format}": _cloud for format in _CLOUD_FORMATS}
FLIGHTS: dict[str, Callable[[Path], object]] = {
    "week.csv": _flights,
    "week.json": _flights,
    "week.json.gz": _flights,
    "week.parquet": _flights,
    "states.json": _opensky,
}
VIDEOS: dict[str, Callable[[Path], object]] = {
    "h264.mp4": lambda path: write_clip(path, pictures(4), codec="libx264", sound=True),
    "ffv1.mkv": lambda path: write_clip(path, pictures(2)),
    "still.gif": lambda path: write_clip(path, pictures(3), codec="gif", pixel_format="rgb8"),
    "vp9.webm": lambda path: write_clip(path, pictures(3), codec="libvpx-vp9"),
    "mjpeg.avi": lambda path: write_clip(path, pictures(3), codec="mjpeg", pixel_format="yuvj420p"),
}


KINDS = {
    "tables": TABLES,
    "embeddings": EMBEDDINGS,
    "clouds": CLOUDS,
    "flights": FLIGHTS,
    "videos": VIDEOS,
}


@cache
def seed_bytes(kind: str) -> dict[str, bytes]:
    """All seed files of one kind by name."""
    writers = KINDS[kind]
    with TemporaryDirectory() as folder:
        for name, write in writers.items():
            write(Path(folder) / name)
        return {name: (Path(folder) / name).read_bytes() for name in writers}
