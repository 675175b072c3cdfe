"""Estimation of the birth cost in the space of a kernel from one batch.

The separated clusters of the batch are found without the kernel, if it compares rows by Euclidean distances,
and by distances in its space otherwise. The birth cost is the geometric mean of the range of birth costs that
keeps these clusters. It is divided by the weight of the batch, because the range grows with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.kernels._estimation.birth_range import birth_range, cluster_weights, rows_of_matrix
from dynmeans.kernels._estimation.separated_clusters import (
    clusters_of_distances,
    row_weights,
    separated_clusters,
)
from dynmeans.kernels.base import BIRTH_SHARE, Kernel, KernelInput

SAMPLE = 1000  # maximum number of rows for kernels that are not Euclidean


class _Labeled(NamedTuple):
    """Rows of a batch with their clusters."""

    matrix: FloatArray  # (s, s)
    weights: FloatArray  # (s,)
    labels: IntArray  # (s,)  -1 for outliers


def estimate_birth_share(kernel: Kernel, inputs: KernelInput) -> float | None:
    """Return the birth cost relative to the weight of the batch, or None if all rows are equal.

    Parameters
    ----------
    kernel : Kernel
        Its missing parameters are estimated from the batch.
    inputs : KernelInput
        The batch, with distinct rows.

    Notes
    -----
    A batch without separated clusters has no such range. Its birth share is that of the kernel.
    """
    if len(inputs.rows) < 2:
        return None
    labeled = _labeled(kernel.fitted(inputs), inputs)
    if labeled.labels.max() < 1:
        return kernel.birth_share() or BIRTH_SHARE
    n_represented = len(inputs.rows) / len(labeled.labels)  # rows per sampled row
    totals = n_represented * cluster_weights(labeled.weights, labeled.labels)
    middle = birth_range(*labeled, totals).middle
    return middle / (n_represented * float(labeled.weights.sum())) if middle > 0 else BIRTH_SHARE


def _labeled(kernel: Kernel, inputs: KernelInput) -> _Labeled:
    if not kernel.is_euclidean():
        rows = evenly_spaced(len(inputs.rows), SAMPLE)
        matrix, weights = _matrix(kernel, inputs, rows), row_weights(inputs.weights[rows])
        own = matrix.diagonal()
        squared = np.maximum(own[:, None] + own - 2.0 * matrix, 0.0)
        return _Labeled(matrix, weights, clusters_of_distances(np.sqrt(squared), weights)[0])
    found = separated_clusters(inputs.rows, inputs.weights)
    weights = row_weights(inputs.weights[found.rows])
    return _Labeled(_matrix(kernel, inputs, found.rows), weights, found.labels)


def _matrix(kernel: Kernel, inputs: KernelInput, rows: IntArray) -> FloatArray:
    """Return the kernel matrix of some rows, as in the step: large batches may be approximated."""
    if not kernel.is_pairwise() and not kernel.is_euclidean():
        inputs = inputs._replace(rows=np.ascontiguousarray(inputs.rows[rows]), weights=inputs.weights[rows])
        rows = np.arange(len(rows))
    similarity = kernel.compare(inputs)
    index = rows if similarity.group is None else similarity.group[rows]
    return rows_of_matrix(similarity.matrix, similarity.features, index)
