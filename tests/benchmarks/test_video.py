from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import video
from clips import pictures, write_clip


def test_a_film_is_timed_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "FILM", write_clip(tmp_path / "film.mkv", pictures(5)))
    monkeypatch.setattr(video, "SIZE", (32, 24))
    time, rich, rich_error, *quality = video.run(quick=True)
    for row in (time, rich):
        assert row.unit == "ms"
        assert 0 < row.ours < 1000
    assert str(rich_error.target) == "ratio <= 1.1"
    assert [str(row.target) for row in quality if row.target] == ["ratio < 0.5"] * 2 + ["ratio <= 1.1"] + [
        "ratio < 0.5"
    ] * 2
    assert all(row.ours is not None and row.peer is not None for row in quality)


def test_a_missing_film_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "FILM", tmp_path / "nowhere.mp4")
    (row,) = video.run(quick=True)
    assert "nowhere" in row.note
    assert row.reached is None
