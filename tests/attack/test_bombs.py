"""Small files that expand: each is refused or read within the limits of the attack."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from attack.outcome import OK, REFUSED, Outcome
from attack.reading import _command, _join
from attack.workers import Attack, run_series
from cloud_files import pcd_bytes, write_cloud
from dynmeans._files.limits import parse_limits
from dynmeans.apps.flights.messages import read_messages
from dynmeans.cli.cluster.command import cluster
from dynmeans.cli.points.command import points


def outcome(action: Callable[[], object]) -> Outcome:
    """Run a command in a process of limited memory and time."""
    (found,) = run_series(Attack(lambda number: _command(action), lambda number: "bomb", 1))
    return found


def clustered(path: Path, *limits: str) -> Outcome:
    options = {"out": path.parent / "out", "no_report": True, "limit": list(limits)}
    return outcome(lambda: cluster([str(path)], birth_cost="1", **options))


def test_a_long_callsign_takes_its_own_length_and_not_that_of_all_rows(tmp_path: Path) -> None:
    rows = [f"{i % 9:06x},{i},50,8,A" for i in range(30_000)]
    rows[7] += "x" * 100_000
    (tmp_path / "a.csv").write_text("\n".join(["icao24,time,lat,lon,callsign", *rows]) + "\n")
    (found,) = run_series(Attack(lambda number: _flights(tmp_path / "a.csv"), lambda number: "bomb", 1))
    assert found.kind == OK, found.detail


def _flights(path: Path) -> int:
    _join(path)
    return 0


def _line_without_end(path: Path) -> None:
    with gzip.open(path, "wb", 1) as file:
        file.write(b"x,y\n1,2\n")
        for _ in range(40):
            file.write(b"1" * 2**20)


def _row_without_end(path: Path) -> None:
    path.write_bytes(gzip.compress(b"x,y\n1,2\n" + b'"a\n",' * 2_000_000, 1))


def _long_cell(path: Path) -> None:
    path.write_bytes(b"x,y\n1,2\n" + b"0" * 200_000 + b"1,2\n")


def _many_columns(path: Path) -> None:
    path.write_bytes(b"1," * 200_000 + b"1\n")


def _many_rows(path: Path) -> None:
    path.write_bytes(gzip.compress(b"x\n" + b"1\n" * 200_000, 9))


def _many_rows_of_parquet(path: Path) -> None:
    parquet.write_table(pa.table({"x": np.zeros(200_000)}), path)


def _long_text_of_parquet(path: Path) -> None:
    parquet.write_table(pa.table({"x": [1.0] * 8, "word": ["a" * 200_000] * 8}), path)


def _deflated_array(path: Path) -> None:
    np.savez_compressed(path, x=np.zeros((100_000, 2)))


@pytest.mark.parametrize(
    ("name", "write", "limits", "rule"),
    [
        ("a.csv.gz", _line_without_end, (), "after row 1: a line is too long; the limit is 8 MB"),
        ("a.csv.gz", _row_without_end, (), "after row 1: a line is too long; the limit is 8 MB"),
        ("a.csv", _long_cell, (), "after row 1: a cell is too long; the limit is 128 KB"),
        ("a.csv", _many_columns, (), "line 1: 200,001 columns; the limit is 100,000"),
        ("a.jsonl", _many_columns, (), "not JSON"),
        ("a.csv.gz", _many_rows, ("array=1MB",), "the rows of this step take"),
        ("a.parquet", _many_rows_of_parquet, ("array=1MB",), "the rows of this step take"),
        ("a.parquet", _long_text_of_parquet, (), "column 'word': a cell is too long; the limit is 128 KB"),
        ("a.npz", _deflated_array, ("array=1MB",), "array 'x': the array once decompressed takes"),
    ],
)
def test_a_bomb_is_refused_with_its_location_and_its_limit(
    tmp_path: Path, name: str, write: Callable[[Path], None], limits: tuple[str, ...], rule: str
) -> None:
    write(tmp_path / name)
    found = clustered(tmp_path / name, *limits)
    assert found.kind == REFUSED, found.detail
    assert rule in found.detail
    assert str(tmp_path / name) in found.detail


@pytest.mark.parametrize(
    ("name", "write", "limit"),
    [
        ("a.csv", _long_cell, "cell=1MB"),
        ("a.csv.gz", _many_rows, "array=20MB"),
        ("a.npz", _deflated_array, "array=20MB"),
    ],
)
def test_an_option_raises_the_limit(
    tmp_path: Path, name: str, write: Callable[[Path], None], limit: str
) -> None:
    write(tmp_path / name)
    assert clustered(tmp_path / name, limit).kind == OK


def test_a_json_bomb_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"[" + b"{}," * 100_000 + b"{}]", 1))
    limits = parse_limits(["array=1MB"])
    found = outcome(lambda: read_messages([str(tmp_path / "a.json.gz")], limits))
    assert found.kind == REFUSED, found.detail
    assert "the JSON once parsed takes" in found.detail


@pytest.mark.parametrize("offset", [100, 243])
def test_records_that_a_las_file_has_no_room_for_are_refused_at_once(tmp_path: Path, offset: int) -> None:
    path = write_cloud(tmp_path, "las")
    data = bytearray(path.read_bytes() + bytes(200))
    data[25] = 4 if offset == 243 else data[25]
    data[offset : offset + 4] = struct.pack("<I", 2**32 - 1)
    path.write_bytes(data)
    found = outcome(lambda: points([path], out=tmp_path / "out", no_report=True))
    assert found.kind == REFUSED, found.detail
    assert "4,294,967,295" in found.detail


def test_a_compressed_cloud_with_a_false_size_is_refused(tmp_path: Path) -> None:
    header = pcd_bytes("binary_compressed", np.zeros((2, 3))).partition(b"binary_compressed")[0]
    header = header.replace(b"POINTS 2", b"POINTS 200000000").replace(b"WIDTH 1", b"WIDTH 100000000")
    path = tmp_path / "a.pcd"
    path.write_bytes(header + b"binary_compressed\n" + struct.pack("<II", 4, 2**32 - 1) + b"aaaa")
    found = outcome(lambda: points([path], out=tmp_path / "out", no_report=True))
    assert found.kind == REFUSED, found.detail
    assert "points takes" in found.detail


def test_an_archive_with_a_false_size_is_refused(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (2**33, 1)}
    )
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", header.getvalue())
    found = clustered(tmp_path / "a.npz")
    assert found.kind == REFUSED, found.detail
    assert "the array once decompressed takes 64 GB" in found.detail


def test_chunks_that_a_laz_file_has_no_room_for_are_refused(tmp_path: Path) -> None:
    path = write_cloud(tmp_path, "laz")
    data = bytearray(path.read_bytes())
    (points_at,) = struct.unpack_from("<I", data, 96)
    (table,) = struct.unpack_from("<q", data, points_at)
    struct.pack_into("<I", data, table + 4, 2**32 - 1)
    path.write_bytes(data)
    found = outcome(lambda: points([path], out=tmp_path / "out", no_report=True))
    assert found.kind == REFUSED, found.detail
    assert "4,294,967,295 chunks" in found.detail


def test_a_laz_file_without_a_description_of_its_points_is_refused_in_one_line(tmp_path: Path) -> None:
    path = write_cloud(tmp_path, "laz")
    data = bytearray(path.read_bytes())
    record = data.index(b"laszip encoded") + 52  # the content begins after the name and the description
    struct.pack_into("<H", data, record + 32, 0)
    path.write_bytes(data)
    found = outcome(lambda: points([path], out=tmp_path / "out", no_report=True))
    assert found.kind == REFUSED, found.detail
    assert "their parts are not described" in found.detail
