import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import issparse

from dynmeans.kernels import MST, first_input, mst
from dynmeans.kernels._geometry.forest import build_forest
from kernel_twins import (
    along_the_tree,
    assert_gram_is_part_of,
    assert_is_the_dense_definition,
    make_scene,
    scenes,
)
from strategies import seeds


@given(scenes(), st.sampled_from([0.01, 0.05, 0.1, 0.5]))
@settings(max_examples=200, deadline=None)
def test_is_the_kernel_of_the_literal_twin(inputs, scale):
    def pairwise(points):
        return along_the_tree(points, scale)

    assert_is_the_dense_definition(inputs, MST(scale).compare(inputs), pairwise)
    assert_gram_is_part_of(inputs, MST(scale), pairwise)


@given(scenes(), st.sampled_from([0.01, 0.05, 0.1]))
@settings(deadline=None)
def test_the_sparse_form_is_the_dense_one_without_its_negligible_entries(inputs, scale):
    dense = MST(scale).compare(inputs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mst, "MAX_DENSE", 0)
        thin, gram = (
            MST(scale).compare(inputs),
            MST(scale).gram(inputs, np.arange(len(inputs.rows)), np.arange(0)),
        )
    assert issparse(thin.matrix)
    np.testing.assert_allclose(thin.matrix.toarray(), dense.matrix, atol=1e-11)
    np.testing.assert_allclose(gram, dense.matrix[np.ix_(dense.group, dense.group)], atol=1e-11)
    for one, other in ((thin.y_phi, dense.y_phi), (thin.phi_phi, dense.phi_phi), (thin.group, dense.group)):
        np.testing.assert_allclose(one, other, atol=1e-10)
    assert (thin.matrix.data >= 0.99e-12).all()


def test_many_components_have_a_sparse_matrix_with_few_entries():
    similarity = MST(0.9).compare(first_input(np.arange(5000.0)[:, None]))
    assert similarity.matrix.shape == (5000, 5000)
    assert similarity.matrix.nnz < 5000 * 17
    assert similarity.multiply(np.ones((5000, 1)))[2500, 0] == pytest.approx(
        np.exp(-((np.arange(-9, 10) / 0.9) ** 2) / 2).sum()
    )


def test_components_of_support_points_alone_are_no_representatives():
    inputs = make_scene(0, 2, 1, 1)._replace(
        rows=np.array([[0.0], [2.0]]),
        kept=np.array([[1.0], [9.0]]),
        coefficients=np.array([0.5, 0.5]),
        owner=np.zeros(2, dtype=int),
    )
    assert len(MST(0.5).compare(inputs).weights) == 2
    # A support point bridges the gap between the rows.
    assert len(MST(1.0).compare(inputs).weights) == 1


@given(scenes())
@settings(deadline=None)
def test_an_edge_as_long_as_the_scale_is_not_cut(inputs):
    chain = first_input(np.arange(len(inputs.rows) + 1.0)[:, None])
    assert len(MST(1.0).compare(chain).weights) == 1
    assert len(MST(1.0 - 1e-9).compare(chain).weights) == len(inputs.rows) + 1


@given(seeds, st.sampled_from([1e-6, 0.5, 3.0, 1e8]))
@settings(deadline=None)
def test_estimated_scale_follows_the_scale_of_the_rows(seed, scale):
    inputs = make_scene(seed, 60, 2, 0)
    scaled = MST().fitted(inputs._replace(rows=scale * inputs.rows))
    assert scaled.scale == pytest.approx(scale * MST().fitted(inputs).scale, rel=1e-9)
    np.testing.assert_allclose(
        scaled.compare(inputs._replace(rows=scale * inputs.rows)).matrix,
        MST().compare(inputs).matrix,
        atol=1e-6,
    )


@given(seeds)
@settings(deadline=None)
def test_estimated_scale_ignores_copies(seed):
    rows = make_scene(seed, 40, 2, 0).rows
    copied = first_input(rows, np.full(len(rows), 2.0))
    assert MST().fitted(copied) == MST().fitted(first_input(rows))


def test_estimated_scale_keeps_distant_blobs_apart_and_each_together():
    rng = np.random.default_rng(0)
    rows = 10.0 * np.repeat(np.arange(4), 200)[:, None] + rng.uniform(size=(800, 2))
    similarity = MST().compare(first_input(rows))
    assert similarity.weights.tolist() == [200.0] * 4


@pytest.mark.parametrize("n", [1, 5])
def test_equal_rows_leave_the_scale_open_and_are_one_component(n):
    inputs = first_input(np.full((n, 2), 0.3))
    assert MST().fitted(inputs) == MST()
    assert MST().compare(inputs).weights.tolist() == [n]


def test_fitting_happens_once():
    kernel = MST().fitted(make_scene(0, 30, 2, 0))
    assert kernel.fitted(make_scene(1, 30, 2, 0)) == kernel


def test_rows_changed_in_place_are_compared_afresh():
    rows = np.array([[0.0], [1.0], [9.0]])
    assert len(MST(2.0).compare(first_input(rows)).weights) == 2
    rows[2] = 2.5
    assert len(MST(2.0).compare(first_input(rows)).weights) == 1


def test_distances_beyond_all_bounds_are_no_similarity():
    similarity = MST(1e-300).compare(first_input(np.array([[-1e300], [0.0], [1e300]])))
    np.testing.assert_array_equal(similarity.matrix, np.eye(3))


def test_parents_come_before_their_children():
    forest = build_forest(make_scene(3, 200, 2, 0).rows, 0.02)
    assert forest.parent[0] == -1
    assert (forest.parent[1:] < np.arange(1, len(forest.parent))).all()
    assert (forest.length[1:] > 0.02).all()


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan])
def test_scale_must_be_finite_and_above_zero(value):
    with pytest.raises(ValueError, match="scale is .*; it must be finite and above 0"):
        MST(value)
