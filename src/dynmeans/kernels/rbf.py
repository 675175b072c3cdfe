"""The Gaussian kernel, dense for small batches and through landmarks for large ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._core import rbf_kernel
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels._common import check_positive, from_features, from_matrices, pick
from dynmeans.kernels.base import KernelInput, Similarity
from dynmeans.kernels.landmarks import choose_landmarks, landmark_features

SAMPLE = 1000  # rows from which a bandwidth is estimated
WIDTH = 2.5  # an estimated bandwidth, in distances to the neighbour of rank sqrt(n) / 2
CANDIDATES = 4000  # rows among which landmarks are sought
LANDMARKS = 100  # of a batch that is too large for a dense matrix


@dataclass(frozen=True)
class RBF:
    """The Gaussian kernel, ``exp(-|x - y|^2 / (2 bandwidth^2))``.

    Parameters
    ----------
    bandwidth : float or None
        Distance at which similarity fades. None estimates it: 2.5 times the median distance from a row to its
        neighbour of rank sqrt(n) / 2, over at most 1,000 evenly spaced rows of which equal ones count
        once. That is about the size of a cluster, if there are no more than 2 sqrt(n) of them, and it
        follows the scale of the data.
    landmarks : int or None
        Number of points through which all others are compared (Nystroem features, no matrix). None takes the
        dense kernel up to `max_dense` rows and 100 landmarks beyond.
    max_dense : int
        Largest batch with a dense matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels import RBF, first_input
    >>> RBF(bandwidth=1.0).compare(first_input(np.array([[0.0], [1.0]]))).matrix.round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """

    bandwidth: float | None = None
    landmarks: int | None = None
    max_dense: int = 2000

    def __post_init__(self) -> None:
        check_positive("bandwidth", self.bandwidth)
        check_positive("landmarks", self.landmarks)
        check_positive("max_dense", self.max_dense)

    def fitted(self, scene: KernelInput) -> RBF:
        """The kernel with the bandwidth of this batch; itself if it has one or all rows are equal."""
        estimate = estimate_bandwidth(scene.rows) if self.bandwidth is None else None
        return self if estimate is None else replace(self, bandwidth=estimate)

    def compare(self, scene: KernelInput) -> Similarity:
        """Similarities of one step, as a matrix or, with landmarks, as features."""
        kernel = self.fitted(scene)
        if self.landmarks is not None or len(scene.rows) > self.max_dense:
            marks = kernel._landmarks(scene)
            rows, kept = (landmark_features(kernel.between, marks, some) for some in (scene.rows, scene.kept))
            return from_features(scene, rows, kept)
        parts = (kernel.between(a, b) for a, b in _sides(scene))
        return from_matrices(scene, *parts)

    def gram(self, scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """W over kept points, then rows."""
        points = pick(scene, members, kept)
        return self.fitted(scene).between(points, points)

    def between(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Kernel of every row of a (n, d) with every row of b (m, d); a bandwidth of None stands for 1."""
        width = 1.0 if self.bandwidth is None else self.bandwidth
        kernel = np.empty((len(a), len(b)))
        rbf_kernel(a, b, width, kernel)
        return kernel

    def _landmarks(self, scene: KernelInput) -> FloatArray:
        """Landmarks among rows and kept points: clusters that are not seen now are represented too."""
        count = LANDMARKS if self.landmarks is None else self.landmarks
        some = evenly_spaced(len(scene.rows), max(CANDIDATES, count))
        points = np.concatenate([scene.rows[some], scene.kept])
        mass = np.concatenate([scene.weights[some], np.full(len(scene.kept), scene.weights[some].mean())])
        return points[choose_landmarks(self.between, points, mass, count)]


def estimate_bandwidth(rows: FloatArray) -> float | None:
    """Bandwidth from the distances between near rows, as `RBF` says; None if all rows are equal."""
    sample = np.unique(rows[evenly_spaced(len(rows), SAMPLE)], axis=0)
    if len(sample) < 2:
        return None
    unit = float(np.abs(sample).max())
    rank = int(np.ceil(np.sqrt(len(sample)) / 2))
    distances = np.partition(cdist(sample / unit, sample / unit), rank, axis=1)[:, rank]
    width = WIDTH * float(np.median(distances)) * unit
    return width if width > 0 else None


def _sides(scene: KernelInput) -> list[tuple[FloatArray, FloatArray]]:
    return [(scene.rows, scene.rows), (scene.rows, scene.kept), (scene.kept, scene.kept)]


def evenly_spaced(n: int, at_most: int) -> IntArray:
    """Indices of some of n rows, or of all if they are few."""
    return np.linspace(0, n - 1, min(n, at_most)).astype(np.int64)
