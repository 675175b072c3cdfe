"""The alignment of `align` for rows with many features, by matrix products.

The compiled loop (src/core/kernel/align.hpp) compares all coordinates of every pair in every round. Here the
squared distances before any shift are computed once. A shift s changes them by 2 s'(u - y) + s's, which needs
the products of rows and shifts only. So a round costs about the same for any number of features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray, IntArray

WIDEST = 3.5  # bandwidth of the first round, in units of the last
ROUNDS = 10  # number of rounds, as in the compiled loop
# Of exp, as in the compiled loop: subnormal numbers make exp and products 3 times as slow.
LOWEST_POWER = -700.0
OWN = 2.0 / 3.0  # posterior from which a row is explained by hardly any other cluster


class _AlignInput(NamedTuple):
    """Rows and support points about their common mean, with quantities that do not depend on the shifts."""

    rows: FloatArray  # y (n, d)
    weights: FloatArray  # m (n,)
    kept: FloatArray  # u (M, d)
    owner: IntArray  # (M,)
    shares: FloatArray  # (M, K)  share of each support point in the column of its cluster
    squares: FloatArray  # (n, M)  squared distances before any shift
    bandwidth: float  # h
    background: float  # b


class _Evidence(NamedTuple):
    taken: FloatArray  # (K,)   sum of m q
    displacement_sum: FloatArray  # (K, d)  sum of m q (y - u)
    likelihood: float  # logarithm, up to a constant


def align_wide(
    rows: FloatArray,
    weights: FloatArray,
    kept: FloatArray,
    shares: FloatArray,
    owner: IntArray,
    n_old: int,
    bandwidth: float,
    background: float,
) -> FloatArray:
    """Return the translation of each old cluster that best explains the rows, as `_core.align_shifts`."""
    order = np.argsort(owner, kind="stable")
    kept, shares, owner = kept[order], shares[order], owner[order]
    middle = rows.mean(axis=0)
    y, u = rows - middle, kept - middle
    mix = np.zeros((len(kept), n_old))
    mix[np.arange(len(kept)), owner] = shares
    squares = np.einsum("ij,ij->i", y, y)[:, None] + np.einsum("ij,ij->i", u, u) - 2.0 * (y @ u.T)
    inputs = _AlignInput(
        rows=y,
        weights=weights,
        kept=u,
        owner=owner,
        shares=mix,
        squares=np.maximum(squares, 0.0),
        bandwidth=bandwidth,
        background=background,
    )
    rest = np.zeros((n_old, rows.shape[1]))
    moved, from_rest = _anneal(inputs, rest, 0, tied=False)
    shared, _ = _anneal(inputs, rest, 0, tied=True)
    shared, from_shared = _anneal(inputs, shared, ROUNDS // 2, tied=False)
    return _stay_if_unseen(inputs, shared if from_shared > from_rest else moved)


def _anneal(inputs: _AlignInput, shifts: FloatArray, first: int, *, tied: bool) -> tuple[FloatArray, float]:
    """Run expectation maximization while the bandwidth narrows; return the shifts and their likelihood."""
    for one in range(first, ROUNDS):
        factor = WIDEST ** (1.0 - (one + 1.0) / ROUNDS)
        taken, displacement_sum, _ = _expect(inputs, shifts, factor)
        if tied:  # every cluster gets the evidence of all, so that they move as one
            taken = np.full_like(taken, taken.sum())
            displacement_sum = np.broadcast_to(displacement_sum.sum(axis=0), displacement_sum.shape)
        prior = (inputs.bandwidth * factor) ** 2 / _squared_step(inputs, shifts, taken)
        shifts = displacement_sum / (taken + prior)[:, None]
    return shifts, _expect(inputs, shifts, 1.0).likelihood


def _squared_step(inputs: _AlignInput, shifts: FloatArray, taken: FloatArray) -> float:
    """Return the squared displacement per coordinate that is expected of clusters with little evidence."""
    evidence = float(taken.sum())
    squares = float(taken @ np.einsum("kc,kc->k", shifts, shifts))
    return inputs.bandwidth**2 + (squares / (shifts.shape[1] * evidence) if evidence > 0 else 0.0)


def _expect(inputs: _AlignInput, shifts: FloatArray, factor: float) -> _Evidence:
    gauss = _gaussians(inputs, shifts, inputs.bandwidth * factor)
    mass = gauss @ inputs.shares
    with np.errstate(over="ignore"):
        total = mass.sum(axis=1) + inputs.background * np.power(factor, inputs.rows.shape[1])
    scale = inputs.weights / total
    explained = scale[:, None] * mass
    points = (scale @ gauss)[:, None] * inputs.shares  # (M, K)
    displacement_sum = explained.T @ inputs.rows - points.T @ inputs.kept
    return _Evidence(explained.sum(axis=0), displacement_sum, float(inputs.weights @ np.log(total)))


def _gaussians(inputs: _AlignInput, shifts: FloatArray, h: float) -> FloatArray:
    """Return exp(-|y - u - s|^2 / (2 h^2)) of every row and support point, (n, M)."""
    rate = 0.5 / h**2
    own = np.einsum("jc,jc->j", inputs.kept, shifts[inputs.owner])
    lengths = np.einsum("kc,kc->k", shifts, shifts)[inputs.owner]
    along = inputs.rows @ (2.0 * rate * shifts.T)
    powers = inputs.squares * -rate
    powers -= rate * (2.0 * own + lengths)
    for k in np.unique(inputs.owner):  # support points of a cluster are together
        begin, end = np.searchsorted(inputs.owner, [k, k + 1])
        powers[:, begin:end] += along[:, k, None]
    np.clip(powers, LOWEST_POWER, 0.0, out=powers)
    gauss: FloatArray = np.exp(powers, out=powers)
    return gauss


def _stay_if_unseen(inputs: _AlignInput, shifts: FloatArray) -> FloatArray:
    """Undo the shifts of clusters whose rows are explained by other clusters, the longest first."""
    moved, still = (
        _gaussians(inputs, some, inputs.bandwidth) @ inputs.shares for some in (shifts, np.zeros_like(shifts))
    )
    total = moved.sum(axis=1) + inputs.background
    kept = shifts.copy()
    for k in np.argsort(-np.einsum("kc,kc->k", shifts, shifts), kind="stable"):
        posterior = moved[:, k] / total
        taken = inputs.weights * posterior
        if taken[posterior > OWN].sum() < 0.5 * taken.sum():
            kept[k] = 0.0
            total += still[:, k] - moved[:, k]
    return kept
