"""Axes and maps of the report, and the words in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from dynmeans._files.run_folder.format import Run
from dynmeans._files.run_folder.reader import read_run
from dynmeans._model.events import Event
from dynmeans.plots._cluster_map import MAX_DISPLACEMENT, MAX_LANDMARKS, fit_cluster_map
from dynmeans.plots._lifetimes import trace_lifetimes
from dynmeans.plots._payload import build_payload
from dynmeans.plots._topics import describe_texts
from dynmeans.plots._views import make_views
from run_folder import write_run


def wide_clusters(n_clusters: int, seed: int = 0, d: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(n_clusters, d))
    owners = np.repeat(np.arange(n_clusters), 5)
    return means, owners, means[owners] + rng.normal(0, 0.3, (len(owners), d))


def test_the_map_keeps_a_plane_as_it_is() -> None:
    flat = np.random.default_rng(0).uniform(size=(30, 2))
    means = np.pad(flat, ((0, 0), (0, 10)))
    found = fit_cluster_map(np.arange(30), means, np.ones(30), means, np.arange(30))
    assert found.agreement > 0.98


def test_similar_clusters_are_near_and_points_stay_with_their_cluster() -> None:
    means, owners, points = wide_clusters(40)
    means[1] = means[0] + 0.01
    found = fit_cluster_map(np.arange(40), means, np.ones(40), points, owners)
    distances = pdist(found.positions)
    assert np.linalg.norm(found.positions[0] - found.positions[1]) < np.quantile(distances, 0.02)
    away = np.linalg.norm(found.apply(points, owners) - found.positions[owners], axis=1)
    assert away.max() <= MAX_DISPLACEMENT * found.radius * (1 + 1e-9)
    np.testing.assert_array_equal(found.positions_of(owners), found.positions[owners])


def test_clusters_beyond_the_landmarks_and_unknown_points_have_positions() -> None:
    n = MAX_LANDMARKS + 20
    means, owners, points = wide_clusters(n, d=12)
    found = fit_cluster_map(np.arange(n), means, np.arange(n, 0, -1.0), points, owners)
    assert np.isfinite(found.positions).all()
    np.testing.assert_array_equal(
        found.apply(points[:5], np.full(5, -1)), found.apply(points[:5], owners[:5])
    )


def test_clusters_that_coincide_do_not_break_the_map() -> None:
    found = fit_cluster_map(np.arange(4), np.zeros((4, 9)), np.ones(4), np.zeros((4, 9)), np.arange(4))
    assert np.isfinite(found.apply(np.zeros((4, 9)), np.arange(4))).all()


@pytest.mark.parametrize(
    ("d", "n_views", "word"), [(1, 2, "f0"), (2, 2, "f0"), (3, 6, "comp"), (12, 18, "map"), (40, 6, "map")]
)
def test_the_axes_offered_depend_on_the_number_of_features(
    tmp_path: Path, d: int, n_views: int, word: str
) -> None:
    run = read_run(write_run(tmp_path, n_features=d))
    views = make_views(run, trace_lifetimes(run), run.sample, run.clusters)
    assert len(views) == n_views
    assert views[0].label.startswith(word) or d <= 2
    for view in views:
        assert view.points.shape == run.sample["id"].shape
        assert view.centers.shape == run.clusters["id"].shape


def test_components_state_the_share_of_the_variance_that_they_show(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, n_features=20))
    views = make_views(run, trace_lifetimes(run), run.sample, run.clusters)
    total = run.sample["features"].var(axis=0).sum()
    for view in views[2:6]:
        share = 100 * view.points.var() / total
        assert view.label.endswith(f"({share:.0f}% of the variance)")


def test_the_birth_cost_in_force_is_that_of_the_step(run: Run) -> None:
    costs = np.where(np.arange(len(run.steps["step"])) < 2, np.nan, 3.0)
    payload = build_payload(run._replace(steps=run.steps | {"birth_cost": costs}))
    assert payload["birthCost"][:4] == [None, None, 3.0, 3.0]
    assert "birth_cost" not in payload["steps"]


def test_the_birth_cost_of_an_old_folder_is_that_of_the_last_birth(run: Run) -> None:
    births = [Event("birth", i, step, 0.0, cost) for i, (step, cost) in enumerate([(1, 2.0), (5, 3.0)])]
    found = build_payload(run._replace(events=births))["birthCost"]
    assert found[:6] == [2.0, 2.0, 2.0, 2.0, 3.0, 3.0]
    assert set(build_payload(run._replace(events=[]))["birthCost"]) == {None}


def test_long_lists_of_parameters_are_shortened(run: Run) -> None:
    features = [f"e{i}" for i in range(256)]
    payload = build_payload(run._replace(info=run.info | {"parameters": {"features": features}}))
    assert payload["parameters"] == [["features", "e0, e1, e2, e3, e4, e5, ... (256 in all)"]]


def test_words_over_a_life_weigh_rows_and_ranks() -> None:
    table = {
        "id": np.array([0, 1, 0]),
        "weight": np.array([2.0, 1.0, 3.0]),
        "words": np.array(["rain wind", "vote", "flood rain"], dtype=object),
        "example1": np.array(["old", "poll", "new"], dtype=object),
        "example2": np.array(["", "", "newer"], dtype=object),
        "example3": np.array(["", "", ""], dtype=object),
    }
    found = describe_texts(table, np.array([0, 1]))
    assert found == {"words": ["rain flood wind", "vote"], "examples": [["new", "old", "newer"], ["poll"]]}
    assert describe_texts({"id": table["id"]}, np.array([0])) == {}


@pytest.mark.parametrize("n_features", [2, 3, 12])
@pytest.mark.parametrize("entry", ["scales", "feature_scales"])
def test_components_and_maps_are_those_of_the_clustered_units(
    tmp_path: Path, n_features: int, entry: str
) -> None:
    """A feature in a large unit does not change them; the features themselves stay in their units."""
    run = read_run(write_run(tmp_path, n_features=n_features))
    scales = np.array([1.0, 1e6, *[1.0] * (n_features - 2)])
    tables = {
        name: {**table, "features": table["features"] * scales}
        for name, table in (("clusters", run.clusters), ("sample", run.sample))
    }
    parameters = run.info["parameters"]
    if entry == "scales":
        info = {**run.info, "scales": scales.tolist()}
    else:  # a folder of an earlier version
        info = {**run.info, "parameters": {**parameters, "feature_scales": scales.tolist()}}
    scaled = run._replace(**tables, info=info)
    plain, found = (
        make_views(each, trace_lifetimes(each), each.sample, each.clusters) for each in (run, scaled)
    )
    for one, other in zip(plain, found, strict=True):
        assert one.label == other.label
        unit = 1e6 if one.label == "x2" else 1.0
        np.testing.assert_allclose(other.points, unit * one.points, rtol=1e-6, atol=1e-9)
