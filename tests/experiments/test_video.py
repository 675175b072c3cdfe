from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from clips import pictures, write_clip
from dynmeans.apps.video import distinct
from dynmeans.apps.video.ffmpeg import ffmpeg_painter
from dynmeans.experiments import video

pytest.importorskip("matplotlib")


def test_every_method_is_measured_and_drawn(tmp_path: Path) -> None:
    result = video.run(write_clip(tmp_path / "a.mkv", pictures(6)), max_frames=5)
    result = json.loads(json.dumps(result))
    assert result["frames"] == 5
    assert list(result["methods"]) == ["D-Means", "DP-means", "k-means", "FFmpeg"]
    for found in result["methods"].values():
        assert [len(found[key]) for key in ("n_colors", "error", "change")] == [5, 5, 4]
    assert result["methods"]["D-Means"]["n_colors"] == [3] * 5
    (figure,) = video.figures(result).values()
    assert len(figure.axes) == 3
    assert video.tell(result).count("\n") == 5


def test_frames_that_do_not_change_have_no_normalised_difference(tmp_path: Path) -> None:
    result = video.run(write_clip(tmp_path / "a.mkv", pictures(1) * 3))
    assert all(found["change"] == [None, None] for found in result["methods"].values())
    assert all(found["flicker"] == 0 for found in result["methods"].values())


def test_the_palette_of_ffmpeg_has_no_more_colours_than_asked_for() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    painting = ffmpeg_painter(8)(picture, distinct(picture))
    assert 2 <= len(painting.palette) <= 8
    assert painting.sizes.sum() == 600
