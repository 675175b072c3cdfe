"""A descent over chunks equals the local one, bit for bit, however the rows are cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("distributed")

import itertools

from dynmeans._core import descend, mean_of_rows
from dynmeans.distributed import tasks
from dynmeans.distributed.descent import run_restarts
from dynmeans.distributed.messages import StepSetup, merge_replies

BIRTH = 0.5


def clustered_rows(seed, n, d, dtype, spread=0.2):
    random = np.random.default_rng(seed)
    centers = random.normal(size=(12, d)) * 2 + 100
    return (centers[random.integers(0, 12, n)] + spread * random.normal(size=(n, d))).astype(dtype)


def prior_of(seed, d, n_old):
    random = np.random.default_rng(seed + 1)
    return (
        random.normal(size=(n_old, d)) * 2 + 100,
        random.uniform(0.5, 9, n_old),
        random.uniform(0, 0.4, n_old),
    )


def descend_in_chunks(rows, weights, prior, cuts, *, seed, n_restarts, max_iter=100):
    """Run the tasks of a descent one after another in this process."""
    edges = [0, *sorted(cuts), len(rows)]
    spans = list(itertools.pairwise(edges))
    chunks = [tasks.Chunk(rows[a:b], None if weights is None else weights[a:b]) for a, b in spans]
    shift = mean_of_rows(np.concatenate([tasks.select_shift_rows(chunk, len(rows)) for chunk in chunks]))
    scale = tasks.merge_scales([tasks.measure_terms(chunk, shift) for chunk in chunks][::-1])
    setup = StepSetup(scale, len(rows), *prior, BIRTH, seed, 3)
    outcomes = [None] * len(chunks)

    def run_round(commands):
        outcomes[:] = [
            tasks.run_round(chunk, before, a, setup, commands)
            for chunk, before, (a, _) in zip(chunks, outcomes, spans, strict=True)
        ]
        return merge_replies([outcome.replies for outcome in outcomes][::-1])

    results = run_restarts(setup, n_restarts, max_iter, run_round)
    best = int(np.argmin([result.cost for result in results]))
    slots = np.concatenate([outcome.states[best].labels for outcome in outcomes])
    return results[best], results[best].numbers[slots], [result.cost for result in results]


def check_equal(rows, weights, prior, cuts, *, seed, n_restarts=2, max_iter=100):
    slots, centers, slot_weights, cost, n_iter, costs = descend(
        rows, weights, *prior, BIRTH, seed, 3, n_restarts, max_iter, 1
    )
    result, found, found_costs = descend_in_chunks(
        rows, weights, prior, cuts, seed=seed, n_restarts=n_restarts, max_iter=max_iter
    )
    assert np.array_equal(found, slots)
    assert np.array_equal(result.centers, centers)
    assert np.array_equal(result.slot_weights, slot_weights)
    assert (result.cost, result.n_iter, found_costs) == (cost, n_iter, costs.tolist())


@given(
    st.integers(0, 2**32), st.integers(1, 3000), st.sampled_from([1, 2, 3, 20]), st.integers(0, 6), st.data()
)
@settings(max_examples=40, deadline=None)
def test_any_cuts_give_the_local_result(seed, n, d, n_old, data):
    dtype = np.float64 if d == 1 else data.draw(st.sampled_from([np.float32, np.float64]))  # no equal rows
    rows = clustered_rows(seed, n, d, dtype, spread=data.draw(st.sampled_from([0.05, 0.3, 1.0])))
    cuts = data.draw(st.lists(st.integers(0, n), max_size=4))
    weights = None
    if data.draw(st.booleans()):
        weights = np.random.default_rng(seed).uniform(0.1, 3.0, n)
    check_equal(rows, weights, prior_of(seed, d, n_old), cuts, seed=seed)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_strided_visiting_order(dtype):
    n = 70_001  # more rows than are shuffled
    rows = clustered_rows(5, n, 3, dtype)
    check_equal(rows, None, prior_of(5, 3, 4), [1, 30_000, 30_001, 65_000], seed=7)


def test_passes_end_at_max_iter():
    rows = clustered_rows(3, 5000, 2, np.float64, spread=1.0)
    check_equal(rows, None, prior_of(3, 2, 2), [2000], seed=1, max_iter=3)
