"""Descriptions of columns and of models in the output of the commands, and the warnings of a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from dynmeans._algorithms.estimation.joint_estimate import ONE_OBJECT
from dynmeans._tables.chunk import name_list
from dynmeans.cli.console import print_error
from dynmeans.estimators._diagnostics.result_checks import NOT_ESTIMATED
from dynmeans.estimators._diagnostics.row_checks import STANDARDIZE
from dynmeans.runs._option_names import as_options
from dynmeans.streams import KeyedDMeans

_BIRTH_COST = re.compile(r"\bbirth_cost=([\w.+-]*\w)")
_MINUTE = 60.0


def describe_columns(features: Sequence[str], unused: Sequence[str]) -> dict[str, str]:
    """Return the columns that were clustered, and those that were not, with the reasons."""
    return {"features": name_list(features), **({"not used": "; ".join(unused)} if unused else {})}


def describe_model(model: Any, *, in_seconds: bool = False) -> dict[str, str]:
    """Return the birth cost and the other parameters that were estimated; times may be in seconds."""
    is_auto = model.birth_cost == "auto"
    if is_auto and isinstance(model, KeyedDMeans) and model._estimates.estimate is None:
        reason = "no key has two different rows in a step or in 8 steps"
        return {"birth cost": f"not estimated: {reason}; all rows of a key are one cluster"}
    if is_auto and model.birth_cost_ >= ONE_OBJECT:
        return {"birth cost": NOT_ESTIMATED}
    entries = {"birth cost": f"{model.birth_cost_:.6g}{' (auto)' if is_auto else ''}"}
    if not is_auto or not hasattr(model, "parameters_"):
        return entries
    estimated = _estimated(model, in_seconds=in_seconds)
    return entries | ({"estimated": ", ".join(estimated)} if estimated else {})


def _estimated(model: Any, *, in_seconds: bool) -> list[str]:
    """Return the values of D-Means that were not given, in words."""
    used = model.parameters_
    lifetime, interval = (
        duration(value) if in_seconds else f"{value:g}" for value in (used.lifetime, used.interval)
    )
    mode = "exclusive" if used.exclusive else "refine"
    is_plain = not (used.exclusive or used.refine)
    found = {
        "metric": "metric cosine" if used.metric == "cosine" else "",
        "motion": f"motion {used.motion}",
        mode: "plain" if is_plain else "exclusive" if used.exclusive else "refined",
        "merge": "merging" if used.merge else "",
        "lifetime": f"lifetime {lifetime}",
        "reach": "" if used.reach is None else f"reach {used.reach:.3g}",
        "interval": "" if used.reach is None or used.interval == 1.0 else f"interval {interval}",
    }
    has_own_costs = model.aging_cost is not None or model.drift is not None
    given = ("lifetime", "reach", "interval") if has_own_costs else ()
    return [text for name, text in found.items() if text and name not in given and not _is_given(model, name)]


def _is_given(model: Any, name: str) -> bool:
    return getattr(model, name) not in (None, "auto")


def duration(seconds: float) -> str:
    """Return a time in seconds in the largest unit in which it is at least 1."""
    units = {"d": 1440 * _MINUTE, "h": 60 * _MINUTE, "min": _MINUTE}
    unit = next((name for name, length in units.items() if seconds >= length), "s")
    return f"{seconds / units.get(unit, 1.0):.4g} {unit}"


def print_warnings(
    model: Any,
    features: Sequence[str],
    found: dict[str, str] | None = None,
    *,
    standardize: bool = False,
) -> None:
    """Print the warnings of a model and of a run, with the names of options and columns."""
    for text in {**(found or {}), **getattr(model, "warnings_", {})}.values():
        if standardize:
            text = text.replace(STANDARDIZE, "use --feature-scales")
        if model.birth_cost == "auto":
            text = _BIRTH_COST.sub(r"the estimated birth cost, \1,", text)
        print_error(as_options(text, features), kind="warning: ")
