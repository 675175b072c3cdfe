"""Sizes of Parquet pages agree with the metadata, and false ones are refused before memory is allocated."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans._files.errors import InputError
from dynmeans._files.limits import FileLimits

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from dynmeans._tables.readers.arrow import read_parquet  # noqa: E402
from dynmeans._tables.readers.parquet_pages import column_chunks, page_sizes  # noqa: E402

TABLE = pa.table(
    {
        "x": np.arange(3000.0),
        "word": [f"word {i % 70}" for i in range(3000)],
        "list": [[float(i), 1.0] for i in range(3000)],
        "maybe": [None if i % 3 else i for i in range(3000)],
    }
)


@pytest.mark.parametrize(
    ("version", "codec", "dictionary"),
    itertools.product(["1.0", "2.0"], ["none", "snappy", "zstd"], [True, False]),
)
def test_the_sizes_of_pages_sum_to_those_of_their_column(
    tmp_path: Path, version: str, codec: str, dictionary: bool
) -> None:
    path = tmp_path / "a.parquet"
    options: dict[str, Any] = {"data_page_version": version, "compression": codec, "data_page_size": 500}
    parquet.write_table(TABLE, path, use_dictionary=dictionary, row_group_size=1000, **options)
    metadata = parquet.read_metadata(path)
    with path.open("rb") as file:
        chunks = column_chunks(file)
        for group, index in itertools.product(range(3), range(metadata.num_columns)):
            declared = metadata.row_group(group).column(index)
            pages = list(page_sizes(file, chunks[group][index], path.stat().st_size))
            assert chunks[group][index].path == declared.path_in_schema
            assert sum(page.header + page.compressed for page in pages) == declared.total_compressed_size
            assert sum(page.header + page.uncompressed for page in pages) == declared.total_uncompressed_size


def test_a_page_with_a_false_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"x": np.zeros(20_000)})
    parquet.write_table(table, path, use_dictionary=False, compression="snappy")
    offset = parquet.read_metadata(path).row_group(0).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    assert data[offset : offset + 3] == b"\x15\x00\x15"  # the type, then the decompressed size in three bytes
    assert data[offset + 4] >= 128 > data[offset + 5]
    data[offset + 3 : offset + 6] = b"\xfe\xff\x7f"
    path.write_bytes(data)
    with pytest.raises(
        InputError, match="a page of column 'x' in row group 1 once decompressed takes 1,024 KB"
    ):
        list(read_parquet(path, str(path), limits=FileLimits(array=2**18)))


def test_damaged_page_headers_end_the_list_of_pages(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(TABLE, path)
    with path.open("rb") as file:
        chunks = column_chunks(file)[0]
    rng = np.random.default_rng(0)
    whole = path.read_bytes()
    for _ in range(300):
        data = np.frombuffer(whole, dtype=np.uint8).copy()
        chunk = chunks[int(rng.integers(len(chunks)))]
        data[chunk.start : chunk.start + 12] = rng.integers(256, size=12)
        path.write_bytes(data.tobytes())
        with path.open("rb") as file:
            for _ in itertools.islice(page_sizes(file, chunk, len(data)), 10_000):
                pass


def test_inconsistent_metadata_is_an_error_and_no_abort(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"x": np.zeros(20)}), path)
    data, optional = path.read_bytes(), b"\x25\x02\x18\x01x"  # repetition type and name of the column
    assert data.count(optional) == 1
    path.write_bytes(data.replace(optional, b"\x25\x00\x18\x01x"))  # required, against the statistics
    with pytest.raises(InputError, match=r"a\.parquet"):
        list(read_parquet(path, str(path)))


def test_damaged_metadata_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + b"\x19\x4c" + (2).to_bytes(4, "little") + b"PAR1")
    with path.open("rb") as file, pytest.raises(ValueError, match="metadata"):
        column_chunks(file)
