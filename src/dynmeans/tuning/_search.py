"""Search strategies: space-filling points refined around the best, or a grid."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.stats import qmc

from dynmeans._model.types import FloatArray
from dynmeans.tuning._space import Space
from dynmeans.tuning.trials import Candidate, Runner, Trial

FIRST_SHARE = 0.5  # of the budget, for space-filling points
ROUNDS = (0.15, 0.05)  # standard deviation around the best in each later round, in the unit cube
PARENTS = 5  # best trials around which a round samples
MIDDLE = 0.5  # of the unit cube, for an axis with a single value


def search_refining(runner: Runner, budget: int, seed: int) -> list[Trial]:
    """Spend half of the budget on space-filling points, the rest in two rounds around the best.

    If there are two codes, the first round is around the best trials of both, and then one code is chosen.
    """
    trials = runner.run(first_candidates(runner, max(1, round(FIRST_SHARE * budget)), seed))
    rng = np.random.default_rng(seed)
    for i, width in enumerate(ROUNDS):
        left = budget - len(trials)
        count = max(left, 0) // (len(ROUNDS) - i)
        parents = best_of_both(trials) if i == 0 and runner.has_codes else ranked(trials)[:PARENTS]
        trials += runner.run(_around(parents, count, width, rng))
        if i == 0:
            trials = runner.choose_code(trials)
    return trials


def best_of_both(trials: Sequence[Trial]) -> list[Trial]:
    """Return the best trials by either code."""
    by_gaussian = sorted(trials, key=lambda trial: trial.lengths[0].gaussian)[:PARENTS]
    by_forest = sorted(trials, key=lambda trial: trial.lengths[0].forest)[:PARENTS]
    both = [trial for pair in zip(by_gaussian, by_forest, strict=True) for trial in pair]
    return [trial for i, trial in enumerate(both) if not any(trial is other for other in both[:i])]


def search_grid(runner: Runner, budget: int) -> list[Trial]:
    """Evaluate the largest grid within the budget, of each estimator."""
    candidates = []
    for i, share in enumerate(shares(runner, budget)):
        space = runner.entries[i].space
        known = known_candidates(space)
        candidates += of_entry(i, [*known, *grid(space, share - len(known))][:share])
    return runner.choose_code(runner.run(candidates))


def first_candidates(runner: Runner, count: int, seed: int) -> list[Candidate]:
    """Return the known candidates and space-filling points of all estimators."""
    candidates = []
    for i, share in enumerate(shares(runner, count)):
        space = runner.entries[i].space
        known = known_candidates(space)
        candidates += of_entry(i, [*known, *space_filling(space, share - len(known), seed)][:share])
    return candidates


def shares(runner: Runner, count: int) -> list[int]:
    """Divide a number of trials among the estimators, by their choices, at least one each."""
    sizes = [len(entry.space.choices) for entry in runner.entries]
    ends = np.round(count * np.cumsum(sizes) / sum(sizes)).astype(int)
    return [max(1, int(n)) for n in np.diff(ends, prepend=0)]


def of_entry(i: int, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Assign candidates to an estimator."""
    return [candidate._replace(entry=i) for candidate in candidates]


def known_candidates(space: Space) -> list[Candidate]:
    """Return the candidates that are always tried, such as the defaults."""
    defaults = [] if space.defaults is None else [(space.defaults, 0)]
    estimate = [] if space.estimate is None else [space.estimate]
    return [Candidate(position, choice) for position, choice in (*defaults, *estimate, *space.known)]


def space_filling(space: Space, count: int, seed: int) -> list[Candidate]:
    """Return Sobol points of the unit cube, with the choices in rotation."""
    if count < 1:
        return []
    power = max(0, int(np.ceil(np.log2(count))))
    positions = qmc.Sobol(len(space.axes), rng=seed).random_base2(power)[:count]
    return [
        Candidate(position, i % len(space.choices), fills_space=True) for i, position in enumerate(positions)
    ]


def grid(space: Space, budget: int) -> list[Candidate]:
    """Return the largest grid within the budget, with twice as many birth costs as other values.

    An axis of length 0, such as the birth cost in the paper's procedure, has one value.
    """
    if budget < 1:
        return []
    each = max(1, budget // len(space.choices))
    free = [axis for axis in space.axes[1:] if axis.high > axis.low]
    births = space.axes[0].high > space.axes[0].low
    side = max(1, int((each / (2.0 if births else 1.0) + 1e-9) ** (1.0 / (len(free) + births))))
    sides = (each // side ** len(free) if births else 1, *[side] * len(free))
    values = [np.linspace(0.0, 1.0, n) if n > 1 else np.array([MIDDLE]) for n in sides]
    positions = [np.array(position) for position in product(*values)]
    choices = range(len(space.choices))
    return [Candidate(position, choice, fills_space=True) for choice in choices for position in positions]


def ranked(trials: Sequence[Trial]) -> list[Trial]:
    """Sort trials by score, best first."""
    return sorted(trials, key=lambda trial: trial.score)


def _around(parents: Sequence[Trial], count: int, width: float, rng: np.random.Generator) -> list[Candidate]:
    """Draw candidates around good trials, reflected at the faces of the cube."""
    candidates = []
    for i in range(count):
        parent = parents[i % len(parents)]
        candidates.append(
            parent.candidate._replace(
                position=_reflected(parent.position + width * rng.normal(size=len(parent.position))),
                fills_space=False,
            )
        )
    return candidates


def _reflected(position: FloatArray) -> FloatArray:
    folded = np.abs(position) % 2.0
    inside: FloatArray = np.minimum(folded, 2.0 - folded)
    return inside
