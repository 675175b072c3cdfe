"""A few regressors for many: the sparse approximation of an old centre."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from dynmeans._core import matching_pursuit
from dynmeans._model.types import BoolArray, FloatArray, IntArray

Selection = Literal["greedy", "l1"]
SELECTIONS = get_args(Selection)

DEPENDENT = (
    1e-6  # share of its squared length that a point must add to the chosen ones, or coefficients explode
)
GRAIN = 1e-10  # on the diagonal of a system, as a share of the largest entry there
EQUAL = 1.0 - 1e-6  # gains above this share of the best are equal; then the most independent point wins
EVENTS = 30  # on the l1 path, for each point of the budget
NEGLIGIBLE = 1e-14  # nor is anything left to explain below this share of the squared length of the centre


class Reduced(NamedTuple):
    """What is left of an expansion."""

    chosen: IntArray  # (at most budget,)  rising indices of the points that stay
    coefficients: FloatArray  # a* of those points
    error: float  # distance between the old and the new centre


def choose(gram: FloatArray, coefficients: FloatArray, budget: int, method: Selection = "greedy") -> Reduced:
    """Eq. (krnphiupdate): at most ``budget`` points, with new coefficients, nearest to the given centre.

    Parameters
    ----------
    gram : ndarray of shape (s, s)
        W, the kernel between the points of the expansion.
    coefficients : ndarray of shape (s,)
        abar, how much of each point is in the centre.
    budget : int
        Largest number of points that stay.
    method : {"greedy", "l1"}
        Add the point that reduces the error most, again and again; or follow the path of l1-regularised
        regressions until it has as many points, then fit without the penalty. Greedy selection has
        the smaller error as a rule, and takes less time.

    Returns
    -------
    Reduced
        The points that stay, their coefficients, and sqrt((abar - a*)' W (abar - a*)).

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
    if len(chosen) == 0:  # the centre is at the origin, but a cluster without points cannot be kept
        chosen, fitted = np.zeros(1, dtype=np.int64), np.zeros(1)
    order = np.argsort(chosen)
    left = coefficients.copy()
    left[chosen] -= fitted
    return Reduced(chosen[order], fitted[order], length_of(gram, left))


def thin(coefficients: FloatArray, budget: int) -> tuple[IntArray, FloatArray]:
    """Keep at most ``budget`` points by systematic sampling, without looking at the kernel.

    Parameters
    ----------
    coefficients : ndarray of shape (s,)
        None of them negative; a point stays with a chance in proportion to its own.
    budget : int
        Largest number of points that stay.

    Returns
    -------
    chosen : ndarray
        Rising indices of the points that stay.
    coefficients : ndarray
        Of those points, with the total of all. They are equal, but for points that outweigh a sample.

    Examples
    --------
    >>> import numpy as np
    >>> thin(np.full(6, 0.5), 3)
    (array([1, 3, 5]), array([1., 1., 1.]))
    """
    total = np.cumsum(coefficients)
    ticks = (np.arange(budget) + 0.5) * (total[-1] / budget)
    hits = np.minimum(np.searchsorted(total, ticks, side="right"), len(coefficients) - 1)
    chosen, counts = np.unique(hits, return_counts=True)
    return chosen, counts * (total[-1] / budget)


def length_of(gram: FloatArray, coefficients: FloatArray) -> float:
    """Length of a combination of points."""
    return math.sqrt(max(float(coefficients @ (gram @ coefficients)), 0.0))


def _greedy(gram: FloatArray, coefficients: FloatArray, budget: int) -> tuple[IntArray, FloatArray]:
    """Points that reduce the error most, one after the other, and their coefficients."""
    return matching_pursuit(gram, coefficients, budget, DEPENDENT, EQUAL, NEGLIGIBLE)


def _l1(gram: FloatArray, coefficients: FloatArray, budget: int) -> tuple[IntArray, FloatArray]:
    """Points on the l1 path, and the coefficients that fit best without the penalty."""
    target = gram @ coefficients
    path = _l1_path(gram, target, budget)
    return path, _solve(gram[np.ix_(path, path)], target[path])


_PICK = {"greedy": _greedy, "l1": _l1}


def _solve(gram: FloatArray, target: FloatArray) -> FloatArray:
    """Coefficients that explain the target; a grain on the diagonal lets equal points share."""
    firm = gram + np.eye(len(gram)) * (GRAIN * gram.diagonal().max(initial=0.0))
    return np.asarray(np.linalg.solve(firm, target), dtype=np.float64)


def _l1_path(gram: FloatArray, target: FloatArray, budget: int) -> IntArray:
    """Points on the path of minimisers of (abar - x)' W (abar - x) / 2 + penalty |x|_1 as the penalty falls.

    A homotopy: between two events all coefficients move on a line; at an event a point enters, because its
    pull on the rest reaches the penalty, or leaves, because its coefficient reaches 0.
    """
    x, pull, active = np.zeros(len(target)), target.copy(), np.zeros(len(target), dtype=np.bool_)
    penalty = float(np.max(np.abs(target)))
    entering, left = int(np.argmax(np.abs(target))), -1
    smallest = NEGLIGIBLE * penalty
    for _ in range(EVENTS * budget):
        if (entering >= 0 and np.count_nonzero(active) == budget) or penalty <= smallest:
            break
        active[entering] |= entering >= 0
        who = np.flatnonzero(active)
        way = _solve(gram[np.ix_(who, who)], np.sign(pull[who]))
        fall = gram[:, who] @ way
        barred = active.copy()
        barred[left] |= left >= 0  # or it would come back at once
        length, entering = _next_entry(pull, fall, penalty, barred)
        length, leaving = _next_exit(x[who], way, length)
        x[who] += length * way
        pull -= length * fall
        penalty -= length
        left = -1
        if leaving >= 0:
            left, entering = int(who[leaving]), -1
            active[left], x[left] = False, 0.0
    return np.flatnonzero(active)


def _next_entry(pull: FloatArray, fall: FloatArray, penalty: float, barred: BoolArray) -> tuple[float, int]:
    """How far the penalty falls until a point's pull, from either side, reaches it; -1 if none does."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.stack([(penalty - pull) / (1.0 - fall), (penalty + pull) / (1.0 + fall)])
    lengths[~(lengths > 0.0)] = np.inf
    lengths = np.where(barred, np.inf, lengths).min(axis=0)
    first = int(np.argmin(lengths))
    return (float(lengths[first]), first) if lengths[first] < penalty else (penalty, -1)


def _next_exit(x: FloatArray, way: FloatArray, length: float) -> tuple[float, int]:
    """The same, until a coefficient reaches 0, if that is sooner."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = -x / way
    lengths[~(lengths > 0.0)] = np.inf
    first = int(np.argmin(lengths))
    return (float(lengths[first]), first) if lengths[first] < length else (length, -1)
