import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.datasets import gaussian_processes
from dynmeans.kernels import GaussianProcess, first_input, gaussian_process
from kernel_twins import assert_gram_is_part_of, assert_is_the_dense_definition, make_scene, same_process
from strategies import seeds


@given(seeds, st.integers(1, 5), st.integers(1, 16), st.integers(0, 2), st.sampled_from([0.1, 0.2, 1.0]))
@settings(max_examples=40, deadline=None)
def test_is_the_probability_of_the_literal_twin(seed, n, p, n_old, noise):
    inputs, kernel = make_scene(seed, n, 2 * p, n_old), GaussianProcess(0.4, 0.7, noise)

    def pairwise(points):
        return same_process(points, 0.4, 0.7, noise)

    assert_is_the_dense_definition(inputs, kernel.compare(inputs), pairwise, near=1e-7)
    assert_gram_is_part_of(inputs, kernel, pairwise, near=1e-7)


@pytest.mark.parametrize("noise", [0.2, 0.02, 0.001])
@pytest.mark.parametrize("length_scale", [0.01, 0.3, 1.0, 20.0])
def test_few_coordinates_of_a_smooth_function_give_the_kernel_of_whole_covariances(
    length_scale, noise, monkeypatch
):
    rows = gaussian_processes(1, sets_per_step=20, noise=noise, random_state=0).batches[0]
    kernel = GaussianProcess(length_scale, noise=noise)
    quick = kernel.compare(first_input(rows)).matrix
    monkeypatch.setattr(GaussianProcess, "_features", lambda self, x: None)
    np.testing.assert_allclose(quick, kernel.compare(first_input(rows)).matrix, atol=1e-6)


def test_smooth_functions_have_few_coordinates_and_rough_ones_too_many():
    inputs = np.random.default_rng(0).random((50, 30))
    assert GaussianProcess(1.0)._features(inputs).shape[2] < 10
    assert GaussianProcess(0.01)._features(inputs) is None
    assert GaussianProcess(1.0, noise=1e-6)._features(inputs) is None


def test_blocks_of_pairs_change_nothing(monkeypatch):
    inputs = first_input(gaussian_processes(1, sets_per_step=12, random_state=0).batches[0])
    whole = GaussianProcess().compare(inputs).matrix
    monkeypatch.setattr(gaussian_process, "BLOCK", 7 * 10 * 10)
    np.testing.assert_allclose(GaussianProcess().compare(inputs).matrix, whole, rtol=1e-12)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_is_symmetric_and_a_probability(seed):
    inputs = first_input(gaussian_processes(1, sets_per_step=15, random_state=seed).batches[0])
    matrix = GaussianProcess().compare(inputs).matrix
    np.testing.assert_array_equal(matrix, matrix.T)
    assert matrix.min() >= 0
    assert matrix.max() <= 1


def test_sets_of_the_same_function_are_alike_and_those_of_x_and_minus_x_are_not():
    stream = gaussian_processes(1, sets_per_step=200, random_state=0)
    matrix, labels = GaussianProcess().compare(first_input(stream.batches[0])).matrix, stream.labels[0]
    same = [matrix[np.ix_(labels == k, labels == k)].mean() for k in range(4)]
    assert min(same) > 0.8
    assert matrix[np.ix_(labels == 0, labels == 1)].mean() < 0.2


def test_sets_without_information_about_each_other_have_similarity_one_half():
    rows = np.array([[0.0, 0.1, 1.0, 1.1], [500.0, 500.1, -3.0, -3.1]])
    assert GaussianProcess().compare(first_input(rows)).matrix[0, 1] == pytest.approx(0.5)


def test_evidence_beyond_the_range_of_numbers_is_no_overflow():
    x = np.linspace(0, 1, 30)
    rows = np.stack([np.r_[x, 1e4 + x], np.r_[x, -1e4 - x]])
    matrix = GaussianProcess(noise=0.01).compare(first_input(rows)).matrix
    np.testing.assert_allclose(matrix, [[1.0, 0.0], [0.0, 1.0]], atol=1e-12)


def test_rows_must_hold_as_many_outputs_as_inputs():
    with pytest.raises(ValueError, match="a row has 3 columns; it must hold p inputs, then their p outputs"):
        GaussianProcess().compare(first_input(np.zeros((2, 3))))


@pytest.mark.parametrize("field", ["length_scale", "signal", "noise"])
@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan])
def test_parameters_must_be_finite_and_above_zero(field, value):
    with pytest.raises(ValueError, match=f"{field} is .*; it must be finite and above 0"):
        GaussianProcess(**{field: value})
