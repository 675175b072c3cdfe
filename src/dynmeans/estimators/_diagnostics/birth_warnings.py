"""Warnings about data on which no cluster can be born."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from scipy.spatial.distance import cdist

from dynmeans._algorithms.batch import Rows
from dynmeans._algorithms.estimation.birth_cost import N_ESTIMATION_BATCHES
from dynmeans._algorithms.estimation.sphere_birth_cost import SAMPLE as SPHERE_SAMPLE
from dynmeans._algorithms.estimation.sphere_birth_cost import chance_of, distinct_sample
from dynmeans._model.events import Event
from dynmeans._model.types import FloatArray
from dynmeans._sampling import evenly_spaced
from dynmeans.estimators._diagnostics.caller import caller_level
from dynmeans.estimators._diagnostics.result_checks import ClusteringWarning
from dynmeans.estimators._parameters.metric_choice import are_unit_rows

SAMPLE = 100  # rows
MIN_CLUSTERS = 3  # two may be parts of one


def warn_of_unit_rows(rows: Rows) -> None:
    """Warn if all rows of the first batch are unit vectors with many features.

    The mean of such rows is short, and all other rows are nearer to it than to each other. With a birth cost
    that suits single rows, no cluster is born after the first batch.
    """
    n, d = rows.shape
    if n < 2 or not are_unit_rows(rows):
        return
    warnings.warn(
        f"all {n} rows are unit vectors with {d} features; use metric='cosine' to cluster their directions",
        UserWarning,
        stacklevel=caller_level(),
    )


def warn_of_common_direction(rows: Rows) -> None:
    """Warn if nearly all pairs of directions of the first batch are closer than chance.

    The mean of many such rows is near to every row, so the rows of all other clusters join the large ones.
    """
    if len(rows) < 2:
        return
    chance = chance_of(distinct_sample(rows, SPHERE_SAMPLE))
    if chance.mean == 0.0:
        return
    warnings.warn(
        f"the rows share a direction: the cosine of unrelated rows is about {chance.mean:.2f}; unless they "
        "are one cluster, subtract the mean row of the data before clustering with metric='cosine'",
        UserWarning,
        stacklevel=caller_level(),
    )


def warn_of_no_births(
    rows: Rows, centers: FloatArray, birth_cost: float, history: Iterable[Event], metric: str
) -> None:
    """Warn if no cluster was born after the first batch and no row could found one beside any center."""
    if len(centers) < MIN_CLUSTERS or any(event.kind == "birth" and event.step > 1 for event in history):
        return
    some = rows[evenly_spaced(len(rows), SAMPLE)]
    largest = float(cdist(some, centers, "cosine" if metric == "cosine" else "sqeuclidean").max())
    if largest > birth_cost:
        return
    warnings.warn(
        f"no row could found a cluster in {N_ESTIMATION_BATCHES} steps: the birth cost is {birth_cost:.4g}, "
        f"and no row is farther than {largest:.4g} from any of {len(centers)} centers; "
        "use a smaller birth_cost",
        ClusteringWarning,
        stacklevel=caller_level(),
    )
