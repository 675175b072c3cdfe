import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

import align_twins
from align_twins import scene_between
from dynmeans.datasets import moving_rings
from dynmeans.kernels import Diffusion, KernelInput, first_input
from dynmeans.kernels._estimation.density import is_stationary
from dynmeans.kernels._geometry.diffusion_maps import leading_eigenpairs, shared_neighbors
from dynmeans.kernels.diffusion import SHAPES
from kernel_twins import make_scene, scenes, slow_neighbors
from strategies import seeds


def slow_graph(rows, k):
    """The graph, one pair of rows at a time."""
    n = len(rows)
    order = np.stack([slow_neighbors(rows, i, k) for i in range(n)])
    near = [set(order[i, : k + 1]) for i in range(n)]
    graph = np.zeros((n, n))
    for i in range(n):
        for j in near[i] - {i}:
            if i in near[j]:
                graph[i, j] += (len(near[i] & near[j]) / len(near[i] | near[j])) ** 2
        graph[i, order[i, 1]] += 1e-4
        graph[order[i, 1], i] += 1e-4
    return graph


def slow_heat(rows, k, time):
    """The heat kernel with unit diagonal, from all eigenpairs."""
    graph = slow_graph(rows, k)
    root = np.sqrt(graph.sum(axis=1))
    values, vectors = np.linalg.eigh(graph / root / root[:, None])
    kernel = (vectors * np.exp(-time * (1 - values))) @ vectors.T
    length = np.sqrt(kernel.diagonal())
    return kernel / length / length[:, None]


def kernel_of(similarity):
    return similarity.features @ similarity.features.T


@given(seeds, st.integers(8, 60), st.integers(2, 7))
@settings(max_examples=50, deadline=None)
def test_the_graph_is_that_of_the_slow_twin(seed, n, k):
    rows = np.random.default_rng(seed).normal(size=(n, 2))
    np.testing.assert_allclose(shared_neighbors(rows, k).toarray(), slow_graph(rows, k), atol=1e-12)


@pytest.mark.parametrize("n", [40, 200])
def test_with_all_eigenvectors_features_give_the_heat_kernel(n):
    rows = np.random.default_rng(n).normal(size=(n, 2))
    kernel = Diffusion(n_neighbors=6, rank=n, time=20.0)
    np.testing.assert_allclose(
        kernel_of(kernel.compare(first_input(rows))), slow_heat(rows, 6, 20.0), atol=1e-8
    )


@pytest.mark.parametrize("n_pieces", [1, 2, 5])
def test_lanczos_finds_the_eigenpairs_of_lapack_however_many_pieces_there_are(n_pieces):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 2)) + 100.0 * (np.arange(400) % n_pieces)[:, None]
    graph = shared_neighbors(rows, 12)
    values, vectors = leading_eigenpairs(graph, np.ones(400), 20)
    root = np.sqrt(graph.sum(axis=1))
    spread = graph.toarray() / root / root[:, None]
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(spread)[-20:], atol=1e-8)
    np.testing.assert_allclose(spread @ vectors, vectors * values, atol=1e-4)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(20), atol=1e-6)


@given(scenes(), st.sampled_from([0.0, 0.2, 0.9]))
@settings(max_examples=200, deadline=None)
def test_rows_have_unit_length_and_old_clusters_the_length_of_memory(inputs, memory):
    similarity = Diffusion(memory=memory).compare(inputs)
    np.testing.assert_allclose(np.linalg.norm(similarity.features, axis=1), 1.0, atol=1e-9)
    np.testing.assert_array_equal(similarity.diagonal, 1.0)
    np.testing.assert_allclose(
        similarity.phi_features @ similarity.phi_features.T, memory * np.eye(inputs.n_old), atol=1e-12
    )
    np.testing.assert_allclose(similarity.phi_phi, memory)
    np.testing.assert_allclose(similarity.y_phi, similarity.features @ similarity.phi_features.T)
    np.testing.assert_array_equal(similarity.weights, inputs.weights)


def test_the_past_takes_the_share_of_memory_where_it_explains_a_row():
    inputs = scene_between(moving_rings(2, random_state=0), 1)
    h, background = 0.03, background_of(inputs.rows, 0.03)
    past = align_twins.explained(
        inputs.rows, inputs.kept, inputs.coefficients, inputs.owner, inputs.n_old, h, background
    )
    similarity = Diffusion(memory=0.3, bandwidth=h, shapes=3).compare(inputs)
    known = past.sum(axis=1)
    points = np.concatenate([inputs.rows, inputs.kept[is_stationary(inputs)]])
    heat = kernel_of(Diffusion(shapes=3).compare(first_input(points)))[: len(known), : len(known)]
    direction = past / np.linalg.norm(past, axis=1, keepdims=True)
    expected = np.sqrt(np.outer(1 - 0.3 * known, 1 - 0.3 * known)) * heat
    expected += 0.3 * np.sqrt(np.outer(known, known)) * (direction @ direction.T)
    np.testing.assert_allclose(kernel_of(similarity), expected, atol=1e-5)
    np.testing.assert_allclose(similarity.y_phi, 0.3 * np.sqrt(known)[:, None] * direction, atol=1e-5)


def background_of(rows, h):
    """Three per cent of outliers, spread evenly over a square of the variance of the batch."""
    return 0.03 / 0.97 * 2 * np.pi * h**2 / (12 * rows.var(axis=0).mean())


def test_support_points_join_the_graph_if_their_cluster_is_in_place():
    shares = []
    for seed in range(8):
        inputs = scene_between(moving_rings(2, motion=0.0, random_state=seed), 1)
        away = inputs._replace(kept=inputs.kept + np.where(inputs.owner == 1, 0.12, 0.0)[:, None])
        assert not is_stationary(away)[away.owner == 1].any()
        others = inputs.owner != 1
        np.testing.assert_array_equal(is_stationary(away)[others], is_stationary(inputs)[others])
        shares.append(is_stationary(inputs).mean())
    assert np.mean(shares) > 0.7


def test_support_points_in_place_make_few_rows_of_a_ring_alike():
    gains = []
    for seed in range(8):
        stream = moving_rings(2, motion=0.0, n_points=150, random_state=seed)
        same = stream.labels[1][:, None] == stream.labels[1]
        alone = kernel_of(Diffusion().compare(first_input(stream.batches[1])))
        combined = kernel_of(Diffusion(memory=0.0).compare(scene_between(stream, 1)))
        gains.append(
            combined[same].mean() - combined[~same].mean() - alone[same].mean() + alone[~same].mean()
        )
    assert np.median(gains) > 0


def test_rows_of_one_ring_are_alike_and_of_two_rings_are_not():
    for seed in range(5):
        stream = moving_rings(1, random_state=seed)
        kernel = kernel_of(Diffusion().compare(first_input(stream.batches[0])))
        same = stream.labels[0][:, None] == stream.labels[0]
        assert np.median(kernel[same]) > 0.3
        assert np.median(np.abs(kernel[~same])) < 0.1


def test_the_largest_eigenvalues_count_the_rings():
    for seed in range(5):
        stream = moving_rings(1, random_state=seed)
        shares = np.linalg.svd(Diffusion().compare(first_input(stream.batches[0])).features)[1] ** 2 / 400
        assert np.count_nonzero(shares > 0.12) == 3


@given(seeds, st.sampled_from([1e-6, 0.5, 1e6]))
@settings(max_examples=30, deadline=None)
def test_shifts_turns_and_units_change_no_similarity(seed, scale):
    inputs = make_scene(seed, 60, 3, 3)
    turn, position = ortho_group.rvs(3, random_state=seed % 2**32), np.array([1.0, -2.0, 0.5])
    other = inputs._replace(
        rows=scale * (inputs.rows @ turn + position), kept=scale * (inputs.kept @ turn + position)
    )
    one, same = Diffusion().compare(inputs), Diffusion().compare(other)
    np.testing.assert_allclose(kernel_of(same), kernel_of(one), atol=1e-5)
    np.testing.assert_allclose(same.y_phi, one.y_phi, atol=1e-5)


def test_a_heavy_row_holds_heat_like_many():
    """On a chain of three rows, a middle row of weight m has the flow of m rows."""
    rows = np.array([[0.0], [1.0], [2.1]])
    m = np.array([1.0, 4.0, 1.0])
    graph = shared_neighbors(rows, 2)
    values, vectors = leading_eigenpairs(graph, m, 3)
    flow = graph.toarray() * m / (graph @ m)[:, None]
    np.testing.assert_allclose(np.sort(values), np.sort(np.linalg.eigvals(flow).real), atol=1e-10)
    steady = vectors[:, 0] ** 2 / np.sum(vectors[:, 0] ** 2)
    np.testing.assert_allclose(steady @ flow, steady, atol=1e-10)


def test_equal_weights_are_no_weights():
    inputs = make_scene(0, 50, 2, 0)
    one, other = (Diffusion().compare(inputs._replace(weights=np.full(50, w))) for w in (1.0, 3.0))
    np.testing.assert_allclose(kernel_of(one), kernel_of(other), atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 400])
def test_rows_at_one_position_are_similar_or_at_least_valid(n):
    inputs = KernelInput(np.full((n, 2), 7.0), np.ones(n), np.full((2, 2), 7.0), np.ones(2), np.arange(2), 2)
    similarity = Diffusion().compare(inputs)
    assert np.isfinite(similarity.features).all()
    np.testing.assert_allclose(np.linalg.norm(similarity.features, axis=1), 1.0, atol=1e-9)


def test_more_components_than_features_still_give_every_row_features():
    rows = np.repeat(np.arange(100.0), 3)[:, None] * 1e3 + np.tile([0.0, 1.0, 2.1], 100)[:, None]
    features = Diffusion(n_neighbors=2, rank=10).compare(first_input(rows)).features
    assert features.shape == (300, 10)
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), 1.0)


def test_the_same_batch_gives_the_same_bits():
    inputs = scene_between(moving_rings(2, random_state=0), 1)
    one, other = Diffusion().compare(inputs), Diffusion().compare(inputs)
    np.testing.assert_array_equal(one.features, other.features)


def test_support_points_cannot_be_compared_with_each_other():
    inputs = make_scene(0, 20, 2, 2)
    assert Diffusion().gram(inputs, np.arange(3), np.arange(2)) is None


def test_the_expected_number_of_shapes_is_estimated_once():
    rows = 30.0 * np.repeat(np.arange(5), 20)[:, None] + np.random.default_rng(0).normal(size=(100, 2))
    kernel = Diffusion().fitted(first_input(rows))
    assert kernel.shapes == 5
    assert kernel.fitted(first_input(rows[:40])) == kernel
    assert Diffusion().fitted(first_input(rows[:20])) == Diffusion(shapes=SHAPES)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors is 0; it must be an integer from 1 to 2147483647"),
        ({"rank": -1}, "rank is -1; it must be an integer from 1"),
        ({"rank": 2**64}, "rank is 18446744073709551616; it must be an integer from 1"),
        ({"shapes": 2.5}, "shapes is 2.5; it must be an integer from 1"),
        ({"time": np.inf}, "time is inf; it must be finite and above 0"),
        ({"bandwidth": 0.0}, "bandwidth is 0.0; it must be finite and above 0"),
        ({"memory": 1.0}, "memory is 1.0; it must be at least 0 and below 1"),
        ({"memory": -0.1}, "memory is -0.1; it must be at least 0 and below 1"),
    ],
)
def test_a_value_out_of_range_is_named_with_its_rule(parameters, message):
    with pytest.raises(ValueError, match=message):
        Diffusion(**parameters)
