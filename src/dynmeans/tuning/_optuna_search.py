"""Bayesian optimization with Optuna (extra `tune`), in studies that can be resumed."""

from __future__ import annotations

from contextlib import nullcontext
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans._files.atomic_write import naming_errors
from dynmeans._files.errors import InputError
from dynmeans._files.extras import require
from dynmeans.tuning._search import first_candidates, known_candidates, of_entry
from dynmeans.tuning._space import Axis
from dynmeans.tuning.trials import Candidate, Runner, Trial

STUDY = "dynmeans"
CHOICE, BEST_SEED, CODE = "choice", "best_seed", "by_forest"
PILOT = 16  # trials before the search that choose the code
COUNTS = ("n_clusters", "n_ids")


def search_with_optuna(
    runner: Runner, budget: int, seed: int, storage: str | PathLike[str] | None = None
) -> list[Trial]:
    """Evaluate the suggestions of Optuna one after another until the study has `budget` trials.

    With a storage, the trials of an earlier search count. The data must be the same: a study over other
    ranges is rejected.
    """
    with nullcontext() if storage is None else naming_errors(fspath(storage)):
        return _search(runner, budget, seed, storage)


def _search(runner: Runner, budget: int, seed: int, storage: str | PathLike[str] | None) -> list[Trial]:
    optuna = require("optuna", "tune")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    arms = [
        (i, choice) for i, entry in enumerate(runner.entries) for choice in range(len(entry.space.choices))
    ]
    study = _open_study(optuna, runner, len(arms), seed, storage)
    if CODE not in study.user_attrs and runner.has_codes:
        runner.choose_code(runner.run(first_candidates(runner, PILOT, seed)))
        study.set_user_attr(CODE, runner.by_forest)
    runner.by_forest = bool(study.user_attrs.get(CODE, False))
    for i, entry in enumerate(runner.entries):
        for candidate in of_entry(i, known_candidates(entry.space)):
            study.enqueue_trial(_as_optuna_params(candidate, runner, arms), skip_if_exists=True)
    trials = [_from_study(old, runner, arms) for old in study.trials if old.values]
    while len(trials) < budget:
        asked = study.ask()
        (trial,) = runner.run([_suggest(asked, runner, arms)])
        asked.set_user_attr(BEST_SEED, trial.seed)
        for name in COUNTS:
            asked.set_user_attr(name, getattr(trial, name))
        study.tell(asked, trial.score)
        trials.append(trial)
    return trials


def _open_study(
    optuna: Any, runner: Runner, n_arms: int, seed: int, storage: str | PathLike[str] | None
) -> Any:
    kept = None if storage is None else _open_journal(optuna.storages, fspath(storage))
    sampler = optuna.samplers.TPESampler(seed=seed)
    study = optuna.create_study(storage=kept, sampler=sampler, study_name=STUDY, load_if_exists=True)
    ranges: list[list[Any]] = [
        [_axis_name(i, axis), axis.low, axis.high]
        for i, entry in enumerate(runner.entries)
        for axis in entry.space.axes
    ]
    ranges.append([CHOICE, 0, n_arms])
    known = study.user_attrs.get("ranges", ranges)
    if known != ranges:
        raise InputError(f"{storage}: the study belongs to other data or choices: {known}, not {ranges}")
    study.set_user_attr("ranges", ranges)
    return study


def _axis_name(entry: int, axis: Axis) -> str:
    """Return the name of an axis in the study; each estimator has separate axes."""
    return axis.name if entry == 0 else f"{entry}:{axis.name}"


def _open_journal(storages: Any, path: str) -> Any:
    """Open a storage file; reject a file of another kind before anything is appended to it."""
    file = storages.journal.JournalFileBackend(path)
    try:
        entries = list(file.read_logs(0))
        empty = Path(path).stat().st_size == 0
        if empty or (entries and all("op_code" in entry for entry in entries)):
            return storages.JournalStorage(file)
    except (ValueError, KeyError, TypeError):
        pass  # raised by Optuna for foreign lines
    raise InputError(f"{path}: not a study of dynmeans; give a new file, or one written by dynmeans")


def _as_optuna_params(candidate: Candidate, runner: Runner, arms: list[tuple[int, int]]) -> dict[str, Any]:
    axes = runner.entries[candidate.entry].space.axes
    pairs = zip(axes, candidate.position, strict=True)
    values = {_axis_name(candidate.entry, axis): float(x) for axis, x in pairs}
    return {**values, CHOICE: arms.index((candidate.entry, candidate.choice))}


def _suggest(asked: Any, runner: Runner, arms: list[tuple[int, int]]) -> Candidate:
    entry, choice = arms[asked.suggest_categorical(CHOICE, list(range(len(arms))))]
    axes = runner.entries[entry].space.axes
    position = np.array([asked.suggest_float(_axis_name(entry, axis), 0.0, 1.0) for axis in axes])
    return Candidate(position, choice, entry)


def _from_study(old: Any, runner: Runner, arms: list[tuple[int, int]]) -> Trial:
    entry, choice = arms[old.params[CHOICE]]
    space = runner.entries[entry].space
    position = np.array([old.params[_axis_name(entry, axis)] for axis in space.axes])
    n_clusters, n_ids = (old.user_attrs[name] for name in COUNTS)
    return Trial(
        position=position,
        choice=choice,
        params=space.params(position, choice),
        scores=(old.value,),
        n_clusters=n_clusters,
        n_ids=n_ids,
        seed=old.user_attrs[BEST_SEED],
        entry=entry,
    )
