"""The metric of D-Means: given, or chosen from the first rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans.estimators.parameters.automatic import is_free

METRICS = ("auto", "euclidean", "cosine")
MANY_FEATURES = 32  # single unit rows are then about equally far from each other, and from short mean rows
UNIT_TOLERANCE = 1e-3


class MetricChoice:
    """Mixin: ``metric="auto"`` is the cosine metric if the first rows are unit vectors with many features.

    The mean of such rows is short, and all rows are nearer to it than to each other. So no birth cost suits
    both, and distances do not work. With any parameter that is in units of squared distances, or that
    directions do not have, it is the Euclidean metric.
    """

    metric: str
    metric_: str | None  # None until the first rows

    def _is_cosine(self) -> bool:
        return (self.__dict__.get("metric_") if self.metric == "auto" else self.metric) == "cosine"

    def _metric_of(self, rows: Rows, *, anew: bool) -> str | None:
        """Return the metric for the next rows, None while there was no row."""
        if self.metric != "auto":
            return self.metric
        known: str | None = None if anew else self.__dict__.get("metric_")
        if known is not None or len(rows) == 0:
            return known
        return "cosine" if may_be_cosine(self) and self._are_unit_rows(rows) else "euclidean"

    def _are_unit_rows(self, rows: Rows) -> bool:
        return are_unit_rows(rows)


def may_be_cosine(model: Any) -> bool:
    """Return whether no parameter of an estimator excludes the cosine metric as the automatic choice."""
    raw = (model.reach, model.aging_cost, model.drift)
    return bool(
        model.birth_cost == "auto"
        and model.motion in (None, "auto", "walk")
        and (is_free(model.exclusive) or not model.exclusive)
        and all(is_free(value) for value in raw)
    )


def are_unit_rows(rows: Rows) -> bool:
    """Return whether all rows are unit vectors with many features, as embeddings often are."""
    return rows.shape[1] >= MANY_FEATURES and _are_unit(rows[:2]) and _are_unit(rows)


def _are_unit(rows: Rows) -> bool:
    squared = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return bool((np.abs(squared - 1.0) < UNIT_TOLERANCE).all())
