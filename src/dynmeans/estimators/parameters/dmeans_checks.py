"""Validation of the parameters of D-Means."""

from __future__ import annotations

from typing import Any

from dynmeans._model.motion import get_motion
from dynmeans.estimators.parameters.automatic import is_free
from dynmeans.estimators.parameters.metric_choice import METRICS
from dynmeans.estimators.validation import valid_count


def check_dmeans(model: Any) -> None:
    """Raise ValueError if a parameter is invalid, or if two exclude each other."""
    if model.motion is not None and model.motion != "auto":
        get_motion(model.motion)
    for name in ("refine", "exclusive"):
        value = getattr(model, name)
        if isinstance(value, str) and value != "auto":
            raise ValueError(f"{name} must be True, False or 'auto', got {value!r}")
    valid_count("min_hits", model.min_hits, 1)
    if model.duplicates and (is_free(model.exclusive) or not model.exclusive):
        raise ValueError("duplicates=True needs exclusive=True: otherwise any number of rows may join")
    if model.metric not in METRICS:
        raise ValueError(f"metric must be one of {list(METRICS)}, got {model.metric!r}")
    if model.metric != "cosine":
        return
    if model.motion not in (None, "auto", "walk"):
        raise ValueError(f"motion must be 'walk' with metric='cosine', got {model.motion!r}")
    if not is_free(model.exclusive) and model.exclusive:
        raise ValueError("exclusive must be False with metric='cosine', got True")
