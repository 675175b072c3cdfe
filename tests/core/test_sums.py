"""Sums that do not depend on the order of the rows: against exact fractions, and under permutations."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiled_descents import descend_problem, descend_rows
from dynmeans._core import cluster_sums, exact_sum
from strategies import make_problem, seeds

sizes = st.floats(0, allow_nan=False, allow_infinity=False, max_value=1e300)
scales = st.sampled_from([1e-310, 1e-150, 1e-12, 1.0, 1e12, 1e150])
quick = settings(max_examples=60, deadline=None)


@given(st.lists(sizes, max_size=60), st.integers(1, 5))
def test_exact_sum_is_rounded_once(values, n_parts):
    assert exact_sum(np.array(values, dtype=float), n_parts) == math.fsum(values)


@pytest.mark.parametrize(
    "values", [[], [5e-324] * 3, [1e308, 1e308], [math.inf, 1.0], [2.0**53, 1.0, 1e-300]]
)
def test_exact_sum_of_extremes(values):
    expected = math.inf if sum(values) == math.inf else math.fsum(values)
    assert exact_sum(np.array(values, dtype=float)) == expected


def make_rows(seed, n, d, scale, *, outlier, weighted, dtype):
    rng = np.random.default_rng(seed)
    X = scale * (rng.normal(size=(n, d)) + 100 * rng.normal(size=d))
    if outlier:
        X[rng.integers(n)] *= 1e9
    weights = 10.0 ** rng.integers(-9, 9, size=n) * rng.uniform(size=n) if weighted else None
    return X.astype(dtype), weights, rng.integers(4, size=n).astype(np.int32), rng


@quick
@given(seeds, st.integers(1, 600), st.integers(1, 20), scales, st.booleans(), st.booleans(), st.booleans())
def test_sums_do_not_depend_on_order_or_parts(seed, n, d, scale, outlier, weighted, narrow):
    dtype = np.float32 if narrow and 1e-13 < scale < 1e13 else np.float64
    X, weights, labels, rng = make_rows(seed, n, d, scale, outlier=outlier, weighted=weighted, dtype=dtype)
    order = rng.permutation(n)
    one = cluster_sums(X, weights, labels, 4)
    other = cluster_sums(X[order], None if weights is None else weights[order], labels[order], 4, 1 + n // 7)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.view(np.uint64), b.view(np.uint64))


@quick
@given(seeds, st.integers(1, 300), st.integers(1, 3), scales, st.booleans(), st.booleans())
def test_sums_are_those_of_fractions(seed, n, d, scale, outlier, weighted):
    X, weights, labels, _ = make_rows(seed, n, d, scale, outlier=outlier, weighted=weighted, dtype=np.float64)
    m = np.ones(n) if weights is None else weights
    shift, sums, taken = cluster_sums(X, weights, labels, 4)
    terms = m[:, None] * (X - shift)
    for k in range(4):
        assert_near(taken[k], m[labels == k], m)
        for j in range(d):
            assert_near(sums[k, j], terms[labels == k, j], terms[:, j])


def assert_near(found, terms, column):
    """The last fold reaches 2^-54 times the largest term of a column and 2^-32 times the smallest."""
    resolution = min(
        2.0**-54 * np.abs(column).max(), 2.0**-32 * np.abs(column[column != 0]).min(initial=np.inf)
    )
    tolerance = 1e-15 * np.abs(terms).sum() + len(terms) * resolution
    assert found == pytest.approx(float(sum(map(Fraction, terms))), rel=0, abs=tolerance)


def test_subnormal_weights_beside_ordinary_ones():
    X, weights = np.array([[1.0], [3.0], [7.0]]), np.array([1e-320, 3e-320, 1.0])
    _, sums, taken = cluster_sums(X, weights, np.array([0, 0, 1], dtype=np.int32), 2)
    assert taken.tolist() == [1e-320 + 3e-320, 1.0]
    assert np.isfinite(sums).all()


@quick
@given(seeds, st.integers(1, 400), st.integers(1, 20), st.booleans())
def test_removing_a_row_undoes_adding_it(seed, n, d, weighted):
    """The running sums of the descent equal new sums over its labels."""
    p = make_problem(seed, n, d, 3, weighted=weighted)
    weights = p.weights if weighted else None
    slots, centers, taken, *_ = descend_problem(p, weights=weighted, seed=seed)
    if len(np.unique(p.X, axis=0)) < n:
        return
    shift, sums, afresh = cluster_sums(p.X, weights, slots, len(taken))
    active = taken > 0
    np.testing.assert_array_equal(taken, afresh)
    gamma = np.r_[p.gamma, np.zeros(len(taken) - 3)][:, None]
    phi = np.vstack([p.phi - shift, np.zeros((len(taken) - 3, d))])
    expected = (gamma * phi + sums) * (1 / (gamma + taken[:, None])) + shift
    np.testing.assert_array_equal(centers[active], expected[active])


def separate_blobs(seed, n, d, dtype):
    """Blobs so far apart that every visiting order finds them."""
    rng = np.random.default_rng(seed)
    X = 100 * rng.permutation(12)[rng.integers(12, size=n), None] + rng.uniform(size=(n, d))
    return X.astype(dtype), rng


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("weighted", [False, True])
def test_order_of_rows_changes_no_bit(dtype, d, weighted):
    n = 3000
    X, rng = separate_blobs(0, n, d, dtype)
    weights = rng.uniform(0.5, 3, size=n) if weighted else None
    order = rng.permutation(n)
    one = descend_rows(X, weights, birth=500.0, n_restarts=2)
    other = descend_rows(X[order], None if weights is None else weights[order], birth=500.0, n_restarts=2)
    assert one[0][order].tolist() == other[0].tolist()
    for a, b in zip(one[1:4], other[1:4], strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("d", [3, 20])
def test_threads_change_no_bit(d):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, d)).astype(np.float32)
    weights = rng.uniform(0.1, 3, size=len(X))
    one, *others = [
        descend_rows(X, weights, birth=4.0 * d, max_iter=20, n_threads=n_threads) for n_threads in (1, 2, 3)
    ]
    for other in others:
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)
