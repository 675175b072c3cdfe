"""Properties of the relaxed problem, its eigenvectors and its bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from algorithms import kernel_reference as twin
from algorithms.kernel_reference import blobs, ideal_blocks, prior_of, steps
from algorithms.rounding_twin import embed, largest_row, round_to_labels
from dynmeans._algorithms.kernel_space import lanczos as eigenpairs
from dynmeans._algorithms.kernel_space.lanczos import Eigenpairs, Operator, lanczos_pairs
from dynmeans._algorithms.kernel_space.relaxation import relaxed
from dynmeans._core import eigenpairs as dense_pairs
from dynmeans.kernels.base import Similarity
from strategies import seeds


def literal(step):
    """Eq. ZGdefine entry by entry, with every point of weight m scaled by its root."""
    similarity, prior, _ = step
    n, k = similarity.y_phi.shape
    inner = np.zeros((n + k, n + k))
    inner[:n, :n] = twin.kernel(similarity)
    inner[:n, n:], inner[n:, :n] = similarity.y_phi, similarity.y_phi.T
    inner[n:, n:] = np.diag(similarity.phi_phi + prior.revival / prior.gammas)
    scale = np.sqrt(np.concatenate([similarity.weights, prior.gammas]))
    return scale[:, None] * inner * scale


def labels_from(spectrum, step):
    embedding = embed(spectrum.vectors, step.similarity.weights, step.prior.gammas)
    return round_to_labels(embedding, largest_row(embedding), 100).labels


@given(steps(max_rows=30, max_old=4))
@settings(max_examples=150, deadline=None)
def test_the_pairs_are_all_those_of_the_literal_matrix_above_the_birth_cost(step):
    matrix, found = literal(step), relaxed(*step)
    every = np.linalg.eigvalsh(matrix)[::-1]
    above = every[every > step.costs.birth] if every[0] > step.costs.birth else every[:1]
    np.testing.assert_allclose(found.values, above, atol=1e-8)
    np.testing.assert_allclose(matrix @ found.vectors, found.vectors * found.values, atol=1e-7)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(len(found.values)), atol=1e-7)


@given(steps(max_rows=5, max_old=3))
@settings(max_examples=400, deadline=None)
def test_no_clustering_of_a_tiny_batch_is_below_the_bound(step):
    assert relaxed(*step).lower_bound <= twin.optimum(step) + 1e-9


@given(steps(max_rows=30, max_old=4))
@settings(max_examples=100, deadline=None)
def test_the_bound_is_no_looser_than_the_sum_over_eigenvalues_above_the_birth_cost(step):
    similarity, prior, costs = step
    every = np.linalg.eigvalsh(literal(step))
    plain = similarity.weights @ similarity.diagonal + np.sum(
        prior.gammas * similarity.phi_phi + prior.revival
    )
    plain -= costs.birth * len(prior.gammas) + np.sum(np.maximum(every - costs.birth, 0.0))
    assert relaxed(*step).lower_bound >= plain - 1e-9


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=3).filter(lambda sizes: sum(sizes) <= 6),
    st.dictionaries(st.integers(0, 2), st.sampled_from([0.1, 1.0, 8.0]), max_size=2),
    st.sampled_from([0.05, 0.4, 0.9]),
)
@settings(max_examples=100, deadline=None)
def test_for_ideal_blocks_the_bound_is_the_optimum(sizes, gammas, birth):
    """Old clusters are at blocks, and revivals cost nothing, so reducing their cost changes nothing."""
    on_block = {k: (gamma, 0.0) for k, gamma in gammas.items() if k < len(sizes)}
    step = ideal_blocks(sizes, on_block, birth)
    assert relaxed(*step).lower_bound == pytest.approx(twin.optimum(step), abs=1e-6)


def test_a_birth_cost_above_every_eigenvalue_leaves_one_vector_and_an_exact_bound_for_one_block():
    step = ideal_blocks([3], {}, birth=10.0)
    found = relaxed(*step)
    np.testing.assert_allclose(found.values, [3.0])
    assert found.lower_bound == pytest.approx(10.0)


def test_sleeping_clusters_do_not_loosen_the_bound():
    """Two blocks are seen again. Three distant clusters stay asleep and cost nothing."""
    rows = np.repeat(np.eye(5), [4, 4, 0, 0, 0], axis=0)
    similarity = twin.linear(rows, np.ones(8), np.eye(5), "matrix")
    prior = prior_of(np.full(5, 0.5), np.array([0.0, 0.0, 0.3, 0.3, 0.3]))
    found = relaxed(similarity, prior, twin.costs_of(2.0))
    assert found.lower_bound == pytest.approx(0.0, abs=1e-9)


@given(seeds, st.integers(0, 4))
@settings(max_examples=15, deadline=None)
def test_dense_reduced_and_lanczos_give_the_same_values_and_labels(seed, n_old):
    step = blobs(seed, 150, n_old)
    sparse = step._replace(similarity=step.similarity._replace(matrix=csr_array(step.similarity.matrix)))
    routes = [(step, "dense"), (step, "lanczos"), (sparse, "lanczos"), (sparse, "dense")]
    routes += [(twin.as_features(step), route) for route in ("dense", "lanczos", "reduced")]
    found = [(relaxed(*one, route=route), one) for one, route in routes]
    for spectrum, one in found[1:]:
        np.testing.assert_allclose(spectrum.values, found[0][0].values, atol=1e-8)
        assert spectrum.lower_bound == pytest.approx(found[0][0].lower_bound, abs=1e-7)
        assert twin.same_partition(labels_from(spectrum, one), labels_from(found[0][0], step))


@given(steps(max_rows=40, max_old=4, form="features"))
@settings(max_examples=100, deadline=None)
def test_the_reduction_is_exact_for_features_of_any_rank(step):
    dense, reduced = relaxed(*step, route="dense"), relaxed(*step, route="reduced")
    np.testing.assert_allclose(reduced.values, dense.values, atol=1e-8)
    np.testing.assert_allclose(literal(step) @ reduced.vectors, reduced.vectors * reduced.values, atol=1e-7)


def test_a_batch_of_zeros_has_an_empty_spectrum_and_no_warning():
    zero = twin.linear(np.zeros((3, 2)), np.ones(3), np.empty((0, 2)))
    found = relaxed(zero, prior_of(np.empty(0), np.empty(0)), twin.costs_of(1.0))
    np.testing.assert_array_equal(found.vectors, np.zeros((3, 1)))
    assert found.lower_bound == pytest.approx(1.0)


@pytest.mark.parametrize("n_blocks", [3, 11, 12, 30])
def test_lanczos_finds_every_one_of_many_equal_eigenvalues(n_blocks):
    matrix = np.kron(np.eye(n_blocks), np.ones((40, 40)))
    found = lanczos_pairs(Operator(len(matrix), matrix.__matmul__), threshold=5.0, at_least=1)
    np.testing.assert_allclose(found.values, np.full(n_blocks, 40.0))
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(n_blocks), atol=1e-9)


@given(seeds, st.integers(1, 20))
@settings(max_examples=12, deadline=None)
def test_lanczos_and_lapack_agree_on_random_matrices(seed, at_least):
    rng = np.random.default_rng(seed)
    frame = np.linalg.qr(rng.normal(size=(300, 300)))[0]
    matrix = (frame * rng.uniform(-1, 1, size=300) ** 3 * 10) @ frame.T
    threshold = rng.uniform(4.0, 11.0)
    exact = Eigenpairs(*dense_pairs(matrix, threshold, at_least))
    found = lanczos_pairs(Operator(300, matrix.__matmul__), threshold, at_least) or exact
    np.testing.assert_allclose(found.values, exact.values, atol=1e-8)


def test_lanczos_declines_when_too_many_eigenvalues_are_wanted():
    assert lanczos_pairs(Operator(100, np.eye(100).__matmul__), threshold=0.5, at_least=1) is None


def test_lanczos_starts_wider_when_the_basis_is_full(monkeypatch):
    monkeypatch.setattr(eigenpairs, "MAX_BLOCKS", 2)
    matrix = blobs(0, 400, 0).similarity.matrix
    found = lanczos_pairs(Operator(400, matrix.__matmul__), threshold=20.0, at_least=1)
    np.testing.assert_allclose(found.values, dense_pairs(matrix, 20.0, 1)[0], atol=1e-8)


def test_grouping_equal_rows_changes_no_eigenvalue():
    step = twin.make_step(3, 8, 2, form="matrix", weighted=False, birth=0.5)
    similarity = step.similarity
    twice = Similarity(
        np.ones(16),
        similarity.diagonal.repeat(2),
        similarity.y_phi.repeat(2, axis=0),
        similarity.phi_phi,
        matrix=similarity.matrix.repeat(2, axis=0).repeat(2, axis=1),
    )
    copies = relaxed(twice, step.prior, step.costs)
    grouped = relaxed(similarity._replace(weights=np.full(8, 2.0)), step.prior, step.costs)
    np.testing.assert_allclose(grouped.values, copies.values)
    assert grouped.lower_bound == pytest.approx(copies.lower_bound)
