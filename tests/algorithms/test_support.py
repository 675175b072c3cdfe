"""Old centers as a few past points: the recursion, its error, and the bound of the paper's first theorem."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans._algorithms.kernel_space.support import (
    CANDIDATES,
    empty_support,
    keep_ids,
    kernel_input,
    update_support,
)
from strategies import seeds


class Gauss:
    """A bounded kernel."""

    @staticmethod
    def between(a, b):
        return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / (2 * 0.4**2))

    def gram(self, inputs, members, kept):
        points = np.concatenate([inputs.kept[kept], inputs.rows[members]])
        return self.between(points, points)


class Plain(Gauss):
    """The linear kernel."""

    @staticmethod
    def between(a, b):
        return a @ b.T


class Mute(Gauss):
    """A kernel that cannot compare support points."""

    def gram(self, inputs, members, kept):
        return None


NOTHING = empty_support(2)


class Seen(NamedTuple):
    """Rows of a cluster in one step."""

    gamma: float
    rows: np.ndarray
    weights: np.ndarray


def expanded(life):
    """Eq. phiexpansion: the points of all steps, and their coefficients; gamma is 0 in the first."""
    shares = [s.gamma / (s.gamma + s.weights.sum()) for s in life]
    coefficients = [
        s.weights / (s.gamma + s.weights.sum()) * np.prod(shares[t + 1 :]) for t, s in enumerate(life)
    ]
    return np.concatenate([s.rows for s in life]), np.concatenate(coefficients)


def distance(kernel, one, other):
    (a, x), (b, y) = one, other
    square = x @ kernel.between(a, a) @ x - 2 * x @ kernel.between(a, b) @ y + y @ kernel.between(b, b) @ y
    return np.sqrt(max(square, 0.0))


def center(support, k):
    mine = support.ids == k
    return support.rows[mine], support.coefficients[mine]


def stream(seed, kernel, tau, budget, method="greedy", weighted=False, n_steps=15):
    """Random points with random labels; after every step the support, each cluster's whole life, and errors.

    The cluster in slot s has id 7 + s. One or two of up to three clusters are active, the others sleep.
    """
    rng = np.random.default_rng(seed)
    support, lives, weight, last = empty_support(2), [], np.empty(0), np.empty(0)
    for t in range(n_steps):
        n, n_old = int(rng.integers(1, 25)), len(lives)
        slots = rng.choice(rng.integers(min(n_old + 1, 3), size=2), size=n)
        rows = rng.normal(size=(n, 2)) + slots[:, None] + 0.05 * t
        weights = rng.uniform(1.0, 3.0, size=n) if weighted else np.ones(n)
        gammas = 1 / (1 / weight + tau * (t - last))
        ids = 7 + np.arange(max(n_old, slots.max() + 1))
        taken = np.bincount(slots, weights=weights, minlength=len(ids))
        inputs = kernel_input(support, ids[:n_old], rows, weights)
        support, errors = update_support(
            support,
            inputs,
            kernel,
            slots=slots,
            ids=ids,
            gammas=gammas,
            slot_weights=taken,
            budget=budget,
            method=method,
        )
        pull = np.concatenate([gammas, np.zeros(len(ids) - n_old)])
        lives += [[] for _ in ids[n_old:]]
        for k in np.flatnonzero(taken):
            lives[k].append(Seen(pull[k], rows[slots == k], weights[slots == k]))
        weight = np.where(taken > 0, pull + taken, np.append(weight, np.zeros(len(ids) - n_old)))
        last = np.where(taken > 0, t, np.append(last, np.zeros(len(ids) - n_old)))
        yield support, {7 + k: life for k, life in enumerate(lives)}, errors


kernels = st.sampled_from([Gauss(), Plain()])


@given(seeds, kernels, st.sampled_from([0.01, 0.3, 2.0, 20.0]), st.integers(1, 12), st.booleans())
@settings(max_examples=100, deadline=None)
def test_errors_of_all_steps_stay_within_the_bound_of_the_theorem(seed, kernel, tau, budget, weighted):
    """Theorem phierrorbound: if no approximation has an error of eps, no center has eps (1 + 1/tau)."""
    eps = 0.0
    for support, lives, errors in stream(seed, kernel, tau, budget, weighted=weighted):
        eps = max(eps, errors.max())
        for k, life in lives.items():
            assert distance(kernel, center(support, k), expanded(life)) <= eps * (1 + 1 / tau) + 1e-5


@given(seeds, kernels, st.booleans())
@settings(max_examples=50, deadline=None)
def test_with_room_for_all_points_the_recursion_is_the_exact_expansion(seed, kernel, weighted):
    for support, lives, errors in stream(seed, kernel, 0.5, 10_000, weighted=weighted):
        assert (errors == 0).all()
        assert set(support.ids.tolist()) == set(lives)
        for k, life in lives.items():
            rows, coefficients = expanded(life)
            assert center(support, k)[0].tolist() == rows.tolist()
            np.testing.assert_allclose(center(support, k)[1], coefficients, rtol=1e-9)


@given(seeds, st.sampled_from(["greedy", "l1"]))
@settings(max_examples=30, deadline=None)
def test_the_reported_error_is_the_distance_between_centers_of_one_step(seed, method):
    exact = stream(seed, Gauss(), 0.5, 10_000, n_steps=1)
    for (support, _, errors), (whole, _, _) in zip(
        stream(seed, Gauss(), 0.5, 4, method, n_steps=1), exact, strict=True
    ):
        for k, error in zip(np.unique(whole.ids), errors, strict=True):
            assert error == pytest.approx(distance(Gauss(), center(support, k), center(whole, k)), abs=1e-6)


@given(seeds, st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_no_cluster_keeps_more_than_the_budget_and_sleeping_ones_keep_what_they_had(seed, budget):
    before = None
    for support, _, errors in stream(seed, Gauss(), 0.5, budget):
        assert (np.diff(support.ids) >= 0).all()
        assert np.unique(support.ids, return_counts=True)[1].max() <= budget
        assert errors.shape == np.unique(support.ids).shape
        before = support
    rows = np.array([[0.0, 0.0], [1.0, 1.0]])
    ids = np.unique(before.ids)
    new = np.append(ids, ids.max() + 1)
    taken = np.where(np.arange(len(new)) == len(ids), 2.0, 0.0)
    inputs = kernel_input(before, ids, rows, np.ones(2))
    slots = np.full(2, len(ids))
    after, _ = update_support(
        before,
        inputs,
        Gauss(),
        slots=slots,
        ids=new,
        gammas=np.ones(len(ids)),
        slot_weights=taken,
        budget=budget,
    )
    for one, other in zip(keep_ids(after, ids), before, strict=True):
        assert one.tolist() == other.tolist()


def test_moved_points_become_the_cluster_only_where_it_is_active():
    rows = np.array([[0.0, 0.0], [5.0, 5.0]])
    first = kernel_input(NOTHING, NOTHING.ids, rows, np.ones(2))
    ids = np.array([3, 8])
    support, _ = update_support(
        NOTHING,
        first,
        Gauss(),
        slots=np.array([0, 1]),
        ids=ids,
        gammas=np.empty(0),
        slot_weights=np.ones(2),
        budget=5,
    )
    inputs = kernel_input(support, ids, rows[:1] + 0.5, np.ones(1))
    moved = inputs._replace(kept=inputs.kept + 0.25)
    after, _ = update_support(
        support,
        moved,
        Gauss(),
        slots=np.array([0]),
        ids=ids,
        gammas=np.ones(2),
        slot_weights=np.array([1.0, 0.0]),
        budget=5,
    )
    assert center(after, 3)[0].tolist() == [[0.25, 0.25], [0.5, 0.5]]
    assert center(after, 8)[0].tolist() == [[5.0, 5.0]]


def test_forgotten_clusters_leave_no_point():
    *_, (support, _, _) = stream(1, Gauss(), 0.5, 5)
    assert np.unique(keep_ids(support, np.array([8])).ids).tolist() == [8]


def test_a_kernel_that_cannot_compare_support_points_samples_them_and_reports_no_error():
    unknown = 0
    for support, lives, errors in stream(2, Mute(), 0.5, 5):
        unknown += np.count_nonzero(np.isnan(errors))
        for k in lives:
            rows, coefficients = center(support, k)
            assert len(rows) <= 5
            assert coefficients.sum() == pytest.approx(1.0)
    assert unknown > 0


def test_an_even_sample_of_very_many_rows_is_used():
    n = 50 * CANDIDATES
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, 2))
    largest = []

    class Watched(Gauss):
        def gram(self, inputs, members, kept):
            largest.append(len(members) + len(kept))
            return super().gram(inputs, members, kept)

    inputs = kernel_input(NOTHING, NOTHING.ids, rows, np.ones(n))
    slots, taken = np.zeros(n, dtype=np.int64), np.array([float(n)])
    support, errors = update_support(
        NOTHING,
        inputs,
        Watched(),
        slots=slots,
        ids=np.array([4]),
        gammas=np.empty(0),
        slot_weights=taken,
        budget=40,
    )
    assert largest == [CANDIDATES]
    probe = rng.normal(size=(20, 2))
    approximate = Gauss.between(probe, support.rows) @ support.coefficients
    truth = Gauss.between(probe, rows).mean(axis=1)
    assert np.abs(approximate - truth).max() <= errors[0] < 0.1


def test_a_budget_of_nothing_is_refused():
    inputs = kernel_input(NOTHING, NOTHING.ids, np.ones((1, 2)), np.ones(1))
    slot = np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="budget must be at least 1, got 0"):
        update_support(
            NOTHING,
            inputs,
            Gauss(),
            slots=slot,
            ids=slot,
            gammas=np.empty(0),
            slot_weights=np.ones(1),
            budget=0,
        )
