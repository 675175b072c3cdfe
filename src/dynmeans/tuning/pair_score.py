"""Pair score of a clustered stream of directions: a quality measure that needs no labels.

Two rows with the same id, in the same step or in different ones, count their cosine minus the chance level
c0; all other pairs count 0 (correlation clustering). With S the sum and n the number of the rows of an id,
over the whole stream,

    P = sum over ids of |S|^2 - n - c0 n (n - 1)                                       Eq. (sphere-pairs)

The score covers splits and merges, also over time: if two parts of a topic have different ids, the pairs
between them are not counted. The score is 1 - P / U, where U is the sum over all pairs of max(cosine - c0,
0), an upper bound on P. The best score is 0. If every row is alone, the score is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.estimation.birth_cost import N_ESTIMATION_BATCHES, pooled_birth_cost
from dynmeans._algorithms.estimation.sphere_birth_cost import (
    HIGH_SHARES,
    LEVELS,
    SAMPLE,
    chance_of,
    distinct_sample,
    estimate_sphere_birth_cost,
    thresholds_of,
)
from dynmeans._algorithms.sphere import unit_rows
from dynmeans._model.sphere_costs import SPHERE_LIFETIME
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.tuning._clustered_stream import read_clustered
from dynmeans.tuning._scorers import FAILED, Evaluation, Scorer, cluster, configure, evaluate
from dynmeans.tuning._space import Axis, Space, lifetimes
from dynmeans.tuning._stream import TuningStream

MAX_PAIR_ROWS = 2000  # of the whole stream, for the largest possible score
TOLERANCE = 0.01  # difference below which two scores tie
RARE = 2.0  # standard deviations of a chance cosine above its mean
LARGEST_CHANCE = 0.9  # with few features, unrelated rows often have a large cosine
# The lifetime is also the cost of a short absence, so a short stream can test long ones.
LONGEST_LIFETIME = 2.0 * SPHERE_LIFETIME


class PairReference(NamedTuple):
    """Preprocessed stream of directions with the quantities that do not depend on the clustering."""

    rows: FloatArray  # (N, d) unit rows of all batches
    weights: FloatArray  # (N,)
    chance: float  # c0
    largest: float  # U, per unit of weight


def make_pair_reference(
    batches: Sequence[Any], weights: Sequence[FloatArray] | None = None, chance: float | None = None
) -> PairReference:
    """Prepare a stream for `pair_loss`.

    Parameters
    ----------
    batches : sequence of ndarray of shape (n, d)
    weights : sequence of ndarray of shape (n,), optional
    chance : float, optional
        The chance level c0; by default the threshold of the automatic birth cost before it is raised for new
        clusters, and at least two standard deviations above the mean cosine of unrelated directions.
    """
    units = _directions(batches)
    if not units:
        raise ValueError("all batches are empty; a pair score needs rows")
    rows: FloatArray = np.concatenate(units)
    mass = np.ones(len(rows)) if weights is None else np.concatenate(weights)
    level = _chance_level(units) if chance is None else chance
    every = evenly_spaced(len(rows), MAX_PAIR_ROWS)
    excess = np.maximum(rows[every] @ rows[every].T - level, 0.0)
    np.fill_diagonal(excess, 0.0)
    share = mass[every] @ excess @ mass[every] / mass[every].sum() ** 2
    return PairReference(rows, mass, level, float(share * mass.sum()))


def _chance_level(units: Sequence[FloatArray]) -> float:
    """Return the cosine that separates pairs of rows, at least one that unrelated rows rarely have.

    The first batches may have a single topic; then the automatic birth cost is that of unrelated rows.
    """
    unrelated = chance_of(distinct_sample(np.concatenate(units), SAMPLE))
    rare = min(unrelated.mean + RARE * unrelated.deviation, LARGEST_CHANCE)
    return max(1.0 - automatic_birth_cost(units, of_pairs=True), rare)


def pair_loss(reference: PairReference, labels: Sequence[Any]) -> float:
    """Eq. (sphere-pairs) as a loss: 1 - P / U. Rows of noise (-1) count as alone."""
    found: IntArray = np.concatenate([np.asarray(batch, dtype=np.int64) for batch in labels])
    if len(found) != len(reference.rows):
        raise ValueError(
            f"labels must have one entry for each of {len(reference.rows)} rows, got {len(found)}"
        )
    is_known = found >= 0
    _, owner = np.unique(found[is_known], return_inverse=True)
    mass = reference.weights[is_known]
    sums = np.zeros((int(owner.max(initial=-1)) + 1, reference.rows.shape[1]))
    np.add.at(sums, owner, mass[:, None] * reference.rows[is_known])
    n, squares = np.bincount(owner, weights=mass), np.bincount(owner, weights=mass**2)
    pairs = np.einsum("ij,ij->", sums, sums) - squares.sum() - reference.chance * (n**2 - squares).sum()
    if reference.largest <= 0:
        return 1.0
    return float(1.0 - pairs / reference.weights.sum() / reference.largest)


def pair_score(batches: Sequence[Any], labels: Sequence[Any], weights: Any = None) -> float:
    """Compute the pair score of a clustered stream of directions; lower is better, 0 is the best.

    Parameters
    ----------
    batches : sequence of array-like of shape (n, d)
        Only the directions of the rows count.
    labels : sequence of array-like of shape (n,)
        Id of every row, -1 for noise.
    weights : sequence of array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from dynmeans.tuning import pair_score
    >>> batches = [[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 3.0]]]
    >>> pair_score(batches, [[0, 1], [0, 1]])
    0.0
    >>> pair_score(batches, [[0, 1], [2, 1]])
    0.5
    """
    stream = read_clustered(batches, labels, weights=weights)
    return pair_loss(make_pair_reference(stream.batches, stream.weights), stream.labels)


def score_by_pairs(estimator: Any, stream: TuningStream, reference: PairReference | None = None) -> Scorer:
    """Score by the pair score of the result."""
    known = make_pair_reference(stream.batches, stream.weights) if reference is None else reference

    def score(params: dict[str, Any], seed: int) -> Evaluation:
        try:
            labels = cluster(configure(estimator, params, seed), stream)
        except ValueError:
            if not hasattr(estimator, "estimator"):
                raise
            return FAILED  # a wrapped clusterer may reject a batch, such as one with too few rows
        return evaluate(pair_loss(known, labels), labels)

    return score


def _directions(batches: Sequence[Any]) -> list[FloatArray]:
    rows = [np.asarray(batch, dtype=np.float64) for batch in batches]
    return [np.asarray(unit_rows(batch), dtype=np.float64) for batch in rows if len(batch)]


def automatic_birth_cost(batches: Sequence[FloatArray], *, of_pairs: bool = False) -> float:
    """Return what ``birth_cost="auto"`` estimates on batches of unit rows; 1 if it has no estimate."""
    estimates: list[float] = []
    for batch in batches:
        if len(estimates) == N_ESTIMATION_BATCHES:
            break
        found = estimate_sphere_birth_cost(batch, 0, of_pairs=of_pairs)
        estimates += [] if found is None else [found]
    return pooled_birth_cost(estimates) or 1.0


def cosine_space(stream: TuningStream, interval: float) -> Space:
    """Build the space of birth cost and lifetime, with the automatic birth cost as the default.

    Birth costs range from clusters much closer than chance up to the chance level. The drift is 0.
    """
    units = _directions(stream.batches)
    default = automatic_birth_cost(units)
    some: FloatArray = np.concatenate(units[:N_ESTIMATION_BATCHES])
    chance = chance_of(distinct_sample(some, SAMPLE))
    low = 1.0 - float(thresholds_of(chance)[len(LEVELS) + len(HIGH_SHARES) // 2 - 1])
    births = Axis("birth_cost", min(low, default), max(1.0 - chance.mean, default))
    shortest, longest = lifetimes(len(stream.batches))
    life = Axis("lifetime", shortest, max(longest, LONGEST_LIFETIME), origin=1.0)
    defaults = np.array([births.share(default), life.share(SPHERE_LIFETIME)])
    return Space((births, life), ({},), interval, defaults=defaults)
