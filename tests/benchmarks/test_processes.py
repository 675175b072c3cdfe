from __future__ import annotations

import numpy as np
import pytest

from benchmarks import processes
from benchmarks.choosing import product_of
from benchmarks.processes import CHOOSING_SEEDS, CHOSEN, GRIDS, OURS, REPORTED_SEEDS, RIVAL, Score
from dynmeans.datasets import gaussian_processes


def test_number_accuracy_and_time_are_judged() -> None:
    rows = processes.run(quick=True)
    assert sum(row.target is not None for row in rows) == 3
    assert all(row.ours is not None and row.peer is not None for row in rows)


def test_mean_of_a_process_is_near_its_function_where_that_was_observed() -> None:
    x = np.linspace(0.0, 1.0, 30)
    (mean,) = processes.posterior_means(np.concatenate([x, np.cos(x)])[None])
    np.testing.assert_allclose(mean, np.cos(processes.GRID), atol=0.03)


def test_mean_of_a_process_solves_its_normal_equations() -> None:
    (row,) = gaussian_processes(1, sets_per_step=1, n_observations=5, random_state=0).batches[0]
    x, y = np.split(row, 2)
    covariance = np.exp(-0.5 * (x[:, None] - x) ** 2) + 0.04 * np.eye(5)
    expected = np.exp(-0.5 * (processes.GRID[:, None] - x) ** 2) @ np.linalg.inv(covariance) @ y
    np.testing.assert_allclose(processes.posterior_means(row[None])[0], expected, atol=1e-9)


def test_likeliest_function_is_right_where_there_is_no_noise() -> None:
    stream = gaussian_processes(2, noise=0.0, random_state=0)
    for found, true in zip(processes.likeliest(stream), stream.labels, strict=True):
        np.testing.assert_array_equal(found, true)


def test_share_of_four_counts_streams_with_exactly_four_clusters() -> None:
    scores = [Score(0.7, 0.7, n, 0.1) for n in (3, 4, 4, 5)]
    assert processes.share_of_four(scores) == 0.5


def test_seeds_for_choosing_are_never_reported() -> None:
    assert not set(CHOOSING_SEEDS) & set(REPORTED_SEEDS)


@pytest.mark.parametrize("name", [OURS, RIVAL])
def test_settings_come_out_of_their_grid(name: str) -> None:
    assert CHOSEN[name] in list(product_of(dict, GRIDS[name]))


def test_rival_is_given_the_setting_that_tracks_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GRIDS, RIVAL, {"birth_cost": (0.01, 20.0), "lifetime": (3.0,)})
    assert processes.choose(RIVAL, seeds=[0])["birth_cost"] == 20.0
