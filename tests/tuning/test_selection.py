from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from dynmeans.tuning.selection import decide
from dynmeans.tuning.space import Axis, Space
from dynmeans.tuning.trials import Trial

HOME = np.array([0.5])


class SameAgain(NamedTuple):
    """A runner whose second look finds what the first did."""

    space: Space

    def run_again(self, trials: list[Trial]) -> list[Trial]:
        return trials


def trial(place: float, steps: Any) -> Trial:
    return Trial(
        np.array([place]), 0, {"birth_cost": place}, (float(np.mean(steps)),), 2.0, 2, 0, tuple(steps)
    )


def choose(trials: list[Trial], home: Any = HOME) -> float:
    space = Space((Axis("birth_cost", 1.0, 2.0),), home=home)
    return decide(SameAgain(space), trials, 0.01)[0].params["birth_cost"]  # type: ignore[arg-type]


@pytest.mark.parametrize(("steps", "chosen"), [([0.1, 0.9, 0.1, 0.5], 0.5), ([0.4, 0.41, 0.42, 0.4], 0.9)])
def test_the_defaults_are_left_only_if_the_steps_agree(steps: list[float], chosen: float) -> None:
    assert choose([trial(0.5, [0.5] * 4), trial(0.9, steps)]) == chosen


def test_defaults_that_are_far_behind_are_still_asked_again() -> None:
    others = [trial(0.01 * i, [0.1, 0.7, 0.1, 0.5]) for i in range(20)]
    assert choose([*others, trial(0.5, [0.5] * 4)]) == 0.5


def test_of_equals_the_nearest_to_the_defaults_is_taken() -> None:
    assert choose([trial(0.5, [0.9] * 4), *(trial(x, [0.1] * 4) for x in (0.0, 0.3, 1.0))]) == 0.3


def test_without_defaults_the_middle_of_the_equals_is_taken() -> None:
    assert choose([trial(x, [0.1] * 4) for x in (0.0, 0.1, 0.2, 0.6, 1.0)], home=None) == 0.2
