from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans.io.arrays import read_npy
from dynmeans.io.errors import InputError
from dynmeans.io.pieces import Piece
from dynmeans.io.sources import find_source, read_source


def read(path: Path) -> list[Piece]:
    return list(read_source(find_source(str(path))))


def test_tables_have_numbered_columns_and_records_have_names(tmp_path: Path) -> None:
    np.save(tmp_path / "table.npy", np.arange(6.0).reshape(3, 2))
    (piece,) = read(tmp_path / "table.npy")
    assert piece.names == ("x1", "x2")
    assert piece.columns["x2"].tolist() == [1.0, 3.0, 5.0]
    records = np.array([(1, 2.5), (3, 4.5)], dtype=[("t", "i4"), ("x", "f4")])
    np.save(tmp_path / "records.npy", records)
    (piece,) = read(tmp_path / "records.npy")
    assert piece.names == ("t", "x")
    assert piece.columns["x"].tolist() == [2.5, 4.5]


def test_files_on_disk_are_mapped_and_streams_are_read(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((3, 2)))
    (piece,) = read_npy(tmp_path / "a.npy", "a")
    assert isinstance(piece.columns["x1"], np.memmap)
    (piece,) = read_npy(io.BytesIO((tmp_path / "a.npy").read_bytes()), "a")
    assert piece.size == 3


def test_each_table_of_an_archive_is_a_part_in_natural_order(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **{f"arr_{i}": np.full((i + 1, 2), i) for i in (10, 2, 0)})
    pieces = read(tmp_path / "a.npz")
    assert [piece.columns["x1"][0] for piece in pieces] == [0, 2, 10]
    assert [piece.part for piece in pieces] == [0, 1, 2]
    assert [piece.first for piece in pieces] == [1, 2, 5]


def test_vectors_of_one_length_are_columns(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", y=np.arange(3), x=np.ones(3))
    (piece,) = read(tmp_path / "a.npz")
    assert piece.names == ("x", "y")


@pytest.mark.parametrize(
    ("name", "arrays", "message"),
    [
        ("a.npy", np.zeros((2, 2, 2)), "shape (2, 2, 2), it must be a table"),
        ("a.npy", np.array(3.0), "shape (), it must be a table"),
        ("a.npy", np.array([{}]), "Python objects"),
        ("a.npz", {"x": np.zeros(2), "y": np.zeros(3)}, "'x' has shape (2,) and 'y' has shape (3,)"),
        ("a.npz", {}, "no arrays"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, arrays: Any, message: str) -> None:
    if isinstance(arrays, dict):
        np.savez(tmp_path / name, **arrays)
    else:
        np.save(tmp_path / name, arrays, allow_pickle=True)
    with pytest.raises(InputError) as error:
        read(tmp_path / name)
    assert message in str(error.value)
    assert str(tmp_path / name) in str(error.value)


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
@pytest.mark.parametrize("content", [b"hello", b"\x93NUMPY\x01\x00", b"PK\x03\x04 torn"])
def test_damaged_files_are_refused_in_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        read(tmp_path / name)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(tmp_path / name))
