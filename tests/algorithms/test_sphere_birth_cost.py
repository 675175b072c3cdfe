"""The automatic birth cost on the sphere: mixtures of known clusters, and invariances."""

import numpy as np
import pytest

from dynmeans._algorithms.estimation.sphere_birth_cost import (
    Clustering,
    chance_of,
    equal_error,
    estimate_sphere_birth_cost,
    pairs_of,
)
from dynmeans._core import descend_gram
from dynmeans.metrics import identity_f1
from sphere_twin import descend_directions, unit


def mixture(n_clusters, d, noise, *, n=1500, equal=True, seed=0):
    """Rows around random directions; the sizes of unequal clusters fall as 1, 1/2, 1/3, ..."""
    rng = np.random.default_rng(seed)
    means = unit(rng.normal(size=(n_clusters, d)))
    share = np.ones(n_clusters) if equal else 1.0 / np.arange(1, n_clusters + 1)
    names = rng.choice(n_clusters, size=n, p=share / share.sum())
    return unit(means[names] + noise * rng.normal(size=(n, d)) / np.sqrt(d)).astype(np.float32), names


def found_labels(X, birth):
    return descend_directions(X, birth=birth)[0]


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize(
    ("n_clusters", "d", "noise"),
    [
        (2, 16, 0.3),
        (2, 1024, 2.0),
        (5, 64, 0.9),
        (10, 1024, 2.0),
        (30, 16, 0.3),
        (30, 384, 1.5),
        (100, 64, 0.5),
        (300, 384, 0.9),
        (300, 384, 1.5),
    ],
)
def test_separate_clusters_are_found(n_clusters, d, noise, equal):
    X, names = mixture(n_clusters, d, noise, equal=equal)
    labels = found_labels(X, estimate_sphere_birth_cost(X, 0))
    assert identity_f1([names], [labels]) > 0.9


def test_one_cluster_has_the_cost_of_chance():
    X, _ = mixture(1, 256, 4.0)
    assert estimate_sphere_birth_cost(X, 0) == pytest.approx(1 - 1 / 16)


def test_few_rows_have_the_cost_of_chance():
    X, _ = mixture(3, 100, 0.1, n=20)
    assert estimate_sphere_birth_cost(X, 0) == pytest.approx(0.9)


def test_equal_rows_have_no_estimate():
    assert estimate_sphere_birth_cost(np.ones((7, 4)) / 2, 0) is None


def test_copies_do_not_matter():
    X, _ = mixture(5, 32, 0.5, n=120)
    assert estimate_sphere_birth_cost(X, 0) == estimate_sphere_birth_cost(np.tile(X, (3, 1)), 0)


def test_a_common_direction_raises_the_chance_level():
    X, _ = mixture(30, 64, 0.9)
    common = np.zeros(64, dtype=np.float32)
    common[0] = 2.0
    assert chance_of(X[:500]).mean == 0.0
    chance = chance_of(unit(X[:500] + common))
    assert 0.6 < chance.mean < 0.9
    assert chance.deviation < 1 / 8


def test_the_equal_error_of_a_tiny_case():
    # Own cosines: four times 0, four times 1. Other cosines: 0, 0, 1, 1 and four times sqrt(1/2).
    first, second = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    sample = np.array([first, second, first, second, *[second] * 4], dtype=np.float32)
    centers = np.array([[np.sqrt(0.5), np.sqrt(0.5), 0], [0, 1, 0]])
    clustering = Clustering(np.repeat([0, 1], 4), centers @ sample.T, np.array([4, 4]))
    assert equal_error(pairs_of(sample), clustering) == 0.5
    one = Clustering(np.zeros(8, dtype=np.int64), centers[:1] @ sample.T, np.array([8]))
    assert equal_error(pairs_of(sample), one) == np.inf


@pytest.mark.parametrize("birth", [0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("max_iter", [1, 2, 20])
def test_cosines_of_pairs_give_the_clusters_of_the_rows(birth, max_iter):
    for n_clusters, d, noise in [(3, 4, 1.5), (30, 40, 1.2), (100, 100, 0.8)]:
        X, _ = mixture(n_clusters, d, noise, n=400, equal=False)
        pairs = pairs_of(X)
        slots, cosines, sizes = descend_gram(pairs.cosines, pairs.tolerance, birth, 7, max_iter)
        expected = descend_directions(X, birth=birth, seed=7, max_iter=max_iter)
        number = np.full(len(sizes), -1)
        number[slots] = expected[0]
        assert np.array_equal(number[slots], expected[0])
        assert np.array_equal(sizes, expected[2][number])
        assert cosines == pytest.approx(expected[1][number] @ X.T, abs=1e-5)
