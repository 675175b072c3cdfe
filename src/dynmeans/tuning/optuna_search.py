"""Bayesian optimization with Optuna (extra `tune`), in studies that can be resumed."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from dynmeans._files.extras import require
from dynmeans.tuning.search import at_defaults
from dynmeans.tuning.space import Space
from dynmeans.tuning.trials import Candidate, Runner, Trial

STUDY = "dynmeans"
CHOICE, BEST_SEED = "choice", "best_seed"
COUNTS = ("n_clusters", "n_ids")


def search_with_optuna(
    runner: Runner, budget: int, seed: int, storage: str | PathLike[str] | None = None
) -> list[Trial]:
    """Evaluate the suggestions of Optuna one after another until the study has `budget` trials.

    With a storage, the trials of an earlier search count. The data must be the same: a study over other
    ranges is rejected.
    """
    optuna = require("optuna", "tune")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = _open_study(optuna, runner.space, seed, storage)
    for candidate in at_defaults(runner.space):
        study.enqueue_trial(_as_optuna_params(candidate, runner.space), skip_if_exists=True)
    trials = [_from_study(old, runner.space) for old in study.trials if old.values]
    while len(trials) < budget:
        asked = study.ask()
        (trial,) = runner.run([_suggest(asked, runner.space)])
        asked.set_user_attr(BEST_SEED, trial.seed)
        for name in COUNTS:
            asked.set_user_attr(name, getattr(trial, name))
        study.tell(asked, trial.score)
        trials.append(trial)
    return trials


def _open_study(optuna: Any, space: Space, seed: int, storage: str | PathLike[str] | None) -> Any:
    kept = None if storage is None else _open_journal(optuna.storages, fspath(storage))
    sampler = optuna.samplers.TPESampler(seed=seed)
    study = optuna.create_study(storage=kept, sampler=sampler, study_name=STUDY, load_if_exists=True)
    ranges = [[axis.name, axis.low, axis.high] for axis in space.axes] + [[CHOICE, 0, len(space.choices)]]
    known = study.user_attrs.get("ranges", ranges)
    if known != ranges:
        raise ValueError(f"{storage}: the study belongs to other data or choices: {known}, not {ranges}")
    study.set_user_attr("ranges", ranges)
    return study


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
    raise ValueError(f"{path}: not a study of dynmeans; give a new file, or one written by dynmeans")


def _as_optuna_params(candidate: Candidate, space: Space) -> dict[str, Any]:
    values = {axis.name: float(x) for axis, x in zip(space.axes, candidate.position, strict=True)}
    return {**values, CHOICE: candidate.choice}


def _suggest(asked: Any, space: Space) -> Candidate:
    position = np.array([asked.suggest_float(axis.name, 0.0, 1.0) for axis in space.axes])
    return Candidate(position, asked.suggest_categorical(CHOICE, list(range(len(space.choices)))))


def _from_study(old: Any, space: Space) -> Trial:
    position = np.array([old.params[axis.name] for axis in space.axes])
    params = space.params(position, old.params[CHOICE])
    n_clusters, n_ids = (old.user_attrs[name] for name in COUNTS)
    return Trial(
        position, old.params[CHOICE], params, (old.value,), n_clusters, n_ids, old.user_attrs[BEST_SEED]
    )
