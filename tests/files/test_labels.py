from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynmeans._files.run_folder import labels
from dynmeans._files.run_folder.labels import labels_file, write_labels
from dynmeans._tables.sources import FORMATS, find_source, read_source

IDS = [0, 3, 3, 2**40, 1]


def written(folder: Path, format: str, ids: list[int]) -> Path:
    raw_labels = folder / "raw_labels"
    raw_labels.write_bytes(np.array(ids, dtype="<i8").tobytes())
    write_labels(raw_labels, labels_file(folder, format), format)
    return labels_file(folder, format)


@pytest.mark.parametrize("format", FORMATS)
def test_labels_read_back_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str) -> None:
    if format in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    monkeypatch.setattr(labels, "_CHUNK", 2)
    path = written(tmp_path, format, IDS)
    assert path.name == f"labels.{format}"
    pieces = list(read_source(find_source(str(path))))
    found = [int(str(cell)) for piece in pieces for cell in next(iter(piece.columns.values()))]
    assert found == IDS


@pytest.mark.parametrize("format", FORMATS)
def test_equal_labels_give_equal_files(tmp_path: Path, format: str) -> None:
    if format in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    first = written(tmp_path, format, IDS).read_bytes()
    assert written(tmp_path, format, IDS).read_bytes() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"labels.{format}", "raw_labels"]


def test_text_and_arrays_look_as_documented(tmp_path: Path) -> None:
    assert written(tmp_path, "csv", IDS).read_text().splitlines()[:2] == ["id", "0"]
    assert json.loads(written(tmp_path, "jsonl", IDS).read_text().splitlines()[1]) == {"id": 3}
    array = np.load(written(tmp_path, "npy", IDS))
    assert (array.dtype, array.shape) == (np.int64, (5,))
    assert np.load(written(tmp_path, "npz", IDS))["id"].tolist() == IDS


@pytest.mark.parametrize("format", FORMATS)
def test_no_labels_are_a_valid_file(tmp_path: Path, format: str) -> None:
    if format in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    path = written(tmp_path, format, [])
    assert path.exists()
