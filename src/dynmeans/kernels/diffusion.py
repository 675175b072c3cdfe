"""Diffusion on a graph of shared neighbors, combined with the past: a kernel for noisy shapes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dynmeans._core import mixture_responsibilities
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import check_count, check_positive, first_input
from dynmeans.kernels._estimation.birth_range import birth_range, cluster_weights, stratified
from dynmeans.kernels._estimation.density import density_of, is_stationary
from dynmeans.kernels._estimation.separated_clusters import SeparatedClusters, row_weights, separated_clusters
from dynmeans.kernels._geometry.diffusion_maps import leading_eigenpairs, shared_neighbors
from dynmeans.kernels.base import Kernel, KernelInput, Similarity

SHAPES = 3  # expected number of shapes in a batch without separated clusters
RANK = 30  # minimum number of eigenvectors
RELATIVE_TIME = 1.8  # about the time to diffuse around a ring, relative to its number of points
TIMES = 6  # number of relative times among which one is chosen, each twice the one before
RANK_PER_SHAPE = 1.5  # outliers need eigenvectors, too


@dataclass(frozen=True)
class Diffusion(Kernel):
    """Diffusion kernel: two points are similar if many short paths connect them.

    The points of a step form a graph of mutual nearest neighbors. Neighborhoods are stretched along the local
    shape, and edges are weighted by the squared overlap of neighborhoods. Noise between two shapes gives few
    and weak paths, so the shapes stay separate where single linkage would merge them. The features of a row
    are its coordinates in the leading eigenvectors of the graph, damped as by diffusion for time t and scaled
    to unit length. Inside a shape the kernel is near 1, and its largest eigenvalues are near the sizes of the
    shapes. So costs should be relative to the batch.

    Earlier batches are used twice. Support points of clusters that lie where the rows are, because they have
    not moved or after alignment, are added to the graph and make the shapes denser. Let q_ik be the
    posterior of old cluster k at row i (a density around its support points, against a uniform background)
    and c_i its sum over k. Then a row has the features [sqrt(1 - b c_i) heat_i, sqrt(b c_i) q_i / abs(q_i)],
    and old cluster k has [0, sqrt(b) e_k].

    Parameters
    ----------
    n_neighbors : int or None
        Number of neighbors of each point; None for about 1.5 sqrt(n / shapes) of n points.
    rank : int or None
        Number of eigenvectors of the graph. It bounds the number of shapes that can be distinguished. None
        for 1.5 shapes, and at least 30.
    time : float or None
        Diffusion time; None for relative_time n / shapes.
    memory : float
        b, between 0 and 1: share of the similarity that comes from earlier batches, where they explain a
        row. A large value keeps shapes whole while they cross, and makes errors of the first step persist.
    bandwidth : float or None
        Width of the density around support points; None estimates it from distances between neighboring rows.
    shapes : int or None
        Expected number of shapes in a batch, from which the parameters above are derived. None for the number
        of separated clusters in the first batch with different rows, and 3 if there are none.
    relative_time : float or None
        Diffusion time, relative to the number of points per shape. None for the one with the widest range of
        birth costs that keeps the separated clusters, estimated together with `shapes`, and at least 1.8.

    Notes
    -----
    The scale of the data does not matter: doubled coordinates give the same similarities. A row of weight m
    counts as m rows in the diffusion, but not in the choice of neighbors; a support point counts as a mean
    row. The graph has about n sqrt(n) edges, which suits batches of up to about ten thousand rows.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import Diffusion, first_input
    >>> rows = np.random.default_rng(0).normal(size=(60, 2))
    >>> rows[30:] += 50.0
    >>> features = Diffusion().compare(first_input(rows)).features
    >>> (features @ features.T)[0, [0, 1, 30]].round(1)
    array([1., 1., 0.])
    """

    n_neighbors: int | None = None
    rank: int | None = None
    time: float | None = None
    memory: float = 0.3
    bandwidth: float | None = None
    shapes: int | None = None
    relative_time: float | None = None

    def __post_init__(self) -> None:
        check_count("n_neighbors", self.n_neighbors)
        check_count("rank", self.rank)
        check_positive("time", self.time)
        check_positive("bandwidth", self.bandwidth)
        check_count("shapes", self.shapes)
        check_positive("relative_time", self.relative_time)
        if not 0 <= self.memory < 1:
            raise ValueError(f"memory is {self.memory!r}; it must be at least 0 and below 1")

    def fitted(self, inputs: KernelInput) -> Diffusion:
        """Return the kernel with the expected number of shapes; itself if it is given or all rows are equal.

        The other parameters follow from it and from the number of points in each batch.
        """
        if self.shapes is not None or len(inputs.rows) < 2:
            return self
        found = separated_clusters(inputs.rows, inputs.weights)
        if found.n_clusters < 2:
            return replace(self, shapes=SHAPES)
        kernel = replace(self, shapes=found.n_clusters)
        return kernel if self.relative_time is not None else kernel._mixed(inputs, found)

    def is_euclidean(self) -> bool:
        """Return True: similarities are those of rows under the Euclidean distance."""
        return True

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step, as features (n, rank + K)."""
        heat, past = self.fitted(inputs)._heat(inputs), self._past(inputs)
        trust = self.memory * past.sum(axis=1, keepdims=True)
        features = np.hstack([np.sqrt(1.0 - trust) * heat, np.sqrt(trust) * _unit(past)])
        phi = np.zeros((inputs.n_old, features.shape[1]))
        phi[:, heat.shape[1] :] = math.sqrt(self.memory) * np.eye(inputs.n_old)
        return Similarity(
            inputs.weights,
            np.ones(len(inputs.rows)),
            features @ phi.T,
            np.full(inputs.n_old, self.memory),
            features=features,
            phi_features=phi,
        )

    def default_reach(self, birth_share: float) -> float | None:
        """Return the reach that revives a cluster at its old center, and no other cluster.

        The squared distance to the old center is 1 - b for a cluster that has not moved and 1 + b for others.
        Clusters are revived up to the geometric mean. Without separated clusters the estimator has a default.
        """
        if self.relative_time is None:
            return None
        return max(1.0, math.sqrt(1.0 - self.memory**2) / birth_share)

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray | None:
        """Return None: the diffusion is known only among the rows of one batch."""
        return None

    def _heat(self, inputs: KernelInput) -> FloatArray:
        """Return unit rows B such that B B' is the heat kernel of the rows."""
        values, vectors, n = self._eigenpairs(inputs)
        return _unit(vectors * np.exp(0.5 * self._time(n) * (values - 1.0)))

    def _eigenpairs(self, inputs: KernelInput) -> tuple[FloatArray, FloatArray, int]:
        """Return eigenvalues (r,), the rows of the eigenvectors (n, r), and the number of points."""
        added = inputs.kept[is_stationary(inputs)]
        points = np.concatenate([inputs.rows, added])
        weights = np.concatenate([inputs.weights, np.full(len(added), inputs.weights.mean())])
        n, shapes = len(points), self.shapes or SHAPES
        k = self.n_neighbors or default_neighbors(n, shapes)
        rank = self.rank or max(RANK, math.ceil(RANK_PER_SHAPE * shapes))
        values, vectors = leading_eigenpairs(shared_neighbors(points, min(k, n - 1)), weights, rank)
        return values, vectors[: len(inputs.rows)], n

    def _time(self, n: int) -> float:
        if self.time is not None:
            return self.time
        return (self.relative_time or RELATIVE_TIME) * n / (self.shapes or SHAPES)

    def _mixed(self, inputs: KernelInput, found: SeparatedClusters) -> Diffusion:
        """Choose the relative time: every cluster should mix within itself, and not with others."""
        weights = row_weights(inputs.weights[found.rows])
        sample = first_input(np.ascontiguousarray(inputs.rows[found.rows]), weights)
        values, vectors, n = self._eigenpairs(sample)
        some = stratified(found.labels)
        totals = len(inputs.rows) / len(found.rows) * cluster_weights(weights, found.labels)
        labels = found.labels[some]

        def rank(kernel: Diffusion) -> tuple[int, int, float]:
            heat = _unit(vectors[some] * np.exp(0.5 * kernel._time(n) * (values - 1.0)))
            return birth_range(heat @ heat.T, weights[some], labels, totals).rank

        return min((replace(self, relative_time=RELATIVE_TIME * 2.0**j) for j in range(TIMES)), key=rank)

    def _past(self, inputs: KernelInput) -> FloatArray:
        """Return the posterior (n, K) of every old cluster at every row."""
        if inputs.n_old == 0:
            return np.zeros((len(inputs.rows), 0))
        h, background, shares = density_of(inputs, self.bandwidth)
        return mixture_responsibilities(
            rows=inputs.rows,
            kept=inputs.kept,
            shares=shares,
            owner=inputs.owner,
            n_old=inputs.n_old,
            bandwidth=h,
            background=background,
        )


def default_neighbors(n: int, shapes: int = SHAPES) -> int:
    """Return 1.47 sqrt(m), m = n / shapes: it connects a ring of m points without reaching the next ring."""
    return max(2, round(0.85 * math.sqrt(SHAPES * n / shapes)))


def _unit(rows: FloatArray) -> FloatArray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatArray = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return unit
