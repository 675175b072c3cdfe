"""Bounds prove that distances are not needed: no result depends on them, nor on their range."""

import numpy as np
import pytest

import reference
from compiled_descents import descend_problem, descend_rows
from dynmeans import DMeans
from dynmeans._core import max_abs


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("d", "birth"), [(1, 3.0), (2, 12.0), (3, 40.0)])
def test_bounds_that_follow_near_centers_only_change_no_label(seed, d, birth):
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=(1500, 1))
    X = 40.0 * group + (0.3 + group) * rng.standard_normal((1500, d))  # far apart: of one to many clusters
    none = np.empty(0)
    problem = reference.Problem(X, np.ones(1500), np.empty((0, d)), none, none, birth)
    slots, _, sizes, _, n_iter, _ = descend_problem(problem, weights=False, max_iter=8)
    labels, passes = reference.descend(problem, 0, 0, 0, 8)
    assert len(X) >= 64 * len(sizes)  # with fewer rows, bounds follow all centers
    assert n_iter == passes > 3
    assert reference.canonical(slots, 0).tolist() == reference.canonical(labels, 0).tolist()


@pytest.mark.parametrize("power", [-140, 300])
def test_scaling_beyond_the_range_of_single_precision_changes_no_label(power):
    rng = np.random.default_rng(0)
    X = rng.random((12, 3))[rng.integers(12, size=6000)] + 0.2 * rng.standard_normal((6000, 3))
    scale = 2.0**power
    model = DMeans(0.5, n_restarts=2, random_state=0).fit(X)
    scaled = DMeans(0.5 * scale**2, n_restarts=2, random_state=0).fit(scale * X)
    assert model.n_iter_ > 3  # so that bounds were used
    assert scaled.n_iter_ == model.n_iter_
    np.testing.assert_array_equal(scaled.labels_, model.labels_)
    np.testing.assert_allclose(scaled.cluster_centers_, scale * model.cluster_centers_, rtol=1e-12)


@pytest.mark.parametrize("value", [7.0, -7.0, np.nan, np.inf])
def test_the_largest_number_is_the_same_on_any_number_of_threads(value):
    X = np.ones((700_000, 2))
    for row in (0, 350_000, 699_999):
        X[row, 1] = value
        np.testing.assert_equal([max_abs(X, n_threads) for n_threads in (1, 2, 3)], 3 * [abs(value)])
        X[row, 1] = 1.0


@pytest.mark.parametrize("weights", ["ones", "fractions"])
@pytest.mark.parametrize("birth", [1e-4, 0.05, 1e12])
@pytest.mark.parametrize("d", [2, 40])
def test_the_unit_of_the_bounds_changes_no_label(d, birth, weights):
    """Distances from far below the unit to far beyond the largest bound."""
    rng = np.random.default_rng(0)
    X = np.repeat(10.0 ** rng.integers(-6, 4, 5), 60)[:, None] * rng.standard_normal((300, d))
    m = np.ones(300) if weights == "ones" else 10.0 ** rng.uniform(-5, 1, 300)
    phi, gammas, revival = X[:3] + 0.01, np.full(3, 2.0), np.full(3, 0.01)
    problem = reference.Problem(X, m, phi, gammas, revival, birth)
    slots, _, _, _, n_iter, _ = descend_problem(problem, weights=weights != "ones", max_iter=12)
    labels, passes = reference.descend(problem, 0, 0, 0, 12)
    assert n_iter == passes
    assert reference.canonical(slots, 3).tolist() == reference.canonical(labels, 3).tolist()


def test_slots_of_a_large_batch_take_two_bytes_and_give_the_same_ids():
    X = np.random.default_rng(0).random((70_000, 2))
    slots = descend_rows(X, birth=0.1, max_iter=3)[0]
    assert slots.dtype == np.uint16
    few = descend_rows(X[:1000], birth=0.1, max_iter=3)[0]
    assert few.dtype == np.int32
    model = DMeans(0.1, n_restarts=1, max_iter=3, random_state=0).partial_fit(X)
    assert model.labels_.dtype == np.int64
    assert np.bincount(model.labels_).tolist() == model.step_.sizes.astype(int).tolist()
