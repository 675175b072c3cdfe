import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from dynmeans.kernels import RBF, first_input
from kernel_twins import assert_gram_is_part_of, assert_is_the_dense_definition, make_scene, scenes
from strategies import seeds


def gaussian(bandwidth):
    return lambda points: np.exp(-(cdist(points, points) ** 2) / (2 * bandwidth**2))


@given(scenes(), st.sampled_from([0.02, 0.3, 5.0]))
@settings(deadline=None)
def test_is_gaussian_in_the_distance(inputs, bandwidth):
    assert_is_the_dense_definition(inputs, RBF(bandwidth).compare(inputs), gaussian(bandwidth))
    assert_gram_is_part_of(inputs, RBF(bandwidth), gaussian(bandwidth))


@given(scenes(), st.sampled_from([0.02, 0.1, 0.3]))
@settings(deadline=None)
def test_with_every_point_a_landmark_features_give_the_dense_kernel(inputs, bandwidth):
    similarity = RBF(bandwidth, landmarks=200).compare(inputs)
    everything = gaussian(bandwidth)(inputs.rows)
    np.testing.assert_allclose(similarity.features @ similarity.features.T, everything, atol=1e-7)
    dense = RBF(bandwidth).compare(inputs)
    np.testing.assert_allclose(similarity.y_phi, dense.y_phi, atol=1e-6)
    np.testing.assert_allclose(similarity.phi_phi, dense.phi_phi, atol=1e-6)
    np.testing.assert_allclose(similarity.diagonal, 1.0, atol=1e-7)


def test_few_landmarks_never_exceed_the_kernel_and_improve_with_their_number():
    inputs = make_scene(0, 300, 2, 2)
    dense = gaussian(0.1)(inputs.rows)
    missing = []
    for count in (2, 10, 50):
        features = RBF(0.1, landmarks=count).compare(inputs).features
        assert features.shape[1] <= count
        left = dense - features @ features.T
        assert np.linalg.eigvalsh(left)[0] > -1e-7
        missing.append(np.trace(left))
    assert missing[0] > 1.5 * missing[1] > 6 * missing[2]


def test_landmarks_find_every_blob_however_small():
    rng = np.random.default_rng(0)
    sizes = np.array([1500, 300, 40, 10, 4])
    rows = np.repeat(10.0 * np.arange(5), sizes)[:, None] + 0.1 * rng.normal(size=(sizes.sum(), 1))
    assert RBF(1.0, landmarks=12).compare(first_input(rows)).diagonal.min() > 0.5


def test_large_batches_take_landmarks_and_small_ones_a_matrix():
    inputs = make_scene(0, 60, 2, 2)
    assert RBF(0.2, max_dense=60).compare(inputs).features is None
    large = RBF(0.2, max_dense=59).compare(inputs)
    assert large.matrix is None
    np.testing.assert_allclose(large.features @ large.features.T, gaussian(0.2)(inputs.rows), atol=1e-6)


def test_support_points_far_from_all_rows_are_represented_by_landmarks():
    inputs = make_scene(0, 50, 2, 1)._replace(
        kept=np.full((1, 2), 9.0), owner=np.zeros(1, int), coefficients=np.ones(1)
    )
    assert RBF(0.2, landmarks=20).compare(inputs).phi_phi == pytest.approx(1.0)


@given(scenes())
@settings(deadline=None)
def test_is_positive_semidefinite(inputs):
    assert np.linalg.eigvalsh(RBF().compare(inputs).matrix)[0] > -1e-9


@given(seeds, st.sampled_from([1e-6, 0.5, 3.0, 1e8]))
@settings(deadline=None)
def test_estimated_bandwidth_follows_the_scale_of_the_rows_and_no_shift(seed, scale):
    inputs = make_scene(seed, 60, 2, 0)
    width = RBF().fitted(inputs).bandwidth
    scaled = RBF().fitted(inputs._replace(rows=scale * (inputs.rows + 1.0))).bandwidth
    assert scaled == pytest.approx(scale * width, rel=1e-6)


@given(seeds)
@settings(deadline=None)
def test_estimated_bandwidth_ignores_copies(seed):
    rows = make_scene(seed, 40, 2, 0).rows
    copied = first_input(rows, np.full(len(rows), 3.0))
    assert RBF().fitted(copied) == RBF().fitted(first_input(rows))


def test_estimated_bandwidth_lies_between_the_size_of_clusters_and_the_space_between_them():
    rng = np.random.default_rng(0)
    rows = 10.0 * rng.integers(5, size=(500, 2)) + rng.normal(size=(500, 2))
    assert 1.0 < RBF().fitted(first_input(rows)).bandwidth < 10.0


def test_fitting_happens_once():
    first, second = make_scene(0, 30, 2, 0), make_scene(1, 30, 2, 0)
    kernel = RBF().fitted(first)
    assert kernel.fitted(second) == kernel
    np.testing.assert_array_equal(RBF().compare(first).matrix, kernel.compare(first).matrix)


@pytest.mark.parametrize("n", [1, 5])
def test_equal_rows_leave_the_bandwidth_open_and_are_alike(n):
    inputs = first_input(np.full((n, 2), 0.3))
    assert RBF().fitted(inputs) == RBF()
    assert (RBF().compare(inputs).matrix == 1.0).all()


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan])
def test_the_bandwidth_must_be_finite_and_above_zero(value):
    with pytest.raises(ValueError, match=r"bandwidth is .*; it must be finite and above 0"):
        RBF(bandwidth=value)


@pytest.mark.parametrize("field", ["landmarks", "max_dense"])
@pytest.mark.parametrize("value", [0, -1, 2.5, np.inf, np.nan, 2**40])
def test_counts_must_be_integers(field, value):
    with pytest.raises(ValueError, match=f"{field} is .*; it must be an integer from 1 to"):
        RBF(**{field: value})
