"""Print the progress and the result of `dynmeans cluster`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from dynmeans._files.errors import InputError
from dynmeans.cli import INTERRUPTED
from dynmeans.cli.console import amount, print_error, print_lines, print_summary, progress_bar
from dynmeans.cli.descriptions import describe_columns, describe_model, duration, print_warnings
from dynmeans.estimators._diagnostics.result_checks import MIN_STEPS_PER_ID, ClusteringWarning
from dynmeans.runs import RunInterrupted, RunParameters, RunResult, cluster_files
from dynmeans.streams import KeyedDMeans


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


def _speed(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


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
    apart, life = (duration(t) if result.in_seconds else f"{t:.4g}" for t in (interval, lifetime))
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
