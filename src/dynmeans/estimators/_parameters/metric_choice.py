"""The metric of D-Means: given, or chosen from the first rows.

``metric="auto"`` is the cosine metric if the first rows are unit vectors with many features. The mean of such
rows is short, and all rows are nearer to it than to each other. So no birth cost suits both, and distances do
not work. With any parameter that is in units of squared distances, or that directions do not have, it is the
Euclidean metric.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans.estimators._parameters.dmeans_parameters import is_free
from dynmeans.estimators._parameters.estimates import Estimates

MANY_FEATURES = 32  # single unit rows are then about equally far from each other, and from short mean rows
UNIT_TOLERANCE = 1e-3  # tolerance of the squared length of a row


def uses_cosine(parameters: Any, estimates: Estimates | None) -> bool:
    """Return whether rows are compared by their directions."""
    if parameters.metric != "auto":
        return bool(parameters.metric == "cosine")
    return estimates is not None and estimates.metric == "cosine"


def metric_for(parameters: Any, estimates: Estimates | None, rows: Rows) -> str | None:
    """Return the metric for the next rows, None while there was no row."""
    given: str = parameters.metric
    if given != "auto":
        return given
    known = None if estimates is None else estimates.metric
    if known is not None or len(rows) == 0:
        return known
    return "cosine" if may_be_cosine(parameters) and are_unit_rows(rows) else "euclidean"


def may_be_cosine(parameters: Any) -> bool:
    """Return whether no parameter of an estimator excludes the cosine metric as the automatic choice."""
    raw = (parameters.reach, parameters.aging_cost, parameters.drift)
    return bool(
        parameters.birth_cost == "auto"
        and parameters.feature_scales is None
        and parameters.motion in (None, "auto", "walk")
        and (is_free(parameters.exclusive) or not parameters.exclusive)
        and all(is_free(value) for value in raw)
    )


@singledispatch
def are_unit_rows(rows: Any) -> bool:
    """Return whether all rows are unit vectors with many features, as embeddings often are."""
    return rows.shape[1] >= MANY_FEATURES and _are_unit(rows[:2]) and _are_unit(rows)


def _are_unit(rows: Rows) -> bool:
    squared = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return bool((np.abs(squared - 1.0) < UNIT_TOLERANCE).all())
