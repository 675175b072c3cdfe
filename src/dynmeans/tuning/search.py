"""Search strategies: space-filling points refined around the best, or a grid."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.stats import qmc

from dynmeans._model.types import FloatArray
from dynmeans.tuning.space import Space
from dynmeans.tuning.trials import Candidate, Runner, Trial

FIRST_SHARE = 0.5  # of the budget, for space-filling points
ROUNDS = (0.15, 0.05)  # standard deviation around the best in each later round, in the unit cube
PARENTS = 5  # best trials around which a round samples
MIDDLE = 0.5


def search_refining(runner: Runner, budget: int, seed: int) -> list[Trial]:
    """Spend half of the budget on space-filling points, the rest in two rounds around the best."""
    defaults = at_defaults(runner.space)
    first = max(1, round(FIRST_SHARE * budget)) - len(defaults)
    trials = runner.run([*defaults, *space_filling(runner.space, first, seed)])
    rng = np.random.default_rng(seed)
    for i, width in enumerate(ROUNDS):
        left = budget - len(trials)
        count = left // (len(ROUNDS) - i)
        trials += runner.run(_around(ranked(trials)[:PARENTS], count, width, rng))
    return trials


def search_grid(runner: Runner, budget: int) -> list[Trial]:
    """Evaluate the largest grid within the budget."""
    defaults = at_defaults(runner.space)
    return runner.run([*defaults, *grid(runner.space, budget - len(defaults))])


def at_defaults(space: Space) -> list[Candidate]:
    """Return the defaults with the first choice, if the space has defaults."""
    return [] if space.defaults is None else [Candidate(space.defaults, 0)]


def space_filling(space: Space, count: int, seed: int) -> list[Candidate]:
    """Return Sobol points of the unit cube, with the choices in rotation."""
    if count < 1:
        return []
    power = max(0, int(np.ceil(np.log2(count))))
    positions = qmc.Sobol(len(space.axes), rng=seed).random_base2(power)[:count]
    return [Candidate(position, i % len(space.choices)) for i, position in enumerate(positions)]


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
    return [Candidate(position, choice) for choice in range(len(space.choices)) for position in positions]


def ranked(trials: Sequence[Trial]) -> list[Trial]:
    """Sort trials by score, best first."""
    return sorted(trials, key=lambda trial: trial.score)


def _around(parents: Sequence[Trial], count: int, width: float, rng: np.random.Generator) -> list[Candidate]:
    """Draw candidates around good trials, reflected at the faces of the cube."""
    candidates = []
    for i in range(count):
        parent = parents[i % len(parents)]
        candidates.append(
            Candidate(
                _reflected(parent.position + width * rng.normal(size=len(parent.position))), parent.choice
            )
        )
    return candidates


def _reflected(position: FloatArray) -> FloatArray:
    folded = np.abs(position) % 2.0
    inside: FloatArray = np.minimum(folded, 2.0 - folded)
    return inside
