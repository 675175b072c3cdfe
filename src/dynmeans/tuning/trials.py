"""Trials and their parallel evaluation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from dynmeans._codes.two_codes import CodeLengths, TwoCodes
from dynmeans._model.types import FloatArray
from dynmeans.tuning._scorers import DIGITS, Evaluation, Scorer
from dynmeans.tuning._space import Space


class Entry(NamedTuple):
    """One estimator of a search, with its space."""

    estimator: Any
    space: Space
    scorer: Scorer

    @property
    def name(self) -> str:
        """Name of the class, with that of a wrapped estimator."""
        wrapped = getattr(self.estimator, "estimator", None)
        name = type(self.estimator).__name__
        return name if wrapped is None else f"{name}({type(wrapped).__name__})"


class Candidate(NamedTuple):
    """Hyperparameters to be evaluated."""

    position: FloatArray  # in the unit cube of the entry
    choice: int  # of motion, kernel and the like
    entry: int = 0  # which estimator
    fills_space: bool = False  # is one of the evenly distributed positions


class Trial(NamedTuple):
    """Hyperparameters with the results of their runs."""

    position: FloatArray  # in the unit cube
    choice: int  # index of motion, kernel and the like
    params: dict[str, Any]
    scores: tuple[float, ...]  # one per assignment order, lower is better
    n_clusters: float  # median number of active clusters per step
    n_ids: int  # number of ids in the whole run
    seed: int  # of the best order
    steps: tuple[float, ...] = ()  # score of each step, mean over the orders, where it is known
    entry: int = 0  # index of the estimator
    lengths: tuple[CodeLengths, ...] = ()  # both code lengths, one pair per order
    fills_space: bool = False  # is one of the evenly distributed positions

    @property
    def place(self) -> FloatArray:
        """Former name of `position`."""
        return self.position

    @property
    def score(self) -> float:
        """Mean score over the orders."""
        return float(np.mean(self.scores))

    @property
    def candidate(self) -> Candidate:
        """The hyperparameters without results."""
        return Candidate(self.position, self.choice, self.entry, self.fills_space)


class Runner:
    """Evaluates candidates on several threads; the compiled loops release the GIL.

    Results do not depend on the number of threads: they are returned in the order of the candidates.

    Parameters
    ----------
    entries : sequence of Entry
    seeds : sequence of int
        Seeds of assignment orders: the first for the search, the others for the finalists.
    n_jobs : int or None
    on_trial : callable or None
        Called with every trial, in order.
    codes : TwoCodes or None
        The two codes of the stream, if results are scored by them.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        seeds: Sequence[int],
        n_jobs: int | None = 1,
        on_trial: Callable[[Trial], object] | None = None,
        codes: TwoCodes | None = None,
    ) -> None:
        self.entries, self._seeds = tuple(entries), tuple(seeds)
        self._on_trial, self._codes = on_trial, codes
        self._n_threads = (os.cpu_count() or 1) if n_jobs is None or n_jobs == -1 else n_jobs
        self._n_jobs, self._is_code_chosen = n_jobs, False
        self.by_forest = False

    def with_entries(self, entries: Sequence[Entry]) -> Runner:
        """Return a runner of other entries that scores by the same code."""
        other = Runner(entries, self._seeds, self._n_jobs, self._on_trial, self._codes)
        other.by_forest, other._is_code_chosen = self.by_forest, True
        return other

    def add_entry(self, entry: Entry) -> int:
        """Add an entry whose trials were run elsewhere, and return its index."""
        self.entries = (*self.entries, entry)
        return len(self.entries) - 1

    @property
    def has_codes(self) -> bool:
        """Whether results are scored by one of two codes."""
        return self._codes is not None

    def defaults(self, trial: Trial) -> FloatArray | None:
        """Return the position of the defaults in the space of a trial."""
        return self.entries[trial.entry].space.defaults

    def is_estimate(self, trial: Trial) -> bool:
        """Return whether a trial has the parameters that its estimator would estimate."""
        known = self.entries[trial.entry].space.estimate
        return known is not None and trial.choice == known[1] and np.array_equal(trial.position, known[0])

    def run(self, candidates: Iterable[Candidate]) -> list[Trial]:
        """Evaluate candidates under the first order."""

        def evaluate(candidate: Candidate) -> Trial:
            space = self.entries[candidate.entry].space
            return self._evaluate(
                self._seeds[:1], candidate, space.params(candidate.position, candidate.choice)
            )

        return self._in_parallel(evaluate, list(candidates))

    def run_again(self, trials: Iterable[Trial]) -> list[Trial]:
        """Evaluate trials under the other orders; the score under the first is biased by the search."""

        def evaluate(trial: Trial) -> Trial:
            again = self._evaluate(self._seeds[1:], trial.candidate, trial.params)
            return again._replace(steps=self._code_steps(again)) if self.has_codes else again

        return self._in_parallel(evaluate, list(trials))

    def choose_code(self, trials: list[Trial]) -> list[Trial]:
        """Choose the code for this stream, and score the trials by it."""
        if self._codes is None:
            return trials
        if not self._is_code_chosen:
            self.by_forest = self._codes.prefers_forest([pair for trial in trials for pair in trial.lengths])
        return [
            trial._replace(scores=tuple(round(pair.of(self.by_forest), DIGITS) for pair in trial.lengths))
            for trial in trials
        ]

    def _evaluate(self, seeds: Sequence[int], candidate: Candidate, params: dict[str, Any]) -> Trial:
        scorer = self.entries[candidate.entry].scorer
        evaluations = [scorer(params, seed) for seed in seeds]
        scores = tuple(self._score(evaluation) for evaluation in evaluations)
        best = int(np.argmin(scores))
        steps = tuple(np.mean([evaluation.steps for evaluation in evaluations], axis=0).tolist())
        lengths = tuple(found.lengths for found in evaluations if found.lengths is not None)
        return Trial(
            position=candidate.position,
            choice=candidate.choice,
            params=params,
            scores=scores,
            n_clusters=evaluations[best].n_clusters,
            n_ids=evaluations[best].n_ids,
            seed=seeds[best],
            steps=steps,
            entry=candidate.entry,
            lengths=lengths,
            fills_space=candidate.fills_space,
        )

    def _score(self, evaluation: Evaluation) -> float:
        if self.by_forest and evaluation.lengths is not None:
            return round(evaluation.lengths.forest, DIGITS)
        return evaluation.score

    def _code_steps(self, trial: Trial) -> tuple[float, ...]:
        """Return the code length of each step, mean over the orders; none if one of them failed."""
        steps = [pair.steps(self.by_forest) for pair in trial.lengths]
        return tuple(np.mean(steps, axis=0).tolist()) if all(map(len, steps)) else ()

    def _in_parallel(self, evaluate: Callable[[Any], Trial], items: list[Any]) -> list[Trial]:
        done = []
        with ThreadPoolExecutor(self._n_threads) as pool:
            for trial in pool.map(evaluate, items):
                done.append(trial)
                if self._on_trial is not None:
                    self._on_trial(trial)
        return done
