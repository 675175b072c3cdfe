"""Merging of clusters that are not worth a birth (`src/core/dmeans/refinement/merge_clusters.hpp`).

The objective charges the birth of a cluster once, and its revival costs less. So a cluster that was founded
by mistake keeps its rows, and a sleeping cluster takes rows of another one that comes near. Both end the id
of an object. With merging, every cluster of a batch must be worth a birth. If

    n_a n_b / (n_a + n_b) |mean_a - mean_b|^2 < lambda

then the rows of two clusters cost less than a birth more as one cluster. They become rows of the older
cluster, and the younger one falls asleep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._core import merge_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior
from dynmeans._model.types import SlotArray


class MergedFit(NamedTuple):
    """A clustering in which every cluster is worth a birth."""

    fit: Fit
    numbers: SlotArray | None  # (slots,) new slot of each slot; None if nothing was merged


def merge_fit(fit: Fit, prior: Prior, costs: Costs) -> MergedFit:
    """Merge each cluster that is not worth a birth into the nearest older one."""
    found = merge_clusters(
        centers=fit.centers,
        slot_weights=fit.slot_weights,
        old_centers=prior.centers,
        gammas=prior.gammas,
        revival=prior.revival,
        birth=costs.birth,
    )
    if found is None:
        return MergedFit(fit, None)
    numbers, centers, slot_weights, change = found
    slots: SlotArray = np.take(numbers.astype(fit.slots.dtype, copy=False), fit.slots)
    merged = fit._replace(slots=slots, centers=centers, slot_weights=slot_weights, cost=fit.cost + change)
    return MergedFit(merged, numbers)
