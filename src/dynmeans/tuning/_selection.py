"""Re-evaluate finalists with new seeds; among ties prefer the most central."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from dynmeans._codes.significance import SIGNIFICANT, is_significant
from dynmeans._model.types import FloatArray
from dynmeans.estimators import DMeans
from dynmeans.estimators._parameters.dmeans_parameters import is_free
from dynmeans.tuning._search import ranked
from dynmeans.tuning.trials import Runner, Trial

Defaults: TypeAlias = Callable[[Trial], FloatArray | None]  # position of the defaults in its space

FINALISTS = 8  # half of them by score, half by closeness to the defaults or to the other good trials
MIN_LEAD = SIGNIFICANT  # standard errors over steps by which the defaults must be worse


def decide(runner: Runner, trials: Sequence[Trial], tolerance: float) -> list[Trial]:
    """Return all trials: the chosen one, then the other finalists, then the rest, each sorted by score.

    Scores that differ by less than the tolerance, or less than between orders, are ties. Among ties the trial
    nearest to the defaults is chosen. Without defaults it is the most central of the good trials of the
    most robust choice, because hyperparameters at the edge of the good region, or in a small one, may fail
    when the stream changes. The defaults also tie with the best trial if their difference over the steps is
    not significant.
    """
    order = ranked(trials)
    defaults = runner.defaults
    robust = _by_robustness(order, order[0].score + tolerance)
    again = _finalists(order, order[0].score + tolerance, defaults, robust)
    finalists = ranked(runner.run_again(again))
    rest = [trial for trial in order if not any(trial is other for other in again)]
    limit = finalists[0].score + max(tolerance, _noise(finalists[0]))
    good = [trial for trial in [*finalists, *rest] if trial.score <= limit]
    equals = [
        trial
        for trial in finalists
        if trial.score <= limit or (_is_default(defaults, trial) and _is_tied(finalists[0], trial))
    ]
    if defaults(finalists[0]) is None:  # distances have a meaning within one estimator and choice only
        most_robust = min(map(_group, equals), key=robust)
        equals = [trial for trial in equals if _group(trial) == most_robust]
    chosen = min(equals, key=lambda trial: _remoteness(trial, good, defaults))
    return [chosen, *(trial for trial in finalists if trial is not chosen), *rest]


def keep_estimate(runner: Runner, trials: list[Trial], tolerance: float) -> list[Trial]:
    """Return to the parameters that the estimator would estimate, unless the chosen trial leads clearly.

    The best of many candidates leads by chance. If the estimate is as good as the chosen trial, the chosen
    one stays: it is the more central.
    """
    chosen = trials[0]
    found = [trial for trial in trials if runner.is_estimate(trial)]
    if not chosen.steps or not found or runner.is_estimate(chosen):
        return trials
    again = [t for t in found if t.steps] + runner.run_again(t for t in found if not t.steps)
    estimate = min(again, key=lambda trial: trial.score)
    limit = chosen.score + max(tolerance, _noise(chosen))
    if estimate.score <= limit or not _is_tied(chosen, estimate):
        return trials
    return [estimate, *(trial for trial in trials if not runner.is_estimate(trial))]


def leads(trial: Trial, other: Trial, tolerance: float, n_errors: float = 1.0) -> bool:
    """Return whether a less simple trial is better: by the tolerance, and by some standard errors.

    By default this is the rule of one standard error (Breiman et al., 1984), over the steps.
    """
    return trial.score < other.score - tolerance and not _is_tied(trial, other, n_errors)


def decide_motion(runner: Runner, trials: list[Trial], tolerance: float) -> list[Trial]:
    """Prefer velocity if the forecasts of the chosen trial show it, and the result is equally good.

    If the clusters keep their ids under both motions, the labels contain no information about the motion.
    The chosen trial is replaced, since all its other parameters are the same.
    """
    chosen = trials[0]
    if not chosen.lengths or "motion" not in chosen.params:
        return trials
    shown = min(chosen.lengths, key=lambda pair: pair.of(runner.by_forest)).motion
    choices = runner.entries[chosen.entry].space.choices
    wanted = {**choices[chosen.choice], "motion": shown}
    if shown == "walk" or chosen.params["motion"] == shown or wanted not in choices:
        return trials
    sibling = chosen._replace(choice=choices.index(wanted), params={**chosen.params, "motion": shown})
    (again,) = runner.run_again([sibling])
    limit = chosen.score + max(tolerance, _noise(chosen))
    return [again, *trials[1:]] if again.score <= limit else trials


def decide_lifetime(runner: Runner, trials: list[Trial], tolerance: float) -> list[Trial]:
    """Prefer the default lifetime to a shorter one, if the result is equally good.

    If no cluster returns after a pause, the labels contain no information about the lifetime.
    The chosen trial is replaced, since all its other parameters are the same.
    """
    chosen = trials[0]
    if not chosen.lengths:
        return trials
    space = runner.entries[chosen.entry].space
    (at,) = (i for i, axis in enumerate(space.axes) if axis.name == "lifetime")
    default = space.axes[at].share(space.default_lifetime)
    if chosen.position[at] >= default:
        return trials
    (again,) = runner.run_again([_with_values(runner, chosen, {"lifetime": default})])
    limit = chosen.score + max(tolerance, _noise(chosen))
    return [again, *trials[1:]] if again.score <= limit or _is_tied(chosen, again) else trials


def decide_memory(runner: Runner, trials: list[Trial], tolerance: float) -> list[Trial]:
    """Prefer a longer lifetime than those of the search, up to half of the stream, if the result is better.

    Objects may return to their old positions after long absences. With more than the least drift, a cluster
    that sleeps so long is revived from anywhere, which may have the shorter code by chance. The chosen trial
    is replaced, since its birth cost and mode are the same.
    """
    chosen = trials[0]
    if not chosen.lengths or "drift" not in (axis.name for axis in runner.entries[chosen.entry].space.axes):
        return trials
    siblings = [
        _with_values(runner, chosen, {"lifetime": share, "drift": 0.0})
        for share in _longer_lifetimes(runner, chosen)
    ]
    again = ranked(runner.run_again(siblings))
    return [again[0], *trials[1:]] if again and leads(again[0], chosen, tolerance, MIN_LEAD) else trials


def _longer_lifetimes(runner: Runner, trial: Trial) -> list[float]:
    """Return lifetimes beyond those of the search, each twice the one before, as shares of their range."""
    (axis,) = (axis for axis in runner.entries[trial.entry].space.axes if axis.name == "lifetime")
    longest, lifetime = len(trial.steps) / 2.0, axis.high
    found = []
    while lifetime < longest:
        lifetime = min(2.0 * lifetime, longest)
        found.append(axis.share(lifetime))
    return found


def _with_values(runner: Runner, trial: Trial, values: dict[str, float]) -> Trial:
    """Return a trial with other positions on some axes."""
    space = runner.entries[trial.entry].space
    position = np.array(
        [values.get(axis.name, share) for axis, share in zip(space.axes, trial.position, strict=True)]
    )
    return trial._replace(position=position, params=space.params(position, trial.choice))


def decide_merge(runner: Runner, trials: list[Trial], tolerance: float) -> list[Trial]:
    """Merge clusters that are not worth a birth, if this leads to a better result.

    If the estimate was chosen, and the estimator would merge, merging is kept unless it is clearly worse.
    The chosen trial is replaced, since all its other parameters are the same.
    """
    chosen = trials[0]
    model = runner.entries[chosen.entry].estimator
    is_free_to_merge = (
        isinstance(model, DMeans) and is_free(model.merge) and not chosen.params.get("exclusive")
    )
    if not chosen.lengths or not chosen.steps or not is_free_to_merge:
        return trials
    (again,) = runner.run_again([chosen._replace(params={**chosen.params, "merge": True})])
    if runner.is_estimate(chosen) and runner.entries[chosen.entry].space.merges:
        merges = not leads(chosen, again, tolerance, MIN_LEAD)
    else:
        merges = leads(again, chosen, tolerance)
    return [again, *trials[1:]] if merges else trials


def _by_robustness(trials: Sequence[Trial], limit: float) -> Callable[[tuple[int, int]], tuple[Any, ...]]:
    """Return a sorting key of groups: those with the largest share of good hyperparameters, simplest first.

    The share among evenly distributed positions is the evidence of a choice: the likelihood of the data,
    integrated over its other hyperparameters.
    """

    def key(group: tuple[int, int]) -> tuple[Any, ...]:
        even = [trial.score <= limit for trial in trials if _group(trial) == group and trial.fills_space]
        return -float(np.mean(even)) if even else 0.0, group

    return key


def _finalists(
    order: Sequence[Trial],
    limit: float,
    defaults: Defaults,
    robust: Callable[[tuple[int, int]], tuple[Any, ...]],
) -> list[Trial]:
    best, others = list(order[: FINALISTS // 2]), order[FINALISTS // 2 :]
    good = [trial for trial in order if trial.score <= limit]
    central = sorted(
        good[len(best) :],
        key=lambda trial: (
            robust(_group(trial)) if defaults(trial) is None else (),
            _remoteness(trial, good, defaults),
        ),
    )
    initial = [trial for trial in others if _is_default(defaults, trial)]
    rest = [trial for trial in [*central, *others[len(central) :]] if not _is_default(defaults, trial)]
    return [*best, *initial, *rest][:FINALISTS]


def _is_default(defaults: Defaults, trial: Trial) -> bool:
    position = defaults(trial)
    return position is not None and trial.choice == 0 and np.array_equal(trial.position, position)


def _group(trial: Trial) -> tuple[int, int]:
    return trial.entry, trial.choice


def _is_tied(best: Trial, other: Trial, n_errors: float = MIN_LEAD) -> bool:
    """Return whether the mean lead over all steps is at most that many of its standard errors."""
    if len(best.steps) < 2 or len(best.steps) != len(other.steps):
        return False
    return not is_significant(np.subtract(other.steps, best.steps), n_errors=n_errors)


def _noise(trial: Trial) -> float:
    """Compute the standard error of a score over orders."""
    return float(np.std(trial.scores) / np.sqrt(max(len(trial.scores) - 1, 1)))


def _remoteness(trial: Trial, good: Sequence[Trial], defaults: Defaults) -> float:
    """Compute the distance to the defaults or, without defaults, the mean distance to good trials."""
    default = defaults(trial)
    if default is not None:
        return float(np.linalg.norm(trial.position - default)) + float(trial.choice > 0)
    positions = [other.position for other in good if _group(other) == _group(trial)]
    return (
        float(np.mean([np.linalg.norm(trial.position - position) for position in positions]))
        if positions
        else 0.0
    )
