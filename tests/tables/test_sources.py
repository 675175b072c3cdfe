from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import pytest

from dynmeans._files.errors import InputError
from dynmeans._tables.sources import find_source, read_source


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.CSV", "csv"),
        ("a.csv.gz", "csv"),
        ("a.ndjson", "jsonl"),
        ("a.feather", "arrow"),
        ("a.pq", "parquet"),
    ],
)
def test_the_format_is_inferred_from_the_name(tmp_path: Path, name: str, format: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    assert find_source(str(tmp_path / name)).format == format
    assert find_source(str(tmp_path / name), "tsv").format == "tsv"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing.csv", "No such file"),
        (".", "a folder"),
        ("words.txt", "unknown file type"),
        ("a.npy.gz", "unknown file type"),
        ("empty.csv", "the file is empty"),
    ],
)
def test_an_invalid_input_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for other in ("words.txt", "a.npy.gz"):
        Path(other).write_text("x")
    Path("empty.csv").touch()
    with pytest.raises(InputError, match=message) as error:
        find_source(name)
    assert str(error.value).startswith(name)


def test_standard_input_is_csv_unless_a_format_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\n1\n2\n")))
    (piece,) = read_source(find_source("-"))
    assert list(piece.columns["x"]) == ["1", "2"]
    assert find_source("-", "npy").format == "npy"


def test_closed_standard_input_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        list(read_source(find_source("-")))


def test_a_named_pipe_is_read_once_and_not_inspected(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    source = find_source(str(pipe))
    writer = threading.Thread(target=pipe.write_text, args=("x\n1\n",))
    writer.start()
    (piece,) = read_source(source)
    writer.join()
    assert list(piece.columns["x"]) == ["1"]
