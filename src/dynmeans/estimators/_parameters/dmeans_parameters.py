"""The parameters of D-Means as one value, and their validation."""

from __future__ import annotations

from typing import Any, NamedTuple

from dynmeans._model.motion import get_motion
from dynmeans.estimators._parameters.feature_scales import valid_feature_scales
from dynmeans.estimators._validation import valid_count, valid_flag

METRICS = ("auto", "euclidean", "cosine")


class DMeansParameters(NamedTuple):
    """The parameters of `DMeans` on which a step depends, as the user gave them."""

    birth_cost: Any
    lifetime: Any
    reach: Any
    aging_cost: Any
    drift: Any
    interval: Any
    motion: Any
    metric: Any
    feature_scales: Any
    exclusive: Any
    duplicates: Any
    min_hits: Any
    refine: Any
    merge: Any
    certify: Any
    n_restarts: Any
    max_iter: Any
    n_jobs: Any
    history_size: Any


def parameters_of(model: Any) -> DMeansParameters:
    """Return the parameters of an estimator."""
    return DMeansParameters._make(map(vars(model).get, DMeansParameters._fields))


def is_free(value: Any) -> bool:
    """Return whether a parameter is not set, so that it may be estimated."""
    return value is None or value == "auto"


def check_dmeans(given: DMeansParameters) -> None:
    """Raise ValueError if a parameter is invalid, or if two exclude each other."""
    if given.motion is not None and given.motion != "auto":
        get_motion(given.motion)
    valid_flag("refine", given.refine, None, "auto")
    valid_flag("merge", given.merge, None, "auto")
    valid_flag("exclusive", given.exclusive, None, "auto")
    valid_flag("duplicates", given.duplicates)
    valid_flag("certify", given.certify)
    valid_count("min_hits", given.min_hits, 1)
    if given.duplicates and (is_free(given.exclusive) or not given.exclusive):
        raise ValueError("duplicates=True needs exclusive=True: without it, a cluster may have many rows")
    if given.metric not in METRICS:
        raise ValueError(f"metric must be one of {list(METRICS)}, got {given.metric!r}")
    valid_feature_scales(given.feature_scales)
    if given.metric != "cosine":
        return
    if given.feature_scales is not None:
        raise ValueError("feature_scales must not be set with metric='cosine'")
    if given.motion not in (None, "auto", "walk"):
        raise ValueError(f"motion must be 'walk' with metric='cosine', got {given.motion!r}")
    if not is_free(given.exclusive) and given.exclusive:
        raise ValueError("exclusive must be False with metric='cosine', got True")
