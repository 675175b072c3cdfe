"""The Gaussian kernel, dense for small batches and with landmarks for large ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans._core import rbf_kernel
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.kernels._common import check_count, check_positive, from_features, from_matrices, pick
from dynmeans.kernels._estimation.birth_range import birth_range, cluster_weights, stratified
from dynmeans.kernels._estimation.separated_clusters import row_weights, separated_clusters
from dynmeans.kernels._geometry.landmarks import choose_landmarks, landmark_features
from dynmeans.kernels.base import Kernel, KernelInput, Similarity

SAMPLE = 1000  # maximum number of rows from which a bandwidth is estimated
WIDTH = 2.5  # estimated bandwidth, in distances to the neighbor of rank sqrt(n) / 2
WIDTHS = 9  # number of bandwidths among which it is chosen
CANDIDATES = 4000  # maximum number of rows among which landmarks are chosen
LANDMARKS = (100, 300)  # minimum and maximum default number, for batches too large for a dense matrix
FEATURES = 10_000_000  # numbers in the features of a batch, up to which there are more than the minimum


@dataclass(frozen=True)
class RBF(Kernel):
    """The Gaussian kernel, ``exp(-|x - y|^2 / (2 bandwidth^2))``.

    Parameters
    ----------
    bandwidth : float or None
        Distance over which the similarity decreases. None estimates it from the first batch with different
        rows. If the batch has separated clusters, it is the bandwidth at which the range of birth costs that
        keeps them is widest. Otherwise it is 2.5 times the median distance from a row to its neighbor of rank
        sqrt(n) / 2, over at most 1,000 evenly spaced distinct rows. Both scale with the data.
    landmarks : int or None
        Number of landmarks for Nystroem features, which replace the matrix. None uses the dense kernel for up
        to `max_dense` rows, and 300 landmarks beyond, or 100 from 100,000 rows on.
    max_dense : int
        Maximum number of rows with a dense matrix.

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
        check_count("landmarks", self.landmarks)
        check_count("max_dense", self.max_dense)

    def fitted(self, inputs: KernelInput) -> RBF:
        """Return the kernel with the bandwidth of this batch; itself if it is given or all rows are equal."""
        estimate = estimate_bandwidth(inputs.rows, inputs.weights) if self.bandwidth is None else None
        return self if estimate is None else replace(self, bandwidth=estimate)

    def is_euclidean(self) -> bool:
        """Return True: similarities are those of rows under the Euclidean distance."""
        return True

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step, as a matrix or, with landmarks, as features."""
        kernel = self.fitted(inputs)
        if self.landmarks is not None or len(inputs.rows) > self.max_dense:
            marks = kernel._landmarks(inputs)
            rows, kept = (
                landmark_features(kernel.between, marks, some) for some in (inputs.rows, inputs.kept)
            )
            return from_features(inputs, rows, kept)
        parts = (kernel.between(a, b) for a, b in _sides(inputs))
        return from_matrices(inputs, *parts)

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
        """Return W of support points, then rows."""
        points = pick(inputs, members, kept)
        return self.fitted(inputs).between(points, points)

    def between(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the kernel (n, m) of rows a (n, d) and b (m, d); a bandwidth of None stands for 1."""
        width = 1.0 if self.bandwidth is None else self.bandwidth
        kernel = np.empty((len(a), len(b)))
        rbf_kernel(a, b, width, kernel)
        return kernel

    def _landmarks(self, inputs: KernelInput) -> FloatArray:
        """Choose landmarks among rows and support points, so that sleeping clusters are represented too."""
        count = default_landmarks(len(inputs.rows)) if self.landmarks is None else self.landmarks
        some = evenly_spaced(len(inputs.rows), max(CANDIDATES, count))
        points = np.concatenate([inputs.rows[some], inputs.kept])
        mass = np.concatenate([inputs.weights[some], np.full(len(inputs.kept), inputs.weights[some].mean())])
        return points[choose_landmarks(self.between, points, mass, count)]


def default_landmarks(n: int) -> int:
    """Return the default number of landmarks for n rows; it bounds the number of clusters."""
    fewest, maximum = LANDMARKS
    return min(maximum, max(fewest, FEATURES // n))


def estimate_bandwidth(rows: FloatArray, weights: FloatArray) -> float | None:
    """Estimate the bandwidth as described in `RBF`; None if all rows are equal."""
    found = separated_clusters(rows, weights)
    if found.n_clusters > 1:
        sample = rows[found.rows], row_weights(weights[found.rows]), found.labels
        return _separating_bandwidth(*sample, len(rows) / len(found.rows))
    return _neighbor_bandwidth(rows)


def _neighbor_bandwidth(rows: FloatArray) -> float | None:
    """Return a multiple of the median distance to a near neighbor."""
    sample = np.unique(rows[evenly_spaced(len(rows), SAMPLE)], axis=0)
    if len(sample) < 2:
        return None
    unit = float(np.abs(sample).max())
    rank = int(np.ceil(np.sqrt(len(sample)) / 2))
    distances = np.partition(cdist(sample / unit, sample / unit), rank, axis=1)[:, rank]
    width = WIDTH * float(np.median(distances)) * unit
    return width if width > 0 else None


def _separating_bandwidth(
    rows: FloatArray, weights: FloatArray, labels: IntArray, n_represented: float
) -> float:
    """Return the bandwidth with the widest range of birth costs that keeps the clusters.

    Each row represents this number of rows of the batch.
    The candidates range from half a mean distance within clusters to twice that between near clusters.
    """
    some, totals = stratified(labels), n_represented * cluster_weights(weights, labels)
    unit, which = float(np.abs(rows).max()), labels[some]
    squares = cdist(rows[some] / unit, rows[some] / unit, "sqeuclidean")
    widths = _candidate_widths(np.sqrt(squares), which).tolist()

    def rank(h: float) -> tuple[int, int, float]:
        return birth_range(np.exp(squares / (-2.0 * h * h)), weights[some], which, totals).rank

    return float(min(widths, key=rank)) * unit


def _candidate_widths(distances: FloatArray, labels: IntArray) -> FloatArray:
    """Return WIDTHS bandwidths, from wide to narrow."""
    members = (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float64)
    size = members.sum(axis=0)
    sums = members.T @ distances @ members
    between = sums / np.outer(size, size)
    np.fill_diagonal(between, np.inf)
    far = float(np.median(between.min(axis=1)))
    pairs = float(np.sum(size * (size - 1.0)))
    near = float(np.trace(sums)) / pairs / 2.0 if pairs else 0.0
    candidates: FloatArray = np.geomspace(2.0 * far, min(max(near, far / 16.0), far / 2.0), WIDTHS)
    return candidates


def _sides(inputs: KernelInput) -> list[tuple[FloatArray, FloatArray]]:
    return [(inputs.rows, inputs.rows), (inputs.rows, inputs.kept), (inputs.kept, inputs.kept)]
