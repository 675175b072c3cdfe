"""Settings that were tried, and how they are run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray
from dynmeans.tuning.scorers import Scorer
from dynmeans.tuning.space import Space


class Candidate(NamedTuple):
    """A setting that is yet to be tried."""

    place: FloatArray  # in the unit cube
    choice: int  # of motion and kernel


class Trial(NamedTuple):
    """One setting and what its runs were worth."""

    place: FloatArray
    choice: int
    params: dict[str, Any]
    scores: tuple[float, ...]  # one for each order, less is better
    n_clusters: float  # active in a step, in the median
    n_ids: int  # in the whole run
    seed: int  # of the best of these orders
    steps: tuple[float, ...] = ()  # score of each step, mean over the orders, where there is one

    @property
    def score(self) -> float:
        """Mean over the orders."""
        return float(np.mean(self.scores))


class Runner:
    """Runs settings on several threads; the compiled loops do not hold Python's lock.

    What is found does not depend on the number of threads: results come back in the order of the settings.

    Parameters
    ----------
    judge : callable
    space : Space
    seeds : sequence of int
        Seeds of assignment orders; the first is for the search, the others are for the finalists.
    n_jobs : int or None
    on_trial : callable or None
        Called with every trial, in order.
    """

    def __init__(
        self,
        judge: Scorer,
        space: Space,
        seeds: Sequence[int],
        n_jobs: int | None = 1,
        on_trial: Callable[[Trial], object] | None = None,
    ) -> None:
        self.space, self._seeds = space, tuple(seeds)
        self._judge, self._on_trial = judge, on_trial
        self._n_threads = (os.cpu_count() or 1) if n_jobs is None or n_jobs == -1 else n_jobs

    def run(self, spots: Iterable[Candidate]) -> list[Trial]:
        """Try settings under the first order."""

        def attempt(spot: Candidate) -> Trial:
            return self._under(self._seeds[:1], spot, self.space.params(*spot))

        return self._side_by_side(attempt, list(spots))

    def run_again(self, trials: Iterable[Trial]) -> list[Trial]:
        """Run settings under all other orders; the first, under which they were found, flatters them."""

        def attempt(trial: Trial) -> Trial:
            return self._under(self._seeds[1:], Candidate(trial.place, trial.choice), trial.params)

        return self._side_by_side(attempt, list(trials))

    def _under(self, seeds: Sequence[int], spot: Candidate, params: dict[str, Any]) -> Trial:
        verdicts = [self._judge(params, seed) for seed in seeds]
        scores = tuple(evaluate.score for evaluate in verdicts)
        best = int(np.argmin(scores))
        _, n_clusters, n_ids, _ = verdicts[best]
        steps = tuple(np.mean([evaluate.steps for evaluate in verdicts], axis=0).tolist())
        return Trial(*spot, params, scores, n_clusters, n_ids, seeds[best], steps)

    def _side_by_side(self, attempt: Callable[[Any], Trial], todo: list[Any]) -> list[Trial]:
        done = []
        with ThreadPoolExecutor(self._n_threads) as pool:
            for trial in pool.map(attempt, todo):
                done.append(trial)
                if self._on_trial is not None:
                    self._on_trial(trial)
        return done
