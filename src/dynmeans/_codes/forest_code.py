"""Forest code of a clustered stream: in each step, the points of each id are a tree.

One point of an id, the root, is encoded by the forecast of the id, or anywhere for a new id. Every other
point is encoded by an edge to a point of the same id. The density of edge lengths comes from the spanning
trees of whole batches. It is the same for every clustering, so the shape of a cluster does not affect the
code length. Splitting a cluster saves one edge and costs one root. So adjacent points get the same id, and a
gap that is wide compared with the forecast error separates two ids. The spread around a forecast is learned
from the displacements of points, also of ids that have one point per step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from dynmeans._codes.gaussian_code import Reference, log_cauchy
from dynmeans._core import forest_code as nats
from dynmeans._core import minimum_spanning_tree
from dynmeans._model.motion import VELOCITY, WALK
from dynmeans._model.types import FloatArray, IntArray

SHORTEST = 0.01  # quantile of positive edge lengths: shorter ones count as equal
GRID = 400  # points at which the density of edge lengths is tabulated
MARGIN = 3.0  # how far the table extends beyond the longest edge, in log length
MIN_BANDWIDTH = 0.1  # minimum bandwidth of the kernel density of log lengths
BROAD_SHARE = 0.05  # share of a broad density, for lengths that no batch has
BROAD_SCALE = 2.0  # of that density, a Laplace density of log lengths: a factor of e^2 in length
# Drifts of the filters that forecast centers, each without and with a velocity. The first follows the last
# position of a single row, the last one averages over about ten steps.
FORECAST_DRIFTS = (10.0, 1.0, 0.1, 0.01)
FORECASTS = np.array([motion.scaled_by(drift) for drift in FORECAST_DRIFTS for motion in (WALK, VELOCITY)])
FIRST_SPREAD = 0.05  # initial spread around a forecast, as a share of the covariance of all points


class ForestReference(NamedTuple):
    """Preprocessed stream with the quantities that do not depend on the clustering."""

    picked: list[IntArray]  # (n,) sampled rows of each batch
    rows: FloatArray  # (N, r) these rows, as in the Gaussian reference
    starts: IntArray  # (T + 1,) first row of each step
    times: FloatArray  # (T,) in units of the median interval
    edge_nats: FloatArray  # (GRID,) of an edge, over an even grid of log lengths
    first_log: float  # log length at the first point of the grid
    log_step: float
    background: FloatArray  # (N,) log density of each point under a broad density of all points
    spread: FloatArray  # (r, r) of a root around its forecast, before any was observed
    min_variance: float


def make_forest_reference(reference: Reference, max_rows: int) -> ForestReference:
    """Sample at most ``max_rows`` rows per step, and measure the edges of their spanning trees."""
    sizes = np.diff(reference.starts)
    rng = np.random.default_rng(0)
    picked = [np.sort(rng.permutation(n)[:max_rows]) for n in sizes]
    rows = np.ascontiguousarray(
        reference.rows[np.concatenate([p + s for p, s in zip(picked, reference.starts[:-1], strict=True)])]
    )
    starts = np.concatenate([[0], np.cumsum([len(some) for some in picked])]).astype(np.int64)
    lengths = _edge_lengths(rows, starts)
    positive = lengths[lengths > 0]
    shortest = float(np.quantile(positive, SHORTEST)) if len(positive) else 1.0
    grid, edge_nats = _edge_table(np.log(np.maximum(lengths, shortest)), rows.shape[1])
    cov = np.atleast_2d(np.cov(rows.T, bias=True)) + reference.smallest * np.eye(rows.shape[1])
    return ForestReference(
        picked=picked,
        rows=rows,
        starts=starts,
        times=reference.times,
        edge_nats=edge_nats,
        first_log=float(grid[0]),
        log_step=float(grid[1] - grid[0]),
        background=log_cauchy(rows - rows.mean(axis=0), cov),
        spread=np.ascontiguousarray(FIRST_SPREAD * cov),
        min_variance=reference.smallest + shortest**2 / 4.0,
    )


def forest_parts(reference: ForestReference, labels: Sequence[Any]) -> FloatArray:
    """Compute the nats per sampled point for edges, roots, labels, events and noise, (5,)."""
    parts: FloatArray = forest_up_to(reference, labels)[0][-1]
    return parts


def forest_up_to(reference: ForestReference, labels: Sequence[Any]) -> tuple[FloatArray, FloatArray]:
    """Compute the parts up to each step, (T, 5), per sampled point of the whole stream.

    Also return the log likelihood of the roots of known ids by the filters with each of FORECAST_DRIFTS,
    without and with a velocity, (D, 2). Points with a negative label are noise.
    """
    found = sampled_labels(reference, labels)
    ids, compact = np.unique(found, return_inverse=True)
    n_noise = int(np.count_nonzero(ids < 0))
    compact = np.maximum(compact.ravel().astype(np.int64) - n_noise, -1)
    total = nats(
        rows=reference.rows,
        ids=compact,
        n_ids=max(len(ids) - n_noise, 1),
        starts=reference.starts,
        times=reference.times,
        edge_nats=reference.edge_nats,
        first_log=reference.first_log,
        log_step=reference.log_step,
        background=reference.background,
        spread=reference.spread,
        min_variance=reference.min_variance,
        motions=FORECASTS,
    )
    shares: FloatArray = total[:, :5] / len(reference.rows)
    return shares, total[-1, 5:].reshape(-1, 2)


def sampled_labels(reference: ForestReference, labels: Sequence[Any]) -> IntArray:
    """Return the labels of the sampled rows, (N,)."""
    found: IntArray = np.concatenate(
        [np.asarray(ids)[some] for ids, some in zip(labels, reference.picked, strict=True)]
    )
    return found


def _edge_lengths(rows: FloatArray, starts: IntArray) -> FloatArray:
    """Return the lengths of the edges of the minimum spanning tree of every step."""
    each = [minimum_spanning_tree(rows[a:b], 1)[1] for a, b in pairwise(starts) if b - a > 1]
    return np.concatenate(each) if each else np.empty(0)


def _edge_table(logs: FloatArray, d: int) -> tuple[FloatArray, FloatArray]:
    """Return an even grid of log lengths, and the nats of an edge: density of its length over a sphere."""
    low, high = (float(logs.min()), float(logs.max())) if len(logs) else (0.0, 0.0)
    grid = np.linspace(low, high + MARGIN, GRID)
    wide = np.linspace(low - MARGIN, high + MARGIN, GRID)
    mass = float(np.sum(_density(logs, wide)) * (wide[1] - wide[0]))
    log_surface = math.log(2.0) + 0.5 * d * math.log(math.pi) - float(gammaln(0.5 * d))
    return grid, -np.log(_density(logs, grid) / mass) + log_surface + d * grid


def _density(logs: FloatArray, grid: FloatArray) -> FloatArray:
    """Compute a kernel density of log lengths, mixed with a broad density."""
    middle = float(np.median(logs)) if len(logs) else 0.0
    broad = np.exp(-np.abs(grid - middle) / BROAD_SCALE) / (2.0 * BROAD_SCALE)
    if len(logs) == 0:
        return broad
    width = max(MIN_BANDWIDTH, 1.06 * float(logs.std()) * len(logs) ** -0.2)  # Silverman's rule
    low, high = float(logs.min()), float(logs.max())
    counts, edges = np.histogram(logs, bins=GRID, range=(low, max(high, low + MIN_BANDWIDTH)))
    centers = 0.5 * (edges[:-1] + edges[1:])
    kernel = np.exp(-0.5 * ((grid[:, None] - centers) / width) ** 2) / (width * math.sqrt(2.0 * math.pi))
    found: FloatArray = (1.0 - BROAD_SHARE) * (kernel @ counts) / len(logs) + BROAD_SHARE * broad
    return found
