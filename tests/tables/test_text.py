from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from dynmeans._files.errors import InputError, InputWarning
from dynmeans._files.limits import FileLimits
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.readers import text
from dynmeans._tables.sources import find_source, read_source


def read(path: Path, content: str | bytes, skip: int = 0) -> list[Chunk]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_source(find_source(str(path)), skip=skip))


def test_csv_cells_come_by_the_names_of_the_heading(tmp_path: Path) -> None:
    (piece,) = read(tmp_path / "a.csv", "x, y\n1,2\n\n3,4\n")
    assert piece.names == ("x", "y")
    assert {key: list(cells) for key, cells in piece.columns.items()} == {"x": ["1", "3"], "y": ["2", "4"]}


def test_a_row_has_its_number_and_its_line(tmp_path: Path) -> None:
    (piece,) = read(tmp_path / "a.csv", 'x,note\n1,"two\nlines"\n\n2,b\n')
    assert [piece.location(0), piece.location(1)] == ["row 1 (line 3)", "row 2 (line 5)"]


@pytest.mark.parametrize(
    ("first", "named"),
    [("1,2", False), ("2024-01-01,2", False), ("1,,3", False), ("a,2", True), ("x_1,y", True), (",x", True)],
)
def test_a_first_row_of_data_is_no_heading(tmp_path: Path, first: str, named: bool) -> None:
    width = first.count(",") + 1
    (piece,) = read(tmp_path / "a.csv", f"{first}\n{','.join('1' * width)}\n")
    assert piece.size == (1 if named else 2)
    assert (piece.names == tuple(f"x{i + 1}" for i in range(width))) != named


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("x,y,", ("x", "y", "x3")),
        ("x,,y", ("x", "x2", "y")),
        (",x", ("", "x")),
        (",,x,", ("", "", "x", "x4")),
        ("x3,y,", ("x3", "y", "")),
    ],
)
def test_a_column_without_a_name_has_its_number(tmp_path: Path, heading: str, names: tuple[str, ...]) -> None:
    (piece,) = read(tmp_path / "a.csv", f"{heading}\n{','.join('1' * len(names))}\n")
    assert piece.names == names


def test_tabs_semicolons_byte_order_marks_and_gzip_are_understood(tmp_path: Path) -> None:
    plain = read(tmp_path / "a.csv", "x,y\n1,2\n")
    assert read(tmp_path / "a.tsv", "x\ty\n1\t2\n")[0].columns == plain[0].columns
    assert read(tmp_path / "b.csv", "x;y\n1;2\n")[0].columns == plain[0].columns
    assert read(tmp_path / "c.csv", b"\xef\xbb\xbfx,y\r\n1,2\r\n")[0].columns == plain[0].columns
    assert read(tmp_path / "d.csv.gz", gzip.compress(b"x,y\n1,2\n", mtime=0))[0].columns == plain[0].columns


def test_json_lines_hold_objects_or_arrays(tmp_path: Path) -> None:
    (objects,) = read(tmp_path / "a.jsonl", '{"x": 1, "w": "a"}\n\n{"w": "b", "x": 2.5}\n')
    assert {key: list(cells) for key, cells in objects.columns.items()} == {"x": [1, 2.5], "w": ["a", "b"]}
    (arrays,) = read(tmp_path / "b.ndjson", "[1, 2]\n[3, 4]\n")
    assert {key: list(cells) for key, cells in arrays.columns.items()} == {"x1": [1, 3], "x2": [2, 4]}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "x,y\n1,2\n3\n", "row 2 (line 3): 1 cell for 2 columns"),
        ("a.csv", "x\n1\n2,3,4\n", "row 2 (line 3): 3 cells for 1 column"),
        ("a.csv", b"x,y\n1,2\n\xe9,3\n", "not UTF-8 text (byte 0xe9)"),
        ("a.csv", 'x,y\n1,2\n"3,4\n', "after row 1: unexpected end of data"),
        ("a.csv.gz", b"x,y\n1,2\n", "Not a gzipped file"),
        ("a.csv.gz", gzip.compress(b"x,y\n1,2\n", mtime=0)[:-9], "end-of-stream"),
        ("a.jsonl", '{"x": 1}\n{"x": \n', "line 2: not JSON"),
        ("a.jsonl", '{"x": 1}\n7\n', "line 2: '7' is neither an object nor an array"),
        ("a.jsonl", "[1, 2]\n[1]\n", "row 2 (line 2): 1 cell for 2 columns"),
        (
            "a.jsonl",
            '[{"x": 1}, {"x": 2}]\n',
            ": the file is one JSON array; it must have one object per line",
        ),
        ("a.jsonl", "[[1, 2], [3, 4]]\n", ": the file is one JSON array"),
        ("a.jsonl", '[\n{"x": 1},\n{"x": 2}]\n', ": the file is one JSON array"),
        ("a.jsonl", '{"x\\ud800": 1}\n', "line 1: not Unicode text (a lone surrogate"),
        ("a.jsonl", '{"x": 1}\n{"x": "\\uDfff"}\n', "line 2: not Unicode text (a lone surrogate"),
    ],
)
def test_a_damaged_file_is_named_with_the_location(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path / name, content)
    assert str(error.value).startswith(str(tmp_path / name))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_rows_before_a_broken_one_are_given_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", 4)
    (tmp_path / "a.csv").write_text("x,y\n" + "1,2\n" * 6 + "3\n")
    pieces = read_source(find_source(str(tmp_path / "a.csv")))
    assert [next(pieces).size, next(pieces).size] == [4, 2]
    with pytest.raises(InputError, match="row 7"):
        next(pieces)


@pytest.mark.parametrize("content", ["x\n1\n\n\n2\n", "1\n\n\n2\n\n"])
def test_blank_lines_of_a_single_column_are_empty_cells(tmp_path: Path, content: str) -> None:
    (piece,) = read(tmp_path / "a.csv", content)
    ((_, cells),) = piece.columns.items()
    assert list(cells) == ["1", "", "", "2"]
    begin = content.index("1") // 2 + 1
    assert list(piece.lines or ()) == [begin, begin + 1, begin + 2, begin + 3]


def test_blank_lines_elsewhere_are_skipped(tmp_path: Path) -> None:
    (piece,) = read(tmp_path / "a.csv", "\nx,y\n\n1,2\n\n3,4\n\n")
    assert list(piece.columns["x"]) == ["1", "3"]
    (piece,) = read(tmp_path / "b.csv", "x\n1\n2\n\n\n")
    assert list(piece.columns["x"]) == ["1", "2"]


@pytest.mark.parametrize("content", ["x,y\n1,2\n3,4.5", "x,y\r\n1,2\r\n3,4.5"])
def test_a_last_line_without_end_is_read_with_a_warning(tmp_path: Path, content: str) -> None:
    with pytest.warns(InputWarning, match=r"row 2 \(line 3\): the last line has no end"):
        (piece,) = read(tmp_path / "a.csv", content)
    assert list(piece.columns["y"]) == ["2", "4.5"]


def test_a_last_row_that_is_closed_needs_no_end(tmp_path: Path) -> None:
    assert read(tmp_path / "a.csv", 'x,y\n1,"2"')[0].size == 1
    assert read(tmp_path / "a.jsonl", '{"x": 1}')[0].size == 1


def test_the_limit_of_the_csv_module_is_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"x,y\n1,{'9' * 300_000}\n")
    before = csv.field_size_limit()
    source = find_source(str(tmp_path / "a.csv"), limits=FileLimits(cell=2**20))
    for piece in read_source(source):
        assert csv.field_size_limit() == before
        assert piece.size == 1
