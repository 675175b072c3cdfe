"""Random inputs for kernels, and slow twins of the kernels: one pair at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal

from dynmeans._algorithms.kernel_space.kernel_objective import ClusterSums, cost_of_sums, row_sums
from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans._model.types import IntArray
from dynmeans.kernels import KernelInput, Similarity
from strategies import seeds

Pairwise = Callable[[np.ndarray], np.ndarray]  # all points (s, d) -> kernel of every pair (s, s)


def make_scene(seed: int, n: int, d: int, n_old: int, *, copies: bool = False) -> KernelInput:
    """Rows and support points in the same few blobs; with copies, many of them equal."""
    rng = np.random.default_rng(seed)
    n_kept = int(rng.integers(n_old, 4 * n_old + 1)) if n_old else 0
    blobs = rng.uniform(size=(3, d))
    points = blobs[rng.integers(3, size=n + n_kept)] + 0.1 * rng.normal(size=(n + n_kept, d))
    if copies:
        points = points[rng.integers(len(points), size=len(points))]
    owner = np.sort(np.r_[np.arange(n_old), rng.integers(max(n_old, 1), size=n_kept - n_old)])
    coefficients = rng.uniform(-0.2, 1.0, size=n_kept)
    return KernelInput(points[:n], rng.uniform(0.2, 3.0, size=n), points[n:], coefficients, owner, n_old)


def cluster_sums(similarity: Similarity, labels: IntArray, n_clusters: int) -> ClusterSums:
    """Sums over the members of every cluster, for labels (R,) of the representatives."""
    return row_sums(similarity._replace(group=None), similarity.weights, labels, n_clusters)


def kernel_cost(similarity: Similarity, labels: IntArray, prior: Prior, costs: Costs) -> float:
    """Cost of labels (R,) of the representatives, by Eq. krnmin."""
    n_slots = max(len(prior.gammas), int(labels.max()) + 1)
    return cost_of_sums(cluster_sums(similarity, labels, n_slots), similarity, prior, costs)


def slow_neighbors(rows: np.ndarray, i: int, k: int) -> np.ndarray:
    """Row i and its neighbors, of 3k near ones, twice sorted by the covariance of the first 0.7k of them."""
    order = np.argsort(np.linalg.norm(rows - rows[i], axis=1), kind="stable")[: 3 * k + 1]
    for _ in range(2):
        core = rows[order[: max(1, round(0.7 * k)) + 1]]
        covariance = np.atleast_2d(np.cov(core.T, bias=True))
        width = np.trace(covariance) / rows.shape[1]
        metric = np.linalg.inv(covariance + 0.1 * width * np.eye(rows.shape[1]))
        lengths = [(rows[j] - rows[i]) @ metric @ (rows[j] - rows[i]) for j in order]
        order = order[np.argsort(lengths, kind="stable")]
    return order


@st.composite
def scenes(draw: st.DrawFn) -> KernelInput:
    """One row or some, support points or none, copies or none."""
    return make_scene(
        draw(seeds),
        draw(st.integers(1, 25)),
        draw(st.integers(1, 3)),
        draw(st.integers(0, 3)),
        copies=draw(st.booleans()),
    )


def assert_is_the_dense_definition(
    scene: KernelInput, similarity: Similarity, pairwise: Pairwise, near: float = 1e-9
) -> None:
    """K_YY, K_YPhi and diag K_PhiPhi, row by row and cluster by cluster, from the kernel of all pairs."""
    n = len(scene.rows)
    everything = pairwise(np.concatenate([scene.rows, scene.kept]))
    group = np.arange(n) if similarity.group is None else similarity.group
    y_y = similarity.multiply(np.eye(len(similarity.weights)))[np.ix_(group, group)]
    np.testing.assert_allclose(y_y, everything[:n, :n], rtol=1e-8, atol=near)
    np.testing.assert_allclose(similarity.diagonal[group], everything.diagonal()[:n], rtol=1e-8, atol=near)
    assert similarity.y_phi.shape == (len(similarity.weights), scene.n_old)
    assert similarity.phi_phi.shape == (scene.n_old,)
    for k in range(scene.n_old):
        mine, a = n + np.flatnonzero(scene.owner == k), scene.coefficients[scene.owner == k]
        np.testing.assert_allclose(similarity.y_phi[group, k], everything[:n, mine] @ a, rtol=1e-8, atol=near)
        expected = a @ everything[np.ix_(mine, mine)] @ a
        np.testing.assert_allclose(similarity.phi_phi[k], expected, rtol=1e-8, atol=near)
    weights = np.bincount(group, weights=scene.weights, minlength=len(similarity.weights))
    np.testing.assert_allclose(similarity.weights, weights)


def assert_gram_is_part_of(
    scene: KernelInput, kernel: object, pairwise: Pairwise, near: float = 1e-9
) -> None:
    """W over the first and last support points, then some rows, in an order of its own."""
    n, n_kept = len(scene.rows), len(scene.kept)
    members, kept = np.arange(n)[::-2], np.arange(n_kept)[::-3]
    everything = pairwise(np.concatenate([scene.rows, scene.kept]))
    chosen = np.r_[n + kept, members]
    gram = kernel.gram(scene, members, kept)
    np.testing.assert_allclose(gram, everything[np.ix_(chosen, chosen)], rtol=1e-8, atol=near)


def along_the_tree(points: np.ndarray, scale: float) -> np.ndarray:
    """The paper's ring kernel: SciPy's tree over dense distances, and a walk from every point."""
    distances = cdist(points, points)
    # SciPy ignores edges of length 0; adding a constant to all edges does not change the tree.
    tree = minimum_spanning_tree(csr_array(distances + 1.0))
    kernel = np.empty_like(distances)
    for start in range(len(points)):
        for end, far in _walk(tree + tree.T, distances, start, scale):
            kernel[start, end] = np.exp(-(far**2) / (2 * scale**2))
    return kernel


def _walk(tree: csr_array, distances: np.ndarray, start: int, scale: float) -> list[tuple[int, float]]:
    reached, waiting = [], [(start, -1, 0.0)]
    while waiting:
        here, before, far = waiting.pop()
        reached.append((here, far))
        for there in tree.indices[tree.indptr[here] : tree.indptr[here + 1]]:
            if there != before:
                length = distances[here, there]
                waiting.append((there, here, far + (length if length > scale else 0.0)))
    return reached


def same_process(points: np.ndarray, length_scale: float, signal: float, noise: float) -> np.ndarray:
    """The paper's probability that two sets of observations come from one latent process."""

    def evidence(x: np.ndarray, y: np.ndarray) -> float:
        covariance = signal**2 * np.exp(-((x[:, None] - x) ** 2) / (2 * length_scale**2))
        return multivariate_normal(np.zeros(len(x)), covariance + noise**2 * np.eye(len(x))).logpdf(y)

    p = points.shape[1] // 2
    kernel = np.empty((len(points), len(points)))
    for i, one in enumerate(points):
        for j, other in enumerate(points):
            together = evidence(np.r_[one[:p], other[:p]], np.r_[one[p:], other[p:]])
            apart = evidence(one[:p], one[p:]) + evidence(other[:p], other[p:])
            kernel[i, j] = 1.0 / (1.0 + np.exp(apart - together))
    return kernel
