"""Quick forms of the paper's experiments, and the order that the paper claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dynmeans._experiments import EXPERIMENTS, gaussians, gps, rings
from dynmeans._experiments.gaussians import follow
from dynmeans._experiments.methods import ALL_METHODS, CEILING, OURS, THREE, WITHOUT_K
from dynmeans._experiments.regression import GRID, posterior, posterior_means
from dynmeans._experiments.results import Group, Results
from dynmeans._experiments.runner import draw_experiment, run_experiment
from dynmeans._experiments.trials import CHOOSING_SEED, REPORTED_SEED, Size
from dynmeans.datasets import gaussian_processes, moving_gaussians, moving_rings

QUICK = Size(1, quick=True)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Results]:
    """Results of the quick form of an experiment, run once."""
    folder = tmp_path_factory.mktemp("results")

    def run(name: str) -> Results:
        return run_experiment(EXPERIMENTS[name], QUICK, folder)

    return run


def by_method(groups: list[Group]) -> dict[str, Group]:
    return {group.case["method"]: group for group in groups}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_quick_form_runs_and_draws_all_figures(
    name: str, ran: Callable[[str], Results], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    experiment, results = EXPERIMENTS[name], ran(name)
    paths = draw_experiment(experiment, results, tmp_path)
    assert {path.stem for path in paths} == set(FIGURES[name])
    assert all(path.stat().st_size > 5_000 for path in paths)
    assert experiment.summarize(results).count("|") > 20


FIGURES = {
    "gaussians": ("gaussians-tuning", "gaussians-counts", "gaussians-trade", "gaussians-frames"),
    "rings": ("rings-tuning", "rings-frames", "rings-kernel"),
    "gps": ("gps-examples", "gps-functions", "gps-histograms"),
    "people": ("people-frames",),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_plan_has_every_trial_once_and_more_trials_only_add(name: str) -> None:
    experiment = EXPERIMENTS[name]
    for quick in (True, False):
        few, more = (experiment.plan(Size(n, quick)) for n in (1, 10))
        names = [(trial.group, trial.seed) for trial in more]
        assert len(set(names)) == len(names)
        assert {(trial.group, trial.seed) for trial in few} <= set(names)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_seeds_for_choosing_are_never_reported(name: str) -> None:
    experiment = EXPERIMENTS[name]
    for trial in experiment.plan(experiment.full):
        assert (trial.seed < CHOOSING_SEED + experiment.full.trials) == (trial.part == "tuning")
    assert CHOOSING_SEED + 100 <= REPORTED_SEED


def test_dmeans_is_more_accurate_than_separate_clustering_without_the_number_of_clusters() -> None:
    """Check the widest margins of the table on three streams."""
    plan = EXPERIMENTS["gaussians"].plan(Size(3))
    some = [OURS, CEILING, "DBSCAN, matched"]
    tracked = dict.fromkeys(some, 0.0)
    seconds = dict(tracked)
    for trial in plan:
        method = trial.case["method"]
        if trial.part == "five" and trial.case["displacement"] == "isotropic" and method in some:
            outcome = gaussians.run(trial)
            tracked[method] += outcome["tracked"] / 3
            seconds[method] += outcome["seconds"] / 3
    assert tracked[OURS] > tracked["DBSCAN, matched"] + 0.03
    assert tracked[CEILING] > tracked["DBSCAN, matched"] + 0.03


def test_spectral_means_are_far_above_means_on_rings(ran: Callable[[str], Results]) -> None:
    groups = by_method(ran("rings").part("table", together=True))
    assert groups[rings.ALIGN].mean("tracked") > 0.9
    assert groups["D-Means"].mean("tracked") < 0.6
    assert groups[rings.TRUTH].mean("tracked") > 0.98


def test_spectral_means_are_above_means_on_gaussian_processes() -> None:
    plan = [trial for trial in gps.plan(Size(12)) if trial.part == "trials"]
    tracked = {
        name: np.mean([gps.run(t)["tracked"] for t in plan if t.case["method"] == name])
        for name in gps.PARAMETERS
    }
    assert tracked[gps.SPECTRAL] > tracked[gps.MEANS]


def test_trial_is_a_pure_function_of_its_case_and_seed() -> None:
    trial = next(trial for trial in rings.plan(QUICK) if trial.part == "table")
    first, second = (rings.run(trial) for _ in range(2))
    del first["seconds"], second["seconds"]
    assert first == second


def test_every_method_labels_every_point() -> None:
    stream = moving_gaussians(3, 2, random_state=0)
    for name, method in ALL_METHODS.items():
        parameters = method.parameters(3, "radial") | ({"n_samples": 5} if name.startswith("Gibbs") else {})
        found = follow({"method": name, "parameters": parameters})(stream)
        assert [len(labels) for labels in found] == [45, 45], name


def test_oracle_methods_are_separate_from_the_others() -> None:
    assert len(WITHOUT_K) == 4
    assert not {CEILING, OURS, THREE} & set(WITHOUT_K)


def test_nearest_true_ring_is_right_where_there_is_no_noise() -> None:
    stream = moving_rings(3, noise=0.0, random_state=0)
    for found, true in zip(rings.nearest_rings(stream), stream.labels, strict=True):
        np.testing.assert_array_equal(found, true)


def test_likeliest_function_is_right_where_there_is_no_noise() -> None:
    stream = gaussian_processes(2, noise=0.0, random_state=0)
    for found, true in zip(gps.likeliest(stream), stream.labels, strict=True):
        np.testing.assert_array_equal(found, true)


def test_mean_of_a_process_solves_its_normal_equations() -> None:
    (row,) = gaussian_processes(1, sets_per_step=1, n_observations=5, random_state=0).batches[0]
    x, y = np.split(row, 2)
    covariance = np.exp(-0.5 * (x[:, None] - x) ** 2) + 0.04 * np.eye(5)
    across = np.exp(-0.5 * (GRID[:, None] - x) ** 2)
    np.testing.assert_allclose(
        posterior_means(row[None])[0], across @ np.linalg.inv(covariance) @ y, atol=1e-9
    )
    process = posterior(x, y)
    np.testing.assert_allclose(process.mean, posterior_means(row[None])[0], atol=1e-9)
    variance = 1.0 - np.einsum("gi,ij,gj->g", across, np.linalg.inv(covariance), across)
    np.testing.assert_allclose(process.deviation, np.sqrt(variance), atol=1e-7)
