"""Sparse approximation of an old center by a subset of its points."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from dynmeans._core import matching_pursuit
from dynmeans._model.types import BoolArray, FloatArray, IntArray

Selection = Literal["greedy", "l1"]
SELECTIONS = get_args(Selection)

DEPENDENT = 1e-6  # minimum new share of a point's squared length; below it coefficients are ill-conditioned
RIDGE = 1e-10  # added to the diagonal of a system, relative to its largest entry
EQUAL = 1.0 - 1e-6  # gains above this share of the best are equal; the most independent point is then chosen
EVENTS = 30  # maximum number of events on the l1 path, per point of the budget
NEGLIGIBLE = 1e-14  # residual, relative to the squared length of the center, at which the selection stops


class Reduced(NamedTuple):
    """A reduced expansion of a center."""

    chosen: IntArray  # (at most budget,)  ascending indices of the support points
    coefficients: FloatArray  # a* of those points
    error: float  # distance between the old and the new center


def choose(gram: FloatArray, coefficients: FloatArray, budget: int, method: Selection = "greedy") -> Reduced:
    """Eq. (krnphiupdate): approximate a center by at most ``budget`` points with new coefficients.

    Parameters
    ----------
    gram : ndarray of shape (s, s)
        W, the kernel between the points of the expansion.
    coefficients : ndarray of shape (s,)
        abar, the coefficients of the center.
    budget : int
        Maximum number of points that are kept.
    method : {"greedy", "l1"}
        "greedy" repeatedly adds the point that reduces the error most. "l1" follows the path of
        l1-regularized regressions up to the budget, then fits without the penalty. Greedy selection usually
        has the smaller error and is faster.

    Returns
    -------
    Reduced
        The support points, their coefficients, and sqrt((abar - a*)' W (abar - a*)).

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([0.0, 1.0, 2.0, 8.0])
    >>> choose(np.outer(points, points), np.full(4, 0.25), budget=1)
    Reduced(chosen=array([3]), coefficients=array([0.34375]), error=0.0)
    """
    if budget < 1:
        raise ValueError(f"budget must be at least 1, got {budget!r}")
    if method not in SELECTIONS:
        raise ValueError(f"method must be one of {list(SELECTIONS)}, got {method!r}")
    chosen, fitted = _PICK[method](gram, coefficients, budget)
    if len(chosen) == 0:  # the center is the origin, but a cluster needs at least one point
        chosen, fitted = np.zeros(1, dtype=np.int64), np.zeros(1)
    order = np.argsort(chosen)
    left = coefficients.copy()
    left[chosen] -= fitted
    return Reduced(chosen[order], fitted[order], length_of(gram, left))


def subsample(coefficients: FloatArray, budget: int) -> tuple[IntArray, FloatArray]:
    """Keep at most ``budget`` points by systematic sampling, without the kernel.

    Parameters
    ----------
    coefficients : ndarray of shape (s,)
        Not negative; a point is kept with a probability proportional to its coefficient.
    budget : int
        Maximum number of points that are kept.

    Returns
    -------
    chosen : ndarray
        Ascending indices of the support points.
    coefficients : ndarray
        Coefficients of those points, with the same total. They are equal, except for points that are sampled
        repeatedly.

    Examples
    --------
    >>> import numpy as np
    >>> subsample(np.full(6, 0.5), 3)
    (array([1, 3, 5]), array([1., 1., 1.]))
    """
    total = np.cumsum(coefficients)
    ticks = (np.arange(budget) + 0.5) * (total[-1] / budget)
    hits = np.minimum(np.searchsorted(total, ticks, side="right"), len(coefficients) - 1)
    chosen, counts = np.unique(hits, return_counts=True)
    return chosen, counts * (total[-1] / budget)


def length_of(gram: FloatArray, coefficients: FloatArray) -> float:
    """Return the length of a linear combination of points."""
    return math.sqrt(max(float(coefficients @ (gram @ coefficients)), 0.0))


def _greedy(gram: FloatArray, coefficients: FloatArray, budget: int) -> tuple[IntArray, FloatArray]:
    """Select points by orthogonal matching pursuit; return them and their coefficients."""
    return matching_pursuit(gram, coefficients, budget, DEPENDENT, EQUAL, NEGLIGIBLE)


def _l1(gram: FloatArray, coefficients: FloatArray, budget: int) -> tuple[IntArray, FloatArray]:
    """Select points on the l1 path; return them and the coefficients of best fit without the penalty."""
    target = gram @ coefficients
    path = _l1_path(gram, target, budget)
    return path, _solve(gram[np.ix_(path, path)], target[path])


_PICK = {"greedy": _greedy, "l1": _l1}


def _solve(gram: FloatArray, target: FloatArray) -> FloatArray:
    """Solve for the coefficients; a small ridge distributes them evenly over equal points."""
    regularized = gram + np.eye(len(gram)) * (RIDGE * gram.diagonal().max(initial=0.0))
    return np.asarray(np.linalg.solve(regularized, target), dtype=np.float64)


def _l1_path(gram: FloatArray, target: FloatArray, budget: int) -> IntArray:
    """Follow the minimizers of (abar - x)' W (abar - x) / 2 + penalty |x|_1 as the penalty decreases.

    A homotopy: between two events all coefficients are linear in the penalty. At an event, a point enters
    because its correlation with the residual reaches the penalty, or leaves because its coefficient reaches
    0.
    """
    x, correlation, active = np.zeros(len(target)), target.copy(), np.zeros(len(target), dtype=np.bool_)
    penalty = float(np.max(np.abs(target)))
    entering, left = int(np.argmax(np.abs(target))), -1
    smallest = NEGLIGIBLE * penalty
    for _ in range(EVENTS * budget):
        if (entering >= 0 and np.count_nonzero(active) == budget) or penalty <= smallest:
            break
        active[entering] |= entering >= 0
        support = np.flatnonzero(active)
        direction = _solve(gram[np.ix_(support, support)], np.sign(correlation[support]))
        slope = gram[:, support] @ direction
        barred = active.copy()
        barred[left] |= left >= 0  # otherwise it would re-enter immediately
        length, entering = _next_entry(correlation, slope, penalty, barred)
        length, leaving = _next_exit(x[support], direction, length)
        x[support] += length * direction
        correlation -= length * slope
        penalty -= length
        left = -1
        if leaving >= 0:
            left, entering = int(support[leaving]), -1
            active[left], x[left] = False, 0.0
    return np.flatnonzero(active)


def _next_entry(
    correlation: FloatArray, slope: FloatArray, penalty: float, barred: BoolArray
) -> tuple[float, int]:
    """Return the decrease of the penalty until a correlation reaches it, and the point; -1 if none does."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.stack([(penalty - correlation) / (1.0 - slope), (penalty + correlation) / (1.0 + slope)])
    lengths[~(lengths > 0.0)] = np.inf
    lengths = np.where(barred, np.inf, lengths).min(axis=0)
    first = int(np.argmin(lengths))
    return (float(lengths[first]), first) if lengths[first] < penalty else (penalty, -1)


def _next_exit(x: FloatArray, direction: FloatArray, length: float) -> tuple[float, int]:
    """Return the decrease of the penalty until a coefficient reaches 0, if that is sooner, and the point."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = -x / direction
    lengths[~(lengths > 0.0)] = np.inf
    first = int(np.argmin(lengths))
    return (float(lengths[first]), first) if lengths[first] < length else (length, -1)
