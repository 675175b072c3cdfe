"""A descent over chunks equals the local one, bit for bit, for any cut of the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("distributed")

from dynmeans._core import shift_rows
from dynmeans.distributed import _deduplicate as deduplication
from dynmeans.distributed._tasks import read_chunk
from serial_client import check_equal

SELECTED = 7.75  # four features of this value have a hash that is selected


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


@given(
    st.integers(0, 2**32), st.integers(1, 3000), st.sampled_from([1, 2, 3, 20]), st.integers(0, 6), st.data()
)
@settings(max_examples=40, deadline=None)
def test_any_cuts_give_the_local_result(seed, n, d, n_old, data):
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    rows = clustered_rows(seed, n, d, dtype, spread=data.draw(st.sampled_from([0.05, 0.3, 1.0])))
    cuts = data.draw(st.lists(st.integers(0, n), max_size=4))
    weights = None
    if data.draw(st.booleans()):
        weights = np.random.default_rng(seed).uniform(0.1, 3.0, n)
    check_equal(rows, weights, prior_of(seed, d, n_old), cuts, seed=seed)


def test_strided_visiting_order():
    n = 70_001  # more rows than are shuffled
    rows = clustered_rows(5, n, 3, np.float32)
    check_equal(rows, None, prior_of(5, 3, 4), [1, 30_000, 30_001, 65_000], seed=7)


@pytest.mark.parametrize("seed", [0, 1])
def test_wide_rows_give_the_local_result(seed):
    """Messages of more than 100 kB are not arguments of `Client.map`."""
    rows = clustered_rows(seed, 60, 13_000, np.float32)
    rows[:, :4] = SELECTED if seed else 0.5
    check_equal(rows, None, prior_of(seed, 13_000, 2), [20, 41], seed=1, birth=600.0, n_restarts=1)


def test_passes_end_at_max_iter():
    rows = clustered_rows(3, 5000, 2, np.float64, spread=1.0)
    check_equal(rows, None, prior_of(3, 2, 2), [2000], seed=1, max_iter=3)


@given(st.integers(0, 2**32), st.integers(1, 3000), st.sampled_from([1, 2, 6]), st.data())
@settings(max_examples=40, deadline=None)
def test_repeated_rows_give_the_local_result(seed, n, d, data):
    """Counts and quantized readings: equal rows in one chunk and in several, in one bucket and in several."""
    random = np.random.default_rng(seed)
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    grid = data.draw(st.sampled_from([0.01, 0.2, 1.0]))
    rows = (np.round(clustered_rows(seed, n, d, np.float64) / grid) * grid).astype(dtype)
    rows[random.random(n) < 0.1] *= -0.0
    weights = data.draw(
        st.sampled_from([None, random.integers(1, 9, n).astype(float), 10.0 ** random.uniform(0, 15, n)])
    )
    cuts = data.draw(st.lists(st.integers(0, n), max_size=4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deduplication, "BUCKET", data.draw(st.sampled_from([1 << 22, 100])))
        patch.setattr(deduplication, "SMALL_CHUNK", data.draw(st.sampled_from([1 << 16, 1])))
        check_equal(rows, weights, prior_of(seed, d, 3), cuts, seed=seed)


@pytest.mark.parametrize("n_distinct", [2, 40, 2000, 4000])
def test_large_batches_merge_repeats_as_the_local_estimator(n_distinct):
    """Equal rows are merged if they are at least half of a batch; few of them are not."""
    random = np.random.default_rng(n_distinct)
    rows = clustered_rows(0, n_distinct, 2, np.float64)[random.integers(0, n_distinct, 6000)]
    check_equal(rows, None, prior_of(1, 2, 3), [2500, 2501, 4000], seed=2)


@pytest.mark.parametrize("value", [0.5, SELECTED])
def test_repeated_fractions_of_a_point_have_the_local_shift(value):
    """Rows of weight less than 1 are not merged; none or all of them may be selected for the shift."""
    random = np.random.default_rng(0)
    rows = clustered_rows(0, 30, 6, np.float32)[random.integers(0, 30, 20_000)]
    rows[:, :4] = value  # the features whose hash selects rows
    assert len(shift_rows(rows, len(rows))) == (len(rows) if value == SELECTED else 0)
    check_equal(rows, random.uniform(0.1, 2, 20_000), prior_of(1, 6, 3), [9000], seed=2)


def test_masked_entries_of_a_partition_are_refused():
    rows, weights = np.ones((3, 2)), np.ma.MaskedArray(np.ones(3), mask=[True, False, False])
    masked = np.ma.MaskedArray(rows, mask=rows > 0)
    with pytest.raises(ValueError, match="partition 4: X must have no masked entries"):
        read_chunk(masked, None, "f8", 4)
    with pytest.raises(ValueError, match="partition 4: sample_weight must have no masked entries"):
        read_chunk(rows, weights, "f8", 4)
