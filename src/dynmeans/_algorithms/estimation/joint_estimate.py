"""Estimation of scale, motion and mode of D-Means from the first batches.

From the first batch alone, only the birth cost is estimated. From the second batch on, a sample of the
batches so far is clustered with a few combinations of parameters, and the results are scored by code
lengths, as in `tune`. The estimation is repeated after 2, 4, 8, ... batches, until the sample has enough
rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.estimation.better_features import better_features
from dynmeans._algorithms.estimation.birth_cost import (
    estimate_birth_cost,
    estimate_exclusive_birth_cost,
)
from dynmeans._algorithms.estimation.candidates import (
    DRIFTS,
    EXCLUSIVE_RANGE,
    DescentParameters,
    FixedParameters,
    squared_span,
)
from dynmeans._algorithms.estimation.comparison import Attempt, Comparison, CostsOf
from dynmeans._algorithms.estimation.first_batches import (
    MAX_ROWS,
    MIN_BATCHES,
    FirstBatches,
    add_batch,
    begin_again,
    cluster_sample,
    sample_of_objects,
)
from dynmeans._algorithms.estimation.lifetime import age_of_end
from dynmeans._algorithms.estimation.mode_and_motion import choose_mode_and_motion, likely_drift
from dynmeans._codes.gaussian_code import median_interval
from dynmeans._codes.two_codes import STRONG_EVIDENCE
from dynmeans._model.types import FloatArray, IntArray

ONE_OBJECT = 1e100  # birth cost at which all rows belong to one object
STEP = math.sqrt(2.0)  # factor between birth costs that are compared
LONGER = 1.1  # factor between lifetimes that differ


def update_first_batches(
    old: FirstBatches | None, batch: Batch, given: FixedParameters, costs_of: CostsOf, seed: int
) -> FirstBatches:
    """Add a batch to the sample; after 1, 2, 4, 8, ... batches, estimate the parameters."""
    old = _no_batches(given) if old is None else old
    if old.is_final:
        return old
    if len(batch.rows) == 0:
        return old._replace(clock=batch.time)
    found = add_batch(old, batch)
    if not found.is_due:
        return found
    found = found._replace(interval=median_interval(np.array(found.times)))
    if not found.is_enough:
        return _estimated(found, batch, given, costs_of, seed)
    if not _has_scale(found.rows):
        return begin_again(found)
    return _estimated(found._replace(is_final=True), batch, given, costs_of, seed)


def _no_batches(given: FixedParameters) -> FirstBatches:
    """Return the state before the first batch, in which all rows belong to one object."""
    birth = ONE_OBJECT if given.birth is None else given.birth
    start = DescentParameters(
        birth,
        given.motion or "walk",
        refine=bool(given.refine),
        exclusive=bool(given.exclusive),
        merge=bool(given.merge),
    )
    return FirstBatches((), None, (), 0, 1.0, start)


def _estimated(
    found: FirstBatches, batch: Batch, given: FixedParameters, costs_of: CostsOf, seed: int
) -> FirstBatches:
    """Return the sample with new parameters."""
    if found.n_batches == 1:
        return found._replace(parameters=_from_one_batch(found.parameters, batch, given, seed))
    if not _has_scale(found.rows):
        return found
    sample = sample_of_objects(found)
    if sample is None:
        if (
            len(batch.rows) > MAX_ROWS
            and _are_known(found.labels)
            and _has_few_rows_per_cluster(found, costs_of)
        ):
            return found  # the sample of each batch is too small for these clusters, which last
        sample = found
    compared = Comparison(sample, costs_of)
    best = choose_mode_and_motion(compared, given)
    if not given.has_drift:
        best = _with_best_drift(compared, best, given)
    if given.birth is None and best.exclusive and best.motion == "velocity":
        best = _with_least_birth(compared, best)
    if given.merge is None and not best.exclusive:
        best = best._replace(merge=_merges(compared, best))
    if not given.has_lifetime and _shows_absences(sample, compared.labels(best)):
        best = _with_lifetime(compared, best)
    if found.is_final and given.may_be_scaled and not best.exclusive:
        found = found._replace(proposal=better_features(compared, best, given, costs_of))
    return found._replace(parameters=best, contradicts=_contradicts(compared, best))


def _from_one_batch(
    start: DescentParameters, batch: Batch, given: FixedParameters, seed: int
) -> DescentParameters:
    """Return the parameters with the birth cost of a single batch, which has no motion to estimate."""
    if given.birth is not None:
        return start
    if start.exclusive:
        birth = estimate_exclusive_birth_cost(batch.rows)
    else:
        birth = estimate_birth_cost(batch.rows, batch.weights, seed)
    return start if birth is None else start._replace(birth=birth)


def _has_scale(batches: Sequence[FloatArray]) -> bool:
    """Return whether a batch has two rows at a distance whose square is not 0."""
    return any(len(rows) > 1 and squared_span(rows) > np.finfo(np.float64).tiny for rows in batches)


def _are_known(labels: Sequence[IntArray]) -> bool:
    """Return whether most rows are in clusters that were born before their batch; ids ascend with births.

    Otherwise clusters do not last, so that nothing is lost by new ones.
    """
    newest = np.maximum.accumulate([int(ids.max(initial=-1)) for ids in labels])
    n_old = sum(int(np.count_nonzero(ids <= before)) for ids, before in zip(labels[1:], newest, strict=False))
    n_later = sum(map(len, labels[1:]))
    return n_later == 0 or 2 * n_old > n_later


def _has_few_rows_per_cluster(found: FirstBatches, costs_of: CostsOf) -> bool:
    """Return whether the clusters of the present parameters have fewer than two sampled rows each."""
    costs = costs_of(found.parameters, found.interval)
    labels = cluster_sample(found, found.parameters, costs)[1]
    return sum(len(np.unique(ids)) for ids in labels) * 2 > sum(map(len, labels))


def _with_best_drift(
    compared: Comparison, best: DescentParameters, given: FixedParameters
) -> DescentParameters:
    """Return the parameters with the drift of the shortest code.

    A drift that is too small ends ids of objects that move far. One that is too large lets a sleeping cluster
    take rows of other objects, and follows the noise of single positions. Among equal results of clusters
    with a velocity, the drift that forecasts them best is preferred.
    """
    drifts = (best.drift, *DRIFTS)
    if best.motion == "velocity":
        drifts = (likely_drift(Attempt(best, compared.lengths(best)), given), *drifts)
    return min((best._replace(drift=drift) for drift in drifts), key=compared.length)


def _with_least_birth(compared: Comparison, best: DescentParameters) -> DescentParameters:
    """Return exclusive parameters with twice the largest birth cost that changes the result of the sample.

    Many birth costs have the same result. With a large one, a later object inherits the id of another that
    has left. With a small one, an object that moves farther than those of the sample gets a new id. The
    square of the largest of n Gaussian displacements grows with log n, so it is twice as large among n^2 of
    them. If the objects of the sample rest, they contain no information about displacements.
    """
    low, high = EXCLUSIVE_RANGE
    limit, n_steps = compared.length(best) + 1e-9, round(math.log(high / low, STEP))
    births = (best.birth / STEP**k for k in range(1, n_steps + 1))
    changing = next((b for b in births if compared.length(best._replace(birth=b)) > limit), None)
    return best if changing is None else best._replace(birth=min(2.0 * changing, best.birth))


def _merges(compared: Comparison, best: DescentParameters) -> bool:
    """Return whether to merge clusters that are not worth a birth: unless the code is clearly longer.

    Wrong clusters collect over a long stream, of which the sample has only the beginning.
    """
    separate, merged = (compared.lengths(best._replace(merge=merge)) for merge in (False, True))
    return not merged.is_clearly_longer(separate, compared.by_forest)


def _shows_absences(sample: FirstBatches, labels: Sequence[IntArray]) -> bool:
    """Return whether a cluster without sampled rows in a step is absent, by odds of 20 to 1.

    A cluster of which n rows are sampled in the mean has none by chance with probability exp(-n).
    """
    n_sightings = sum(len(np.unique(ids)) for ids in labels)
    return sample.share == 1.0 or sum(map(len, labels)) >= STRONG_EVIDENCE * n_sightings


def _with_lifetime(compared: Comparison, best: DescentParameters) -> DescentParameters:
    """Return the parameters with a longer lifetime, if objects that were missed for long may be seen again.

    With a longer lifetime fewer ids end, so that the estimate may be longer still.
    """
    times, interval = compared.sample.times, compared.sample.interval
    longest = (times[-1] - times[0]) / interval
    while True:
        lifetime = min(age_of_end(times, compared.labels(best), interval, best.lifetime), longest)
        if lifetime < LONGER * best.lifetime:
            return best
        best = best._replace(lifetime=lifetime)


def _contradicts(compared: Comparison, best: DescentParameters) -> bool:
    """Return whether there is strong evidence for new labels, against those of the batches before the last.

    Estimates from fewer batches than a final one needs are too uncertain to change clusters.
    """
    old, new = compared.sample.labels, compared.labels(best)
    if len(new) < MIN_BATCHES or len(old) != len(new) - 1:  # no labels of a window, or of an earlier version
        return False
    lengths = [compared.codes.lengths(labels).up_to for labels in ([*old, new[-1]], new)]
    before, after = (each[int(compared.by_forest)][-2] for each in lengths if each is not None)
    return bool((before - after) * compared.codes.n_rows > STRONG_EVIDENCE)
