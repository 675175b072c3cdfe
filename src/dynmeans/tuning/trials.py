"""Trials and their parallel evaluation."""

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
    """Hyperparameters to be evaluated."""

    position: FloatArray  # in the unit cube
    choice: int  # of motion and kernel


class Trial(NamedTuple):
    """Hyperparameters with the results of their runs."""

    position: FloatArray  # in the unit cube
    choice: int  # index of motion and kernel
    params: dict[str, Any]
    scores: tuple[float, ...]  # one per assignment order, lower is better
    n_clusters: float  # median number of active clusters per step
    n_ids: int  # number of ids in the whole run
    seed: int  # of the best order
    steps: tuple[float, ...] = ()  # score of each step, mean over the orders, where the scorer has one

    @property
    def place(self) -> FloatArray:
        """Former name of `position`."""
        return self.position

    @property
    def score(self) -> float:
        """Mean score over the orders."""
        return float(np.mean(self.scores))


class Runner:
    """Evaluates candidates on several threads; the compiled loops release the GIL.

    Results do not depend on the number of threads: they are returned in the order of the candidates.

    Parameters
    ----------
    scorer : Scorer
    space : Space
    seeds : sequence of int
        Seeds of assignment orders: the first for the search, the others for the finalists.
    n_jobs : int or None
    on_trial : callable or None
        Called with every trial, in order.
    """

    def __init__(
        self,
        scorer: Scorer,
        space: Space,
        seeds: Sequence[int],
        n_jobs: int | None = 1,
        on_trial: Callable[[Trial], object] | None = None,
    ) -> None:
        self.space, self._seeds = space, tuple(seeds)
        self._scorer, self._on_trial = scorer, on_trial
        self._n_threads = (os.cpu_count() or 1) if n_jobs is None or n_jobs == -1 else n_jobs

    def run(self, candidates: Iterable[Candidate]) -> list[Trial]:
        """Evaluate candidates under the first order."""

        def evaluate(candidate: Candidate) -> Trial:
            return self._evaluate(self._seeds[:1], candidate, self.space.params(*candidate))

        return self._in_parallel(evaluate, list(candidates))

    def run_again(self, trials: Iterable[Trial]) -> list[Trial]:
        """Evaluate trials under the other orders; the score under the first is biased by the search."""

        def evaluate(trial: Trial) -> Trial:
            return self._evaluate(self._seeds[1:], Candidate(trial.position, trial.choice), trial.params)

        return self._in_parallel(evaluate, list(trials))

    def _evaluate(self, seeds: Sequence[int], candidate: Candidate, params: dict[str, Any]) -> Trial:
        evaluations = [self._scorer(params, seed) for seed in seeds]
        scores = tuple(evaluation.score for evaluation in evaluations)
        best = int(np.argmin(scores))
        _, n_clusters, n_ids, _ = evaluations[best]
        steps = tuple(np.mean([evaluation.steps for evaluation in evaluations], axis=0).tolist())
        return Trial(*candidate, params, scores, n_clusters, n_ids, seeds[best], steps)

    def _in_parallel(self, evaluate: Callable[[Any], Trial], items: list[Any]) -> list[Trial]:
        done = []
        with ThreadPoolExecutor(self._n_threads) as pool:
            for trial in pool.map(evaluate, items):
                done.append(trial)
                if self._on_trial is not None:
                    self._on_trial(trial)
        return done
