"""The last word: the best few settings again under other orders, and the most modest of equals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynmeans._model.types import FloatArray
from dynmeans.tuning.search import ranked
from dynmeans.tuning.trials import Runner, Trial

FINALISTS = 8  # half of them for their scores, half for being modest
DOUBT = 2.0  # standard errors over steps by which the defaults must be worse


def decide(runner: Runner, trials: Sequence[Trial], tolerance: float) -> list[Trial]:
    """All trials, the chosen one first, then the other finalists, then the rest, each by their scores.

    Scores that differ by less than the tolerance, or than the orders do, tell nothing. Among such equals the
    one nearest to the defaults is chosen, where there are defaults; else the one in the middle of all good
    settings. Streams change, and what works at the edge today fails tomorrow. The defaults themselves are
    also as good as the best if the steps do not agree on which is better.
    """
    home, order = runner.space.home, ranked(trials)
    again = _finalists(order, order[0].score + tolerance, home)
    finalists = ranked(runner.run_again(again))
    rest = [trial for trial in order if not any(trial is other for other in again)]
    limit = finalists[0].score + max(tolerance, _noise(finalists[0]))
    good = [trial for trial in [*finalists, *rest] if trial.score <= limit]
    equals = [
        trial
        for trial in finalists
        if trial.score <= limit or (_is_at(home, trial) and _in_doubt(finalists[0], trial))
    ]
    chosen = min(equals, key=lambda trial: _remoteness(trial, good, home))
    return [chosen, *(trial for trial in finalists if trial is not chosen), *rest]


def _finalists(order: Sequence[Trial], limit: float, home: FloatArray | None) -> list[Trial]:
    best, others = list(order[: FINALISTS // 2]), order[FINALISTS // 2 :]
    good = [trial for trial in order if trial.score <= limit]
    modest = sorted(good[len(best) :], key=lambda trial: _remoteness(trial, good, home))
    started = [trial for trial in others if _is_at(home, trial)]
    rest = [trial for trial in [*modest, *others[len(modest) :]] if not _is_at(home, trial)]
    return [*best, *started, *rest][:FINALISTS]


def _is_at(home: FloatArray | None, trial: Trial) -> bool:
    return home is not None and trial.choice == 0 and np.array_equal(trial.place, home)


def _in_doubt(best: Trial, other: Trial) -> bool:
    """Whether the mean lead over all steps is less than two standard errors of it."""
    if len(best.steps) < 2:
        return False
    leads = np.subtract(other.steps, best.steps)
    return bool(leads.mean() <= DOUBT * leads.std(ddof=1) / np.sqrt(len(leads)))


def _noise(trial: Trial) -> float:
    """Standard error of a score over orders."""
    return float(np.std(trial.scores) / np.sqrt(max(len(trial.scores) - 1, 1)))


def _remoteness(trial: Trial, good: Sequence[Trial], home: FloatArray | None) -> float:
    """Distance to the defaults; without any, mean distance to the good settings of the same choice."""
    if home is not None:
        return float(np.linalg.norm(trial.place - home)) + float(trial.choice > 0)
    places = [other.place for other in good if other.choice == trial.choice]
    return float(np.mean([np.linalg.norm(trial.place - place) for place in places])) if places else 0.0
