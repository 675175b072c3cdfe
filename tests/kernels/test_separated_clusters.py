import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from scipy.stats import ortho_group

from dynmeans import SDMeans
from dynmeans.datasets import moving_rings
from dynmeans.kernels._estimation.birth_range import birth_range
from dynmeans.kernels._estimation.separated_clusters import _scores, separated_clusters
from dynmeans.kernels._estimation.single_linkage import Tree
from dynmeans.kernels._estimation.threshold_range import widest_range
from strategies import seeds


def blobs(sizes, n_features=2, spacing=12.0, seed=0):
    """Return Gaussian blobs around the points of a shaken grid."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(len(sizes))))
    positions = rng.permutation(side**2)[: len(sizes)]
    centers = np.zeros((len(sizes), n_features))
    centers[:, :2] = spacing * np.stack([positions // side, positions % side], axis=1) + rng.uniform(
        -1, 1, (len(sizes), 2)
    )
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return centers[labels] + rng.normal(size=(len(labels), n_features)), labels


def find(rows, weights=None):
    return separated_clusters(rows, np.ones(len(rows)) if weights is None else weights)


def same_partition(a, b):
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a)) == len(set(b))


@given(seeds, st.lists(st.integers(10, 60), min_size=2, max_size=12), st.sampled_from([2, 3, 8]))
@settings(max_examples=25, deadline=None)
def test_separated_blobs_of_any_size_are_found(seed, sizes, n_features):
    rows, labels = blobs(sizes, n_features, 14.0, seed)
    found = find(rows)
    known = found.labels >= 0
    assert found.n_clusters == len(sizes)
    assert known.mean() > 0.9
    assert same_partition(found.labels[known], labels[known])
    assert found.within < found.between


@pytest.mark.parametrize("n_features", [2, 3, 256])
@pytest.mark.parametrize("n", [10, 60, 300])
def test_one_gaussian_is_one_cluster(n, n_features):
    for seed in range(5):
        assert find(np.random.default_rng(seed).normal(size=(n, n_features))).n_clusters == 1


@pytest.mark.parametrize("n", [30, 100, 300])
def test_gaps_between_even_rows_are_chance(n):
    """A line of independent rows has large gaps; 5% of the lines may be split."""
    counts = [find(np.random.default_rng(seed).random((n, 1))).n_clusters for seed in range(40)]
    assert sum(count > 1 for count in counts) <= 4


@pytest.mark.parametrize("condition", [{}, {"noise": 0.02}, {"n_points": 200, "noise": 0.02}])
def test_rings_are_whole(condition):
    counts = [find(moving_rings(1, random_state=s, **condition).batches[0]).n_clusters for s in range(20)]
    assert sum(count not in (1, 3) for count in counts) <= 2


@pytest.mark.parametrize(("seed", "noise"), [(5013, 0.02), (5015, 0.03)])
def test_diffusion_keeps_sparse_rings_whole(seed, noise):
    """Single linkage breaks the outer ring of these batches into eight pieces."""
    stream = moving_rings(1, noise=noise, random_state=seed)
    model = SDMeans("diffusion", 0.12, relative=True, refine=False, random_state=0).fit(stream.batches[0])
    assert model.n_clusters_ == 3


@given(seeds, st.sampled_from([1e-6, 3.0, 1e8]))
@settings(max_examples=20, deadline=None)
def test_shift_rotation_and_scale_change_nothing(seed, scale):
    rows, _ = blobs([20, 30, 10], seed=seed)
    moved = scale * (rows @ ortho_group.rvs(2, random_state=seed % 2**31) + 5.0)
    assert same_partition(find(rows).labels, find(moved).labels)
    assert find(moved).between == pytest.approx(scale * find(rows).between, rel=1e-6)


def test_equal_rows_are_clusters_if_there_are_few_different_ones():
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [5.0, 0.0]])
    assert find(rows[:2], np.array([30.0, 30.0])).n_clusters == 2
    assert find(rows, np.array([30.0, 30.0, 10.0])).n_clusters == 3
    assert find(rows).n_clusters == 1
    assert find(rows[:1]).n_clusters == 1


def test_rounded_coordinates_and_weights_do_not_matter():
    rows, _ = blobs([80, 80])
    positions, counts = np.unique(rows.round(), axis=0, return_counts=True)
    assert find(positions, counts.astype(float)).n_clusters == 2
    assert find(rows, np.full(160, 7.0)).n_clusters == 2


def test_large_batches_are_sampled():
    rows, labels = blobs([1500, 1500, 2000])
    found = find(rows)
    assert len(found.rows) == 2000
    assert found.n_clusters == 3
    known = found.labels >= 0
    assert same_partition(found.labels[known], labels[found.rows][known])


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_the_score_of_a_node_is_its_mean_silhouette(seed):
    rows = np.random.default_rng(seed).normal(size=(25, 2))
    merges = linkage(pdist(rows), "single")
    tree = Tree(merges[:, 0].astype(int).tolist(), merges[:, 1].astype(int).tolist(), merges[:, 2].tolist())
    scores = _scores(tree, np.ones(25), 1.0)
    paths = squareform(cophenet(merges))
    cut = fcluster(merges, merges[-3, 2], "distance")
    for name in np.unique(cut):
        inside = cut == name
        n = int(inside.sum())
        if n < 2:
            continue
        apart = paths[np.ix_(inside, inside)].sum() / n
        silhouette = n - 1.0 - apart / paths[np.ix_(inside, ~inside)].min()
        assert any(
            mass == n and best >= max(silhouette, 0.0) - 1e-9
            for mass, best in zip(scores.mass, scores.best, strict=True)
        )


@given(
    st.lists(st.floats(0.1, 10.0), min_size=1, max_size=6),
    st.lists(st.floats(0.1, 10.0), min_size=1, max_size=6),
)
def test_no_threshold_violates_fewer_bounds(lower, upper):
    low, high, n_violated = widest_range(lower, upper)
    assert low <= high
    for threshold in np.linspace(0.0, max(lower + upper), 100)[:-1]:
        assert sum(x > threshold for x in lower) + sum(x <= threshold for x in upper) >= n_violated


def test_the_range_keeps_clusters_that_the_cost_prefers():
    matrix = np.kron(np.eye(3), np.full((4, 4), 0.5)) + 0.5 * np.eye(12)
    labels = np.repeat(np.arange(3), 4)
    low, high, n_violated, n_lost = birth_range(matrix, np.ones(12), labels)
    assert n_violated == n_lost == 0

    def cost(labels, birth):
        groups = [np.flatnonzero(labels == k) for k in np.unique(labels)]
        kept = sum(matrix[np.ix_(g, g)].sum() / len(g) for g in groups)
        return np.trace(matrix) - kept + birth * len(groups)

    merged, split = np.minimum(labels, 1), labels.copy()
    split[:2] = 3
    assert cost(labels, 0.99 * high) < cost(merged, 0.99 * high)
    assert cost(labels, 1.01 * high) > cost(merged, 1.01 * high)
    assert cost(labels, 1.01 * low) < cost(split, 1.01 * low)


def test_a_sample_of_a_cluster_stands_for_all_of_it():
    rows, labels = blobs([200, 200])
    squares = squareform(pdist(rows, "sqeuclidean"))
    matrix = np.exp(-squares / 18.0)
    whole = birth_range(matrix, np.ones(400), labels)
    some = np.arange(0, 400, 4)
    part = birth_range(matrix[np.ix_(some, some)], np.ones(100), labels[some], np.array([200.0, 200.0]))
    np.testing.assert_allclose(part[:2], whole[:2], rtol=0.2)


def test_the_relaxation_loses_clusters_of_a_grid_if_the_kernel_is_wide():
    centers = np.array([(x, y) for x in range(4) for y in range(4)], dtype=float)
    rows, labels = np.repeat(centers, 5, axis=0), np.repeat(np.arange(16), 5)
    squares = squareform(pdist(rows, "sqeuclidean"))
    for width, loses in ((0.3, False), (2.0, True)):
        matrix = np.exp(-squares / (2.0 * width**2))
        found = birth_range(matrix, np.ones(80), labels)
        eigenvalues = np.linalg.eigvalsh(matrix)[-16:]  # rows of a cluster are equal: the others are 0
        assert found.n_violated == 0
        assert found.n_lost == np.sum(eigenvalues < found.middle)
        assert (found.n_lost > 0) == loses


@pytest.mark.parametrize("n_clusters", [20, 30])
def test_a_grid_of_blobs_is_found_by_the_relaxation(n_clusters):
    side = int(np.ceil(np.sqrt(n_clusters)))
    centers = 10.0 * np.array([(i % side, i // side) for i in range(n_clusters)])
    rows = np.repeat(centers, 40, axis=0) + np.random.default_rng(n_clusters).normal(
        size=(40 * n_clusters, 2)
    )
    assert SDMeans("rbf", random_state=0).fit(rows).n_clusters_ == n_clusters
