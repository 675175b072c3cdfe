"""Run the search of `dynmeans tune`: read the steps, find hyperparameters, write and print them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dynmeans._files.errors import InputError, reason
from dynmeans._files.limits import FileLimits, parse_limits
from dynmeans._files.lock import real_path
from dynmeans._tables.inputs import open_inputs
from dynmeans._tables.missing import MissingRows
from dynmeans._tables.time_steps.batches import cut
from dynmeans.cli.tune.output import (
    FIGURE_FILE,
    TABLE_FILE,
    TuningSteps,
    best_so_far,
    command,
    print_results,
    write_tuning,
)
from dynmeans.runs._folder import check_output_files, locked_folder
from dynmeans.runs._row_errors import far_coordinate
from dynmeans.runs._row_scaling import RowScaling
from dynmeans.runs._setup.job import find_sources
from dynmeans.runs._setup.models import make_model
from dynmeans.runs._setup.parameter_checks import check_parameters
from dynmeans.runs._setup.time_steps import check_time_unit, make_windowing, window_length
from dynmeans.runs.parameters import RunParameters
from dynmeans.tuning import tune
from dynmeans.tuning._selection import FINALISTS


class Search(NamedTuple):
    """Options of the search."""

    trials: int
    steps: int | None  # maximum number of steps to tune on
    strategy: Literal["refine", "paper", "grid", "optuna"]
    study: Path | None
    choose_motion: bool
    jobs: int | None


def run_tune(
    inputs: list[str],
    parameters: RunParameters,
    search: Search,
    out: Path,
    limits: Sequence[str],
    *,
    force: bool,
) -> None:
    """Find hyperparameters for the rows of files, and print the command that uses them."""
    check_parameters(parameters)
    if search.study is not None and search.strategy != "optuna":
        raise InputError(f"--study needs --strategy optuna, got --strategy {search.strategy}")
    results = TABLE_FILE, FIGURE_FILE
    if search.study is not None and real_path(search.study) in [real_path(out / name) for name in results]:
        raise InputError(f"{search.study}: a result has this name; choose another --study")
    with locked_folder(out):
        check_output_files(out, results, force=force or search.study is not None, inputs=map(Path, inputs))
        steps = _read(inputs, parameters, search.steps, parse_limits(limits))
        with best_so_far(search.trials + min(FINALISTS, search.trials)) as show:
            try:
                found = tune(
                    steps.batches,
                    make_model(parameters, search.jobs),
                    budget=search.trials,
                    n_jobs=search.jobs,
                    random_state=parameters.seed,
                    motions=_motions(parameters) if search.choose_motion else None,
                    strategy=search.strategy,
                    storage=search.study,
                    on_trial=show,
                )
            except InputError:
                raise
            except ValueError as error:
                raise InputError(f"{inputs[0]}: {reason(error)}") from None
        line = command(inputs, parameters, found.best_params_, limits)
        print_results(found, line, steps, write_tuning(found, out))


def _motions(parameters: RunParameters) -> tuple[str, str]:
    return "walk", "velocity" if parameters.algorithm == "dmeans" else "align"


def _read(
    inputs: list[str], parameters: RunParameters, n_steps: int | None, limits: FileLimits
) -> TuningSteps:
    """Return at most `n_steps` steps, with the rows, weights and times that `dynmeans cluster` uses."""
    sources = find_sources(inputs, parameters.format, limits)
    missing = MissingRows(drop=parameters.missing == "drop")
    columns, blocks = open_inputs(
        sources,
        features=parameters.features,
        time=parameters.time,
        weight=parameters.weight,
        embedding=parameters.embedding,
        missing=missing,
    )
    scaling = RowScaling(
        columns.features, standardize=parameters.standardize, is_checked=parameters.metric != "cosine"
    )
    n_left_out = 0
    batches: list[dict[str, Any]] = []
    for batch in cut(blocks, make_windowing(parameters, {}, is_dated=columns.dated)):
        if not batches:
            check_time_unit(parameters, batch.time, is_dated=columns.dated)
        X = scaling.apply(batch)
        far = far_coordinate(batch, columns.features)
        if far is not None and scaling.scale is None:
            raise far
        batches.append({"X": X, "sample_weight": batch.weights, "t": batch.t})
        n_left_out += 0 if batch.left_out is None else int(batch.left_out.sum())
        if len(batches) == n_steps:
            break
    else:
        n_left_out += missing.pending
    has_gaps = _has_windows(parameters) and any(
        after["t"] - before["t"] > 1.0 for before, after in pairwise(batches)
    )
    return TuningSteps(columns, batches, n_left_out, has_gaps, scaling.warnings)


def _has_windows(parameters: RunParameters) -> bool:
    """Return whether steps are windows of time, which may have no rows."""
    length = window_length(parameters)
    return length is not None and length.unit != "rows"
