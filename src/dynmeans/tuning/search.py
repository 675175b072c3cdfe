"""Which settings to try: all over the space first, then around the best; or a plain grid."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.stats import qmc

from dynmeans._model.types import FloatArray
from dynmeans.tuning.space import Space
from dynmeans.tuning.trials import Candidate, Runner, Trial

FIRST_SHARE = 0.5  # of the budget, spread all over the space
ROUNDS = (0.15, 0.05)  # how far around the best each later round looks, in the unit cube
PARENTS = 5  # settings around which a round looks
MIDDLE = 0.5


def search_refining(runner: Runner, budget: int, seed: int) -> list[Trial]:
    """Half of the budget all over the space, the rest in two rounds around the best so far."""
    home = at_defaults(runner.space)
    first = max(1, round(FIRST_SHARE * budget)) - len(home)
    trials = runner.run([*home, *spread_out(runner.space, first, seed)])
    rng = np.random.default_rng(seed)
    for i, width in enumerate(ROUNDS):
        left = budget - len(trials)
        count = left // (len(ROUNDS) - i)
        trials += runner.run(_around(ranked(trials)[:PARENTS], count, width, rng))
    return trials


def search_grid(runner: Runner, budget: int) -> list[Trial]:
    """Every setting of a grid that the budget allows."""
    home = at_defaults(runner.space)
    return runner.run([*home, *grid(runner.space, budget - len(home))])


def at_defaults(space: Space) -> list[Candidate]:
    """The defaults with the first choice, if there are defaults."""
    return [] if space.home is None else [Candidate(space.home, 0)]


def spread_out(space: Space, count: int, seed: int) -> list[Candidate]:
    """Points that fill the unit cube evenly, the choices taken in turn."""
    if count < 1:
        return []
    power = max(0, int(np.ceil(np.log2(count))))
    places = qmc.Sobol(len(space.axes), rng=seed).random_base2(power)[:count]
    return [Candidate(place, i % len(space.choices)) for i, place in enumerate(places)]


def grid(space: Space, budget: int) -> list[Candidate]:
    """The largest grid within the budget, with twice as many birth costs as values of the others.

    An axis of no length, as the birth cost of the paper's procedure, has one value.
    """
    if budget < 1:
        return []
    each = max(1, budget // len(space.choices))
    free = [axis for axis in space.axes[1:] if axis.high > axis.low]
    births = space.axes[0].high > space.axes[0].low
    side = max(1, int((each / (2.0 if births else 1.0) + 1e-9) ** (1.0 / (len(free) + births))))
    sides = (each // side ** len(free) if births else 1, *[side] * len(free))
    values = [np.linspace(0.0, 1.0, n) if n > 1 else np.array([MIDDLE]) for n in sides]
    places = [np.array(place) for place in product(*values)]
    return [Candidate(place, choice) for choice in range(len(space.choices)) for place in places]


def ranked(trials: Sequence[Trial]) -> list[Trial]:
    """The best first."""
    return sorted(trials, key=lambda trial: trial.score)


def _around(parents: Sequence[Trial], count: int, width: float, rng: np.random.Generator) -> list[Candidate]:
    """Settings near good ones, mirrored at the walls of the cube."""
    spots = []
    for i in range(count):
        parent = parents[i % len(parents)]
        spots.append(
            Candidate(_mirrored(parent.place + width * rng.normal(size=len(parent.place))), parent.choice)
        )
    return spots


def _mirrored(place: FloatArray) -> FloatArray:
    folded = np.abs(place) % 2.0
    inside: FloatArray = np.minimum(folded, 2.0 - folded)
    return inside
