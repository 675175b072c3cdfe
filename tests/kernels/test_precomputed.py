import numpy as np
import pytest
from hypothesis import given, settings

from dynmeans.kernels import Custom, KernelInput, Linear, Precomputed, first_input
from kernel_twins import assert_gram_is_part_of, assert_is_the_dense_definition, make_scene, scenes
from strategies import seeds


def scalar(a, b):
    return a @ b.T


def checked(inputs):
    Precomputed().check_input(inputs)
    return inputs


def as_matrices(inputs):
    """Return the same input as precomputed similarities."""
    matrix = np.hstack([scalar(inputs.rows, inputs.rows), scalar(inputs.rows, inputs.kept)])
    rest = (inputs.coefficients, inputs.owner, inputs.n_old)
    return checked(KernelInput(matrix, inputs.weights, scalar(inputs.kept, inputs.kept), *rest))


def start(matrix):
    none = (np.empty((0, 0)), np.empty(0), np.empty(0, dtype=int), 0)
    return checked(KernelInput(np.asarray(matrix, dtype=float), np.ones(len(matrix)), *none))


@given(scenes())
@settings(deadline=None)
def test_a_matrix_compares_like_the_kernel_that_made_it(inputs):
    given_similarity, similarity = Precomputed().compare(as_matrices(inputs)), Linear().compare(inputs)
    np.testing.assert_allclose(given_similarity.matrix, similarity.features @ similarity.features.T)
    for name in ("weights", "diagonal", "y_phi", "phi_phi"):
        np.testing.assert_allclose(getattr(given_similarity, name), getattr(similarity, name), atol=1e-12)
    members, kept = np.arange(len(inputs.rows))[::-2], np.arange(len(inputs.kept))[::-3]
    gram = Precomputed().gram(as_matrices(inputs), members, kept)
    np.testing.assert_allclose(gram, Linear().gram(inputs, members, kept), atol=1e-12)


@given(scenes(), seeds)
@settings(deadline=None)
def test_the_carried_matrix_is_that_of_the_chosen_points_in_their_order(inputs, seed):
    points = np.concatenate([inputs.kept, inputs.rows])
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(points))[: rng.integers(len(points) + 1)]
    carried = Precomputed().submatrix(as_matrices(inputs), chosen)
    np.testing.assert_allclose(carried, scalar(points[chosen], points[chosen]), atol=1e-12)


@given(scenes())
@settings(deadline=None)
def test_a_function_is_called_for_rows_and_support_points_alike(inputs):
    assert_is_the_dense_definition(
        inputs, Custom(scalar).compare(inputs), lambda points: scalar(points, points)
    )
    assert_gram_is_part_of(inputs, Custom(scalar), lambda points: scalar(points, points))


def test_a_function_is_symmetrised():
    matrix = Custom(lambda a, b: a + 0 * b.T).compare(first_input(np.array([[1.0], [3.0]]))).matrix
    np.testing.assert_array_equal(matrix, [[1.0, 2.0], [2.0, 3.0]])


def test_rounding_errors_are_accepted():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3)).astype(np.float32)
    matrix = (rows @ rows.T).astype(float)
    matrix[0, 1] *= 1 + 1e-7
    similar = Precomputed().compare(start(matrix)).matrix
    np.testing.assert_array_equal(similar, similar.T)
    assert Precomputed().compare(start(np.zeros((2, 2)))).phi_phi.shape == (0,)


@pytest.mark.parametrize(
    ("matrix", "rule"),
    [
        (np.ones((2, 3)), r"has shape \(2, 3\); it must have a column for each of its 2 rows: \(2, 2\)"),
        ([[1.0, np.nan], [0.0, 1.0]], r"holds nan at \(0, 1\); every similarity must be finite"),
        ([[1.0, 0.5], [0.2, 1.0]], r"holds 0.5 at \(0, 1\) and 0.2 at \(1, 0\); it must be symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], r"has the eigenvalue -1; it must be positive semidefinite"),
        ([[-1.0]], r"has the eigenvalue -1; it must be positive semidefinite"),
    ],
)
def test_an_invalid_kernel_matrix_is_refused(matrix, rule):
    with pytest.raises(ValueError, match=rule):
        start(np.asarray(matrix))


def test_columns_for_support_points_must_not_be_missing():
    inputs = make_scene(0, 4, 2, 2)
    kept, rest = scalar(inputs.kept, inputs.kept), (inputs.coefficients, inputs.owner, inputs.n_old)
    rule = rf"4 rows and {len(kept)} for the support points of earlier batches: \(4, {4 + len(kept)}\)"
    with pytest.raises(ValueError, match=rule):
        checked(KernelInput(np.eye(4), inputs.weights, kept, *rest))


def test_a_function_that_returns_the_wrong_shape_is_refused():
    rule = r"returned shape \(2,\); for 2 points against themselves it must return \(2, 2\)"
    with pytest.raises(ValueError, match=rule):
        Custom(lambda a, b: a[:, 0]).compare(first_input(np.ones((2, 1))))


def test_a_function_that_returns_nan_is_refused():
    with pytest.raises(ValueError, match=r"kernel function holds nan at \(0, 0\)"):
        Custom(lambda a, b: np.full((len(a), len(b)), np.nan)).compare(first_input(np.ones((2, 1))))
