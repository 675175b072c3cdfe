from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pytest

from dynmeans import DMeans
from dynmeans._codes.two_codes import CodeLengths
from dynmeans.tuning._selection import decide, decide_lifetime, decide_merge, keep_estimate
from dynmeans.tuning._space import Axis, Space
from dynmeans.tuning.trials import Entry, Trial

DEFAULTS = np.array([0.5])


class SameAgain(NamedTuple):
    """Runner whose second evaluation equals the first."""

    space: Space
    estimate: float | None = None

    def is_estimate(self, trial: Trial) -> bool:
        return trial.params["birth_cost"] == self.estimate

    def defaults(self, trial: Trial) -> Any:
        return self.space.defaults

    def run_again(self, trials: Iterable[Trial]) -> list[Trial]:
        return list(trials)


def trial(position: float, steps: Any) -> Trial:
    return Trial(
        position=np.array([position]),
        choice=0,
        params={"birth_cost": position},
        scores=(float(np.mean(steps)),),
        n_clusters=2.0,
        n_ids=2,
        seed=0,
        steps=tuple(steps),
    )


def choose(trials: list[Trial], defaults: Any = DEFAULTS) -> float:
    space = Space((Axis("birth_cost", 1.0, 2.0),), defaults=defaults)
    return decide(SameAgain(space), trials, 0.01)[0].params["birth_cost"]  # type: ignore[arg-type]


@pytest.mark.parametrize(("steps", "chosen"), [([0.1, 0.9, 0.1, 0.5], 0.5), ([0.4, 0.41, 0.42, 0.4], 0.9)])
def test_the_defaults_are_replaced_only_if_the_steps_agree(steps: list[float], chosen: float) -> None:
    assert choose([trial(0.5, [0.5] * 4), trial(0.9, steps)]) == chosen


@pytest.mark.parametrize(("steps", "kept"), [([0.1, 0.9, 0.1, 0.5], True), ([0.4, 0.41, 0.42, 0.4], False)])
def test_an_estimate_is_replaced_only_if_the_steps_agree(steps: list[float], kept: bool) -> None:
    runner: Any = SameAgain(Space((Axis("birth_cost", 1.0, 2.0),)), estimate=0.5)
    trials = keep_estimate(runner, [trial(0.9, steps), trial(0.3, steps), trial(0.5, [0.5] * 4)], 0.01)
    assert [t.params["birth_cost"] for t in trials] == ([0.5, 0.9, 0.3] if kept else [0.9, 0.3, 0.5])


def test_an_estimate_that_ties_is_not_preferred() -> None:
    runner: Any = SameAgain(Space((Axis("birth_cost", 1.0, 2.0),)), estimate=0.5)
    trials = [trial(0.9, [0.1] * 4), trial(0.5, [0.1] * 4)]
    assert keep_estimate(runner, trials, 0.01) == trials


def test_poor_defaults_are_still_evaluated_again() -> None:
    others = [trial(0.01 * i, [0.1, 0.7, 0.1, 0.5]) for i in range(20)]
    assert choose([*others, trial(0.5, [0.5] * 4)]) == 0.5


def test_among_ties_the_nearest_to_the_defaults_is_chosen() -> None:
    assert choose([trial(0.5, [0.9] * 4), *(trial(x, [0.1] * 4) for x in (0.0, 0.3, 1.0))]) == 0.3


def test_without_defaults_the_most_central_tie_is_chosen() -> None:
    assert choose([trial(x, [0.1] * 4) for x in (0.0, 0.1, 0.2, 0.6, 1.0)], defaults=None) == 0.2


def test_among_ties_the_choice_with_the_largest_share_of_good_positions_is_chosen() -> None:
    """A choice that is good by chance fails when the stream changes; the refined trials do not count."""
    fragile = [trial(x, [0.1 if x == 0.4 else 0.9] * 4) for x in (0.1, 0.4, 0.8)]
    robust = [trial(x, [0.1 if x < 0.7 else 0.9] * 4)._replace(choice=1) for x in (0.3, 0.5, 0.9)]
    even = [t._replace(fills_space=True) for t in (*fragile, *robust)]
    refined = [trial(0.4 + 0.01 * i, [0.1] * 4) for i in range(5)]
    assert choose([*refined, *even], defaults=None) in (0.3, 0.5)
    assert choose([*refined, *(t._replace(fills_space=False) for t in even)], defaults=None) < 0.45


@pytest.mark.parametrize(("steps", "lifetime"), [([0.1] * 4, 5.0), ([0.2] * 4, 1.5)])
def test_a_short_lifetime_is_kept_only_if_it_is_better(steps: list[float], lifetime: float) -> None:
    axes = (Axis("birth_cost", 1.0, 2.0), Axis("lifetime", 1.2, 20.0, origin=1.0))
    space = Space(axes)

    class Longer(NamedTuple):
        entries: tuple[Entry, ...] = (Entry(DMeans(), space, None),)  # type: ignore[arg-type]

        def run_again(self, trials: Iterable[Trial]) -> list[Trial]:
            return [found._replace(scores=(float(np.mean(steps)),), steps=tuple(steps)) for found in trials]

    position = np.array([0.5, axes[1].share(1.5)])
    chosen = trial(0.5, [0.1] * 4)._replace(
        position=position, params=space.params(position, 0), lengths=(CodeLengths(0.1, 0.1, 0),)
    )
    runner: Any = Longer()
    assert decide_lifetime(runner, [chosen], 0.01)[0].params["lifetime"] == pytest.approx(lifetime)


SHORTER, EQUAL, UNCLEAR = [0.1, 0.12, 0.11, 0.1], [0.5] * 4, [0.3, 0.9, 0.2, 0.9]


@pytest.mark.parametrize(
    ("estimated", "merges", "merged", "used"),
    [
        (False, True, SHORTER, True),
        (False, True, EQUAL, False),
        (True, False, EQUAL, False),
        (True, True, EQUAL, True),
        (True, True, UNCLEAR, True),
        (True, True, [0.9, 0.92, 0.91, 0.9], False),
    ],
)
def test_an_estimate_merges_unless_it_is_clearly_worse(
    estimated: bool, merges: bool, merged: list[float], used: bool
) -> None:
    class Merged(NamedTuple):
        entries: tuple[Entry, ...] = (
            Entry(DMeans(), Space((Axis("birth_cost", 1.0, 2.0),), merges=merges), None),  # type: ignore[arg-type]
        )

        def is_estimate(self, trial: Trial) -> bool:
            return estimated

        def run_again(self, trials: Iterable[Trial]) -> list[Trial]:
            return [found._replace(scores=(float(np.mean(merged)),), steps=tuple(merged)) for found in trials]

    chosen = trial(0.5, EQUAL)._replace(lengths=(CodeLengths(0.5, 0.5, 0),))
    runner: Any = Merged()
    assert decide_merge(runner, [chosen], 0.01)[0].params.get("merge", False) is used
