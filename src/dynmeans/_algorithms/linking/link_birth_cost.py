"""Estimation of the birth cost for linking from the motion and the distances of clusters.

In the space of the rows, a persisting cluster moves by a Gaussian of variance v in each coordinate, and a
newborn one may be anywhere among the rows, which have variance s. The birth cost is the squared distance at
which both are equally likely, for d coordinates and prior odds ODDS in favor of persistence: v (d log(1 +
s/v) + 2 log ODDS). It scales with the data, and is bounded by about the squared extent of the rows in any
dimension.
"""

from __future__ import annotations

import math
from statistics import median
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from dynmeans._algorithms.kernel_space.kernel_objective import row_sums
from dynmeans._algorithms.kernel_space.kernel_step import BatchComparison
from dynmeans._algorithms.linking.link_step import BatchClusters
from dynmeans._model.costs import Costs
from dynmeans._model.motion import Motion
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray

ODDS = 3.0  # prior odds of persistence against birth; the birth cost depends on their logarithm
MIN_MOTION = 1e-4  # minimum variance of the motion, relative to that of all rows


class RowScale(NamedTuple):
    """Statistics of the stream so far, in the space of the rows."""

    mean: FloatArray  # (d,)  mean of all rows
    weight: float  # total weight of all rows
    scatter: float  # squared distances of all rows to that mean, summed
    within: float  # squared distances of rows to the means of their groups, summed
    spare: float  # weight of rows minus number of groups: degrees of freedom of `within`
    moves: float  # variances of the motion per unit of time, summed over steps
    n_moves: float

    def birth_cost(self) -> float | None:
        """Return the birth cost, or None while all rows are equal."""
        d = len(self.mean)
        spread = self.scatter / (d * self.weight) if self.weight > 0 else 0.0
        if spread <= 0.0:
            return None
        own = self.within / (d * self.spare) if self.spare > 0 else 0.0
        # Prior: clusters move about as far as they are wide, with the weight of one step.
        motion = max((own + self.moves) / (1.0 + self.n_moves), MIN_MOTION * spread)
        return motion * (d * float(np.log1p(spread / motion)) + 2.0 * float(np.log(ODDS)))


class KernelScale(NamedTuple):
    """Statistics of the stream so far, in the space of a kernel."""

    apart: float  # half the mean squared distance between two groups of a batch, summed over batches
    n_batches: float

    def birth_cost(self) -> float | None:
        """Return the birth cost, or None before a batch with two different groups."""
        return self.apart / self.n_batches if self.apart > 0 else None


def empty_row_scale(n_features: int) -> RowScale:
    """Return the statistics before the first batch."""
    return RowScale(
        mean=np.zeros(n_features), weight=0.0, scatter=0.0, within=0.0, spare=0.0, moves=0.0, n_moves=0.0
    )


def update_row_scale(scale: RowScale, groups: BatchClusters, state: ClusterState, motion: Motion) -> RowScale:
    """Update the statistics by a batch, before it is linked."""
    if len(groups.rows) == 0:
        return scale
    weight = float(groups.weights.sum())
    middle = groups.weights @ groups.rows / weight
    total, shift = scale.weight + weight, middle - scale.mean
    scatter = (
        _squares(groups.rows - middle, groups.weights) + float(shift @ shift) * scale.weight * weight / total
    )
    within = _squares(groups.rows - groups.means[groups.which], groups.weights)
    moved = _typical_motion(groups, state, motion)
    return RowScale(
        mean=scale.mean + shift * (weight / total),
        weight=total,
        scatter=scale.scatter + scatter,
        within=scale.within + within,
        spare=scale.spare + max(weight - len(groups.sizes), 0.0),
        moves=scale.moves + (moved or 0.0),
        n_moves=scale.n_moves + (moved is not None),
    )


def update_kernel_scale(
    scale: KernelScale, groups: BatchClusters, comparison: BatchComparison
) -> KernelScale:
    """Update the statistics by a batch; the birth cost is half the squared distance between groups.

    Under a bounded kernel dissimilar points are orthogonal, and a link then requires a correlation of about
    1/2.
    """
    n_groups = len(groups.sizes)
    if n_groups < 2:
        return scale
    similarity = comparison.similarity
    sums = row_sums(similarity, groups.weights, groups.which, n_groups)
    equal = row_sums(
        similarity, (groups.weights / groups.sizes[groups.which]), np.zeros_like(groups.which), 1
    )
    lengths = float(np.mean(sums.within / groups.sizes**2))
    middle = float(equal.within[0]) / n_groups**2
    apart = max(lengths - middle, 0.0) * n_groups / (n_groups - 1)
    return KernelScale(scale.apart + apart, scale.n_batches + 1.0)


def _squares(differences: FloatArray, weights: FloatArray) -> float:
    return float(weights @ np.einsum("ij,ij->i", differences, differences))


def _typical_motion(groups: BatchClusters, state: ClusterState, motion: Motion) -> float | None:
    """Return the variance of the motion per coordinate and unit of time: the median over an optimal matching.

    The median of a squared length of d Gaussian coordinates is d (1 - 2 / (9 d))^3 times their variance.
    """
    active, elapsed = state.last_seen == state.clock, groups.time - state.clock
    if not active.any() or elapsed <= 0:
        return None
    forecast = predict_prior(state, groups.time, Costs(1.0, math.inf, 1.0), motion).centers[active]
    distances = cdist(groups.means, forecast, "sqeuclidean")
    d = groups.rows.shape[1]
    typical: float = d * (1.0 - 2.0 / (9.0 * d)) ** 3
    moved = distances[linear_sum_assignment(distances)].tolist()
    return float(median(moved)) / (typical * elapsed)  # `np.median` takes 35 microseconds instead of 1
