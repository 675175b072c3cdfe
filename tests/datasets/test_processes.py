from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.datasets import gaussian_processes

FUNCTIONS = (lambda x: x, lambda x: -x, np.sin, np.cos)


@given(st.integers(1, 4), st.integers(1, 30), st.integers(1, 10), st.integers(0, 2**32))
@settings(deadline=None)
def test_rows_are_inputs_in_the_unit_interval_then_outputs_of_their_function(n_steps, sets, p, seed):
    stream = gaussian_processes(n_steps, sets_per_step=sets, n_observations=p, noise=0.0, random_state=seed)
    assert len(stream.batches) == len(stream.labels) == len(stream.centers) == n_steps
    for batch, labels in zip(stream.batches, stream.labels, strict=True):
        assert batch.shape == (sets, 2 * p)
        assert labels.shape == (sets,)
        assert labels.dtype == np.int64
        inputs, outputs = np.split(batch, 2, axis=1)
        assert inputs.min() >= 0
        assert inputs.max() <= 1
        for x, y, label in zip(inputs, outputs, labels, strict=True):
            np.testing.assert_array_equal(y, FUNCTIONS[label](x))


def test_the_defaults_are_the_experiment_of_the_paper():
    stream = gaussian_processes(random_state=0)
    assert np.shape(stream.batches) == (10, 100, 60)
    labels, rows = np.concatenate(stream.labels), np.concatenate(stream.batches)
    np.testing.assert_allclose(np.bincount(labels) / 1000, 0.25, atol=0.05)
    inputs, outputs = np.split(rows, 2, axis=1)
    errors = outputs - np.stack([f(inputs) for f in FUNCTIONS])[labels, np.arange(1000)]
    assert errors.std() == pytest.approx(0.2, rel=0.02)
    assert abs(errors.mean()) < 0.01


def test_every_set_has_an_interval_of_its_own():
    inputs = np.concatenate(gaussian_processes(n_observations=500, random_state=0).batches)[:, :500]
    low, high = inputs.min(axis=1), inputs.max(axis=1)
    # The ends are the smaller and the larger of two uniform numbers.
    assert low.mean() == pytest.approx(1 / 3, abs=0.03)
    assert high.mean() == pytest.approx(2 / 3, abs=0.03)
    middle = (inputs.mean(axis=1) - low) / (high - low)
    assert middle.mean() == pytest.approx(0.5, abs=0.01)


def test_centers_are_the_functions_that_occur_on_a_grid_of_two_hundredths():
    stream = gaussian_processes(20, sets_per_step=3, random_state=0)
    for labels, centers in zip(stream.labels, stream.centers, strict=True):
        grid = np.arange(51) * 0.02
        np.testing.assert_allclose(centers, [FUNCTIONS[k](grid) for k in np.unique(labels)], atol=1e-12)


@given(st.integers(0, 2**32))
@settings(max_examples=10)
def test_a_seed_gives_the_same_stream_again(seed):
    first, second = (gaussian_processes(3, random_state=seed) for _ in range(2))
    for left, right in zip(first, second, strict=True):
        for one, other in zip(left, right, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["n_steps", "sets_per_step", "n_observations"])
@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (2.0, TypeError), (True, TypeError)])
def test_counts_are_whole_numbers_of_at_least_one(name, value, error):
    with pytest.raises(error, match=f"{name} is {value}; it must be"):
        gaussian_processes(**{name: value})


@pytest.mark.parametrize("noise", [-0.1, np.nan, np.inf])
def test_noise_is_finite_and_not_negative(noise):
    with pytest.raises(ValueError, match="noise is .*; it must be finite and at least 0"):
        gaussian_processes(noise=noise)
