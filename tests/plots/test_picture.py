from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from dynmeans._files.run_folder.format import Run
from dynmeans._files.run_folder.reader import read_run
from dynmeans.plots._lifetimes import trace_lifetimes
from dynmeans.plots._palette import PALETTE
from dynmeans.plots.picture import _choose_moments, draw_run
from run_folder import write_run

pytest.importorskip("matplotlib")


def test_the_picture_is_large_and_has_the_colors_of_the_clusters(run: Run, tmp_path: Path) -> None:
    from matplotlib.image import imread

    draw_run(run, tmp_path / "run.png")
    pixels = np.rint(imread(tmp_path / "run.png")[:, :, :3] * 255).astype(int)
    assert pixels.shape == (1200, 2400, 3)
    assert np.all(pixels[0, 0] == 255)
    for color in PALETTE[: len(np.unique(run.clusters["id"][run.clusters["step"] == 1]))]:
        wanted = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.all(pixels == wanted, axis=2).sum() > 500


@pytest.mark.parametrize(
    "shape", [{"n_features": 1}, {"n_features": 4}, {"n_steps": 1}, {"n_steps": 3}, {"n_steps": 0}]
)
def test_runs_of_all_shapes_are_drawn(shape: dict[str, int], tmp_path: Path) -> None:
    draw_run(read_run(write_run(tmp_path / "run", **shape)), tmp_path / "run.svg")
    text = (tmp_path / "run.svg").read_text()
    assert text.startswith("<?xml")
    assert text.count("step ") >= min(5, shape.get("n_steps", 5))


def test_the_moments_are_evenly_spaced_where_clusters_return(run: Run) -> None:
    lifetimes = trace_lifetimes(run)
    moments = _choose_moments(run.steps["step"], lifetimes)
    returns = np.array([event.step for event in run.events if event.kind == "revival"])

    def seen_from(begin: int) -> int:
        return int(np.sum((returns > begin) & (returns <= begin + 4)))

    assert np.diff(moments).tolist() == [1] * 4
    assert seen_from(moments[0]) == max(seen_from(begin) for begin in range(1, 37)) > 0


def test_without_matplotlib_the_install_line_is_shown(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r'pip install "dynmeans\[plot\]"'):
        draw_run(run, tmp_path / "run.png")


def test_drawing_leaves_pyplot_alone(run: Run, tmp_path: Path) -> None:
    before = "matplotlib.pyplot" in sys.modules
    draw_run(run, tmp_path / "run.png")
    assert ("matplotlib.pyplot" in sys.modules) == before
