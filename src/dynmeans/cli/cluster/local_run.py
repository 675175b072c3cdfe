"""Print the progress and the result of `dynmeans cluster`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from dynmeans._algorithms.defaults import ONE_OBJECT
from dynmeans._files.errors import InputError
from dynmeans._tables.chunk import name_list
from dynmeans.cli import INTERRUPTED
from dynmeans.cli.console import amount, print_error, print_lines, print_summary, progress_bar
from dynmeans.estimators._diagnostics.result_checks import (
    MIN_STEPS_PER_ID,
    NOT_ESTIMATED,
    ClusteringWarning,
)
from dynmeans.estimators._diagnostics.row_checks import STANDARDIZE
from dynmeans.runs import RunInterrupted, RunParameters, RunResult, cluster_files
from dynmeans.runs._option_names import as_options
from dynmeans.streams import KeyedDMeans

_BIRTH_COST = re.compile(r"\bbirth_cost=([\w.+-]*\w)")
_MINUTE = 60.0


def run_cluster(
    inputs: list[str],
    parameters: RunParameters,
    out: Path,
    state: Path | None,
    *,
    jobs: int | None,
    force: bool,
    report: bool,
    limits: Sequence[str],
) -> None:
    """Cluster files with a progress bar, and print a summary."""
    for name in inputs:
        if "://" in name:
            raise InputError(f"{name}: URLs of Parquet files are read with --workers or --scheduler only")
    try:
        with progress_bar() as show, warnings.catch_warnings():
            warnings.simplefilter("ignore", ClusteringWarning)  # printed after the summary
            result = cluster_files(
                inputs,
                parameters,
                out=out,
                state=state,
                force=force,
                report=report,
                n_jobs=jobs,
                limits=limits,
                on_step=lambda status: show(*status),
            )
    except RunInterrupted as stop:
        hint = "; run the same command again to resume" if stop.resumable else ""
        print_error(f"interrupted after {amount(stop.rows, 'row')}, which are in {stop.out}{hint}", kind="")
        raise typer.Exit(INTERRUPTED) from None
    if result.action == "done":
        print_lines(f"already complete: {_size(result)}, in {result.out}")
    else:
        _print_result(result, parameters)


def _size(result: RunResult) -> str:
    return f"{amount(result.rows, 'row')} in {amount(result.steps, 'step')}"


def _confirmed(result: RunResult, parameters: RunParameters) -> dict[str, str]:
    if parameters.min_hits == 1:
        return {}
    return {"confirmed": f"{result.confirmed:,} ids, with rows in {parameters.min_hits} or more steps"}


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
        _duration(value) if in_seconds else f"{value:g}" for value in (used.lifetime, used.interval)
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


def _speed(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


def _duration(seconds: float) -> str:
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


def describe_columns(features: Sequence[str], unused: Sequence[str]) -> dict[str, str]:
    """Return the columns that were clustered, and those that were not, with the reasons."""
    return {"features": name_list(features), **({"not used": "; ".join(unused)} if unused else {})}


def _missing(result: RunResult) -> dict[str, str]:
    if not result.n_left_out:
        return {}
    return {"left out": f"{amount(result.n_left_out, 'row')} with empty cells; no id in {result.labels.name}"}


def _lifetime(model: Any) -> float | None:
    """Return the lifetime of clusters, or None if the model has kernels."""
    if isinstance(model, KeyedDMeans):
        return float(model._parameters.resolve(model._estimates).resolved.costs.lifetime)
    return float(model.parameters_.lifetime) if hasattr(model, "parameters_") else None


def _warn_of_short_lifetimes(result: RunResult) -> None:
    """Warn if all clusters die between two steps, because the unit of time is short."""
    lifetime, interval = _lifetime(result.model), result.step_interval
    if lifetime is None or interval is None or interval <= lifetime:
        return
    apart, life = (_duration(t) if result.in_seconds else f"{t:.4g}" for t in (interval, lifetime))
    print_error(
        f"steps are {apart} apart on average, but a cluster lives for {life} without rows, so clusters die "
        "between two steps; use a longer --lifetime, or --every",
        kind="warning: ",
    )


def _warn_of_broken_ids(result: RunResult, parameters: RunParameters) -> None:
    """Warn if the ids of a run by key last for few rows; the first id of each key is not counted."""
    if result.n_keys is None or (result.born - result.n_keys) * MIN_STEPS_PER_ID <= result.rows:
        return
    scales = "--feature-scales" if parameters.standardize else "--standardize"
    print_error(
        f"ids break: {amount(result.born, 'id')} for {amount(result.rows, 'row')}; use a larger --birth-cost "
        f"or --lifetime; features of different scales need {scales}",
        kind="warning: ",
    )


def _print_result(result: RunResult, parameters: RunParameters) -> None:
    files = [path for path in (result.labels, result.report) if path is not None]
    print_summary(
        {
            "input": f"{result.title}: {_size(result)}",
            **describe_columns(result.features, result.unused_columns),
            **_missing(result),
            **({} if result.n_keys is None else {"keys": f"{result.n_keys:,}, by {parameters.by}"}),
            "clusters": f"{result.n_active} active, {result.n_asleep} asleep at the end",
            "events": f"{result.born:,} born, {result.revived:,} revived, {result.died:,} died",
            **_confirmed(result, parameters),
            **describe_model(result.model, in_seconds=result.in_seconds),
            "speed": f"{_speed(result.rows_per_second)} points per second",
            "written": ", ".join(map(str, files)),
        }
    )
    print_warnings(result.model, result.features, result.warnings, standardize=parameters.standardize)
    _warn_of_short_lifetimes(result)
    _warn_of_broken_ids(result, parameters)
