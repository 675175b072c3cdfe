from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from clips import pictures, write_clip
from dynmeans._experiments import video
from dynmeans._experiments.drawing.excerpt import ORIGINAL, Excerpt, draw_excerpt
from dynmeans.apps.video import distinct
from dynmeans.apps.video._ffmpeg import ffmpeg_quantizer

pytest.importorskip("matplotlib")


def test_every_method_is_measured_and_drawn(tmp_path: Path) -> None:
    result = video.run(write_clip(tmp_path / "a.mkv", pictures(6)), max_frames=5)
    result = json.loads(json.dumps(result))
    assert result["frames"] == 5
    assert list(result["methods"]) == ["D-Means", "DP-means", "k-means", "FFmpeg"]
    for found in result["methods"].values():
        assert [len(found[key]) for key in ("n_colors", "error", "change")] == [5, 5, 4]
    assert result["methods"]["D-Means"]["n_colors"] == [3] * 5
    drawn = video.figures(result)
    assert {name: len(figure.axes) for name, figure in drawn.items()} == {"video": 3, "video-frames": 16}
    assert video.summarize(result).count("\n") == 5


def test_a_quick_run_takes_frames_from_the_middle_of_the_film(tmp_path: Path) -> None:
    black = [np.zeros((48, 64, 3), np.uint8)] * 5
    film = write_clip(tmp_path / "a.avi", black + pictures(10))
    experiment = video.video_experiment(str(film))
    (quick,), (full,) = experiment.plan(experiment.quick), experiment.plan(experiment.full)
    assert full.case == {"file": str(film), "max_frames": None}
    found = experiment.run(quick)
    assert found["frames"] == 10
    assert found["methods"]["D-Means"]["n_colors"] == [3] * 10


def test_the_excerpt_is_the_consecutive_frames_with_the_most_colors() -> None:
    excerpt = Excerpt()
    for i, n_colors in enumerate((8, 1, 5, 6, 5, 5, 1)):
        excerpt.take({ORIGINAL: np.full((20, 500, 3), i, np.uint8)}, n_colors)
    kept = excerpt.numbers()
    assert kept["first"] == 3
    shown = [axes.images[0].get_array() for axes in draw_excerpt(kept).axes]
    assert [picture.shape[:2] for picture in shown] == [(7, 167)] * 4
    assert [round(255 * float(picture.max())) for picture in shown] == [2, 3, 4, 5]


def test_a_film_of_one_frame_has_an_excerpt_of_it() -> None:
    excerpt = Excerpt()
    excerpt.take({ORIGINAL: np.zeros((4, 6, 3), np.uint8)}, 1)
    assert len(draw_excerpt(excerpt.numbers()).axes) == 1


def test_frames_that_do_not_change_have_no_normalised_difference(tmp_path: Path) -> None:
    result = video.run(write_clip(tmp_path / "a.mkv", pictures(1) * 3))
    assert all(found["change"] == [None, None] for found in result["methods"].values())
    assert all(found["flicker"] == 0 for found in result["methods"].values())


def test_the_palette_of_ffmpeg_has_no_more_colors_than_asked_for() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    quantized = ffmpeg_quantizer(8)(picture, distinct(picture))
    assert 2 <= len(quantized.palette) <= 8
    assert quantized.sizes.sum() == 600
