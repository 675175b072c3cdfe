"""Estimates of the parameters that are not given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.estimation.first_batches import FirstBatches, add_labels
from dynmeans._model.types import IntArray


class Estimates(NamedTuple):
    """Parameters that are estimated from the first batches; a given parameter has no estimate."""

    birth_costs: tuple[float, ...] = ()  # one per batch, if birth_cost is "auto"
    metric: str | None = None  # of D-Means: None until the first rows
    first_batches: FirstBatches | None = None  # of D-Means: None if no parameters are estimated jointly
    feature_scales: tuple[float, ...] | None = None  # of D-Means: units of the remembered clusters
    times: tuple[float, ...] = ()  # of the batches of `birth_costs`, with the cosine metric


def with_labels(estimates: Estimates, labels: IntArray) -> Estimates:
    """Add the ids of the rows of the last batch to the sample of the first batches, if it is still used."""
    first = estimates.first_batches
    if first is None or not first.rows or len(labels) == 0:
        return estimates
    return estimates._replace(first_batches=add_labels(first, labels))


def updated_birth_costs(
    birth_costs: tuple[float, ...],
    batch: Batch,
    estimate: Callable[[Batch], float | None],
    *,
    is_final: bool,
) -> tuple[float, ...]:
    """Add the estimate of a batch, unless the birth cost is given or final, or the batch has none."""
    if is_final or len(batch.rows) == 0:
        return birth_costs
    found: Any = estimate(batch)
    return birth_costs if found is None else (*birth_costs, found)
