from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.million import GIB, KERNELS, PICTURE, RADIUS, discs, draw, rows_of, step


def curve(times: dict[int, float]) -> dict[int, dict[str, float]]:
    return {n: {"seconds": t, "bytes": GIB, "clusters": 16, "accuracy": 1.0} for n, t in times.items()}


def test_points_fill_discs_that_do_not_touch() -> None:
    X, disc = discs(2000)
    centers = np.stack([disc % 4, disc // 4], axis=1)
    assert np.linalg.norm(X - centers, axis=1).max() <= RADIUS
    assert set(disc.tolist()) == set(range(16))


@pytest.mark.parametrize("name", KERNELS)
def test_step_finds_the_discs(name: str) -> None:
    result = step(name, 2000)
    assert result["clusters"] == 16
    assert result["accuracy"] == 1.0
    assert 0 < result["bytes"] < 4 * GIB


def test_time_that_grows_as_n_log_n_has_ratio_one() -> None:
    memory, time = rows_of("x", curve({n: n * math.log(n) for n in (100, 1000, 10_000)}))
    assert memory.ours == 1.0
    assert time.ratio == pytest.approx(1.0)


def test_quadratic_time_is_caught() -> None:
    time = rows_of("x", curve({n: 1e-6 * n * n for n in (100, 1000, 10_000)}))[1]
    assert time.reached is False
    assert "2.00" in time.note


def test_the_plot_is_drawn(tmp_path: Path) -> None:
    draw({"x": curve({100: 1.0, 1000: 12.0})}, tmp_path / "new" / PICTURE)
    assert (tmp_path / "new" / PICTURE).read_bytes().startswith(b"\x89PNG")
