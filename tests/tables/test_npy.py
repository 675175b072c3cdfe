from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans._files.errors import InputError
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.inputs import open_inputs
from dynmeans._tables.readers.npy import read_npy
from dynmeans._tables.sources import find_source, read_source


def read(path: Path) -> list[Chunk]:
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
        ("a.npy", np.zeros((2, 2, 2)), "shape (2, 2, 2); it must be a table"),
        ("a.npy", np.array(3.0), "shape (); it must be a table"),
        ("a.npy", np.array([{}]), "Python objects"),
        ("a.npz", {"x": np.zeros(2), "y": np.zeros(3)}, "'x' has shape (2,) and 'y' has shape (3,)"),
        ("a.npz", {}, "no arrays"),
    ],
)
def test_an_invalid_table_is_refused(tmp_path: Path, name: str, arrays: Any, message: str) -> None:
    if isinstance(arrays, dict):
        np.savez(tmp_path / name, **arrays)
    else:
        np.save(tmp_path / name, arrays, allow_pickle=True)
    with pytest.raises(InputError) as error:
        read(tmp_path / name)
    assert message in str(error.value)
    assert str(tmp_path / name) in str(error.value)


def test_an_array_with_other_columns_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", one=np.zeros((2, 2)), two=np.zeros((2, 3)))
    _, blocks = open_inputs([find_source(str(tmp_path / "a.npz"))])
    message = r"array 'two': all arrays must have the same columns, but only this array has 'x3'"
    with pytest.raises(InputError, match=message):
        list(blocks)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (
            np.full((3, 2), 1j),
            "no numeric column to cluster; .* 'x1' holds complex numbers: save the real and",
        ),
        (
            np.full((3, 2), True),
            "no numeric column to cluster; .* 'x1' holds true and false: replace them by",
        ),
    ],
)
def test_an_array_without_numbers_is_refused_in_one_line(tmp_path: Path, array: Any, message: str) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(InputError, match=message):
        open_inputs([find_source(str(tmp_path / "a.npy"))])


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
@pytest.mark.parametrize("content", [b"hello", b"\x93NUMPY\x01\x00", b"PK\x03\x04 torn"])
def test_damaged_files_are_refused_in_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        read(tmp_path / name)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(tmp_path / name))


def header(text: str, version: int = 1) -> bytes:
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (header("{'descr': f8}"), "not an NPY header"),
        (header("()" * 30), "not an NPY header"),
        (header("-" * 9000 + "1"), "not an NPY header"),
        (header("{'descr': '<q9', 'fortran_order': False, 'shape': (3,)}"), "not an NPY header"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}"), "shape (-1, 2); it must be"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (True,)}"), "shape (True,); it must be"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': 3}"), "shape 3; it must be"),
        (header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**62}, 2)}}"), "cut short, 0 of"),
        (
            header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': (0, {2**40})}}"),
            "columns; the limit is",
        ),
        (header("{'descr': ('<f8', (2,)), 'fortran_order': False, 'shape': (1,)}") + bytes(16), "are arrays"),
        (
            header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}") + bytes(16),
            "8 bytes after its array",
        ),
        (header("x" * 70_000, version=2), "has 70,000 characters"),
        (header("", version=9), "version 9"),
    ],
)
def test_a_false_header_is_refused_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(InputError) as error:
        read(tmp_path / "a.npy")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_every_order_of_bytes_is_read_in_place_and_from_archives(
    tmp_path: Path, order: Any, suffix: str
) -> None:
    table = np.asarray(np.arange(12.0).reshape(4, 3), dtype=">f4", order=order)
    path = tmp_path / f"a.{suffix}"
    np.save(path, table) if suffix == "npy" else np.savez_compressed(path, table)
    (piece,) = read(path)
    assert [column.tolist() for column in piece.columns.values()] == table.T.tolist()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"a.npy": None, "notes.txt": b"hello"}, "array 'notes.txt': not an NPY file"),
        ({"a.npy": None, "a": None}, "two arrays are called 'a'"),
        ({"a.npy": None, "folder/": b""}, "array 'folder/': not an NPY file"),
    ],
)
def test_an_archive_holds_arrays_of_different_names_only(
    tmp_path: Path, members: dict[str, bytes | None], message: str
) -> None:
    array = io.BytesIO()
    np.save(array, np.zeros((2, 2)))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, array.getvalue() if content is None else content)
    with pytest.raises(InputError) as error:
        read(tmp_path / "a.npz")
    assert message in str(error.value)


def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    array = io.BytesIO()
    np.save(array, np.zeros((2, 2)))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", array.getvalue())
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("x.npy", array.getvalue())
    with pytest.raises(InputError, match="two arrays are called 'x'"):
        read(tmp_path / "a.npz")


def test_a_field_of_arrays_is_left_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(2, dtype=[("x", "f4"), ("v", "f4", (2,))]))
    source = find_source(str(tmp_path / "a.npy"))
    assert open_inputs([source])[0].features == ("x",)
    with pytest.raises(InputError, match=r"row 1, column 'v': \[0. 0.\] is not a number"):
        list(open_inputs([source], features=["v"])[1])
