"""Estimators to attack, and the invariants after each step."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans

REFUSALS = (ValueError, TypeError)

ESTIMATORS: dict[str, Callable[..., Any]] = {
    "DMeans": DMeans,
    "KDMeans": KDMeans,
    "SDMeans": SDMeans,
    "PersistentIds": lambda **params: PersistentIds(KMeans(1, n_init=1), **params),
    "DMeans cosine": partial(DMeans, metric="cosine"),
    "DMeans exclusive": partial(DMeans, exclusive=True, min_hits=2),
    "PersistentIds cosine": lambda **params: PersistentIds(KMeans(1, n_init=1), metric="cosine", **params),
}


def check_step(model: Any, n: int) -> None:
    """Raise if the result of a step is inconsistent."""
    step = model.step_
    if not (len(model.labels_) == n and np.isfinite(step.cost)):
        raise AssertionError(f"{len(model.labels_)} labels for {n} rows at a cost of {step.cost}")
    state = model._remembered
    for name in ("centers", "weights", "last_seen"):
        if not np.isfinite(getattr(state, name)).all():
            raise AssertionError(f"{name} of the clusters are not finite")
    if not (
        (state.weights > 0).all() and (np.diff(state.ids) > 0).all() and (state.ids < state.next_id).all()
    ):
        raise AssertionError("weights or ids of the clusters contradict each other")


def quietly(action: Callable[[], object]) -> Callable[[], object]:
    """Return the action without warnings: of others, about numbers that are checked afterwards."""

    def run() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return action()

    return run
