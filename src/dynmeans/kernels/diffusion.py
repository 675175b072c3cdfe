"""Heat on a graph of shared neighbours, with the past mixed in: a kernel for noisy shapes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dynmeans._core import mixture_responsibilities
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import check_positive
from dynmeans.kernels.base import KernelInput, Similarity
from dynmeans.kernels.density import density_of, in_place
from dynmeans.kernels.diffusion_maps import leading_eigenpairs, shared_neighbours

TIME = 0.6  # of the number of points: about what heat needs to go round a ring of a third of them


@dataclass(frozen=True)
class Diffusion:
    """Two points are alike if heat flows from one to the other along many short ways.

    The points of a step form a graph: mutual nearest neighbours, in neighbourhoods that are stretched along
    the shape they lie on, weighed by the squared overlap of the neighbourhoods. Noise between two shapes
    makes few and weak ways, so they stay apart where single linkage would join them. The features of a row
    are its coordinates in the leading eigenvectors of the graph, damped as heat is at time t and scaled to
    unit length: inside a shape the kernel is near 1, and its largest eigenvalues are near the sizes of the
    shapes. So costs should be relative to the batch.

    The past takes part twice. Kept points of clusters that lie where the rows are, as they do when nothing
    moved or after alignment, join the graph and make the shapes denser. And with q_ik the posterior of old
    cluster k at row i (a density around its kept points, against a thin background) and c_i its sum over k,
    a row has the features [sqrt(1 - b c_i) heat_i, sqrt(b c_i) q_i / abs(q_i)], and old cluster k has
    [0, sqrt(b) e_k].

    Parameters
    ----------
    n_neighbors : int or None
        Neighbours of each point; None for about 0.85 sqrt(n) of n points.
    rank : int
        Eigenvectors of the graph that are used. It bounds the number of shapes that can be told apart.
    time : float or None
        How long heat spreads; None for 0.6 n.
    memory : float
        b, between 0 and 1: how much of the similarity comes from the past, where the past explains a row. A
        large value keeps shapes whole while they cross, and makes a wrong first step hard to forget.
    bandwidth : float or None
        Width of the density around kept points; None estimates it from distances between near rows.

    Notes
    -----
    Only the batch sets the scale: doubled coordinates give the same similarities. A row of weight m counts
    as m rows in the flow of heat, not in the choice of neighbours; a kept point counts as a mean row. The
    graph has about n sqrt(n) edges, which suits batches of up to some ten thousand rows.

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
    rank: int = 30
    time: float | None = None
    memory: float = 0.3
    bandwidth: float | None = None

    def __post_init__(self) -> None:
        check_positive("n_neighbors", self.n_neighbors)
        check_positive("rank", self.rank)
        check_positive("time", self.time)
        check_positive("bandwidth", self.bandwidth)
        if not 0 <= self.memory < 1:
            raise ValueError(f"memory is {self.memory!r}; it must be at least 0 and below 1")

    def fitted(self, scene: KernelInput) -> Diffusion:
        """Itself: what is estimated is estimated for every batch anew."""
        return self

    def compare(self, scene: KernelInput) -> Similarity:
        """Similarities of one step, as features (n, rank + K)."""
        heat, past = self._heat(scene), self._past(scene)
        trust = self.memory * past.sum(axis=1, keepdims=True)
        features = np.hstack([np.sqrt(1.0 - trust) * heat, np.sqrt(trust) * _unit(past)])
        phi = np.zeros((scene.n_old, features.shape[1]))
        phi[:, heat.shape[1] :] = math.sqrt(self.memory) * np.eye(scene.n_old)
        return Similarity(
            scene.weights,
            np.ones(len(scene.rows)),
            features @ phi.T,
            np.full(scene.n_old, self.memory),
            features=features,
            phi_features=phi,
        )

    def gram(self, scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray | None:
        """None: heat is only known among the rows of one batch."""
        return None

    def _heat(self, scene: KernelInput) -> FloatArray:
        """Unit rows B with B B' the heat kernel among the rows."""
        company = scene.kept[in_place(scene)]
        points = np.concatenate([scene.rows, company])
        weights = np.concatenate([scene.weights, np.full(len(company), scene.weights.mean())])
        n = len(points)
        k = self.n_neighbors or default_neighbors(n)
        values, vectors = leading_eigenpairs(shared_neighbours(points, min(k, n - 1)), weights, self.rank)
        time = TIME * n if self.time is None else self.time
        return _unit(vectors[: len(scene.rows)] * np.exp(0.5 * time * (values - 1.0)))

    def _past(self, scene: KernelInput) -> FloatArray:
        """Posterior (n, K) of every old cluster at every row."""
        if scene.n_old == 0:
            return np.zeros((len(scene.rows), 0))
        h, background, shares = density_of(scene, self.bandwidth)
        return mixture_responsibilities(
            scene.rows, scene.kept, shares, scene.owner, scene.n_old, h, background
        )


def default_neighbors(n: int) -> int:
    """0.85 sqrt(n): enough to connect a third of the points on a ring, few enough not to reach the next."""
    return max(2, round(0.85 * math.sqrt(n)))


def _unit(rows: FloatArray) -> FloatArray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatArray = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return unit
