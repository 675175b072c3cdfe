"""`tune`: search for hyperparameters with or without labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import PathLike
from typing import Any, Literal, NamedTuple

from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from dynmeans._codes.two_codes import TwoCodes
from dynmeans.estimators import DMeans
from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.estimators._validation import valid_count, valid_threads
from dynmeans.kernels import Kernel, get_kernel
from dynmeans.tuning._diagnostics import diagnose
from dynmeans.tuning._entries import is_cosine, make_entries, uses_separation
from dynmeans.tuning._feature_scales import search_scales
from dynmeans.tuning._kernel_space import check_kernel
from dynmeans.tuning._optuna_search import search_with_optuna
from dynmeans.tuning._paper_grid import paper_space
from dynmeans.tuning._scorers import cluster, configure, score_by_codes, score_by_labels
from dynmeans.tuning._search import search_grid, search_refining
from dynmeans.tuning._selection import (
    decide,
    decide_lifetime,
    decide_memory,
    decide_merge,
    decide_motion,
    keep_estimate,
)
from dynmeans.tuning._separation import TOLERANCE, score_by_separation
from dynmeans.tuning._stream import TuningStream, read_stream
from dynmeans.tuning.pair_score import TOLERANCE as PAIR_TOLERANCE
from dynmeans.tuning.pair_score import make_pair_reference, score_by_pairs
from dynmeans.tuning.result import Tuning
from dynmeans.tuning.trials import Entry, Runner, Trial

Strategy = Literal["refine", "paper", "grid", "optuna"]
STRATEGIES: tuple[Strategy, ...] = ("refine", "paper", "grid", "optuna")
ORDERS = 3  # assignment orders that evaluate each finalist
MAX_FOREST_ROWS = 200  # per batch, for the forest code


class Criterion(NamedTuple):
    """Entries of the search, the codes that score them, and the difference below which two trials tie."""

    entries: list[Entry]
    codes: TwoCodes | None
    tolerance: float
    name: str  # what the score is; replaced by the code that is chosen


class _Seeds(NamedTuple):
    search: int
    orders: list[int]


def tune(
    batches: Iterable[Any],
    estimator: BatchClusterer | Sequence[BatchClusterer] | None = None,
    *,
    budget: int = 100,
    n_jobs: int | None = None,
    random_state: Any = None,
    labels: Sequence[Any] | None = None,
    motions: Sequence[str] | None = None,
    kernels: Sequence[Kernel] | None = None,
    strategy: Strategy = "refine",
    storage: str | PathLike[str] | None = None,
    on_trial: Callable[[Trial], object] | None = None,
) -> Tuning:
    """Find hyperparameters, motion and algorithm, with or without labels.

    Every candidate clusters all batches. Its score is a code length of the result: the forest code where
    gaps separate clusters that are not Gaussian, else the Gaussian code
    (:func:`dynmeans.tuning.code_length`). For a kernel estimator alone it is the separation of clusters and
    the consistency of ids, and with ``metric="cosine"`` the pair score
    (:func:`dynmeans.tuning.pair_score`). The best few are evaluated again under other assignment orders.
    Among ties the most central of the good candidates of the most robust choice is chosen; for kernels, the
    one nearest to the defaults. The defaults are tried first, and are kept unless another candidate leads by
    two standard errors over the steps. The ranges are estimated from the data. If the clusters are wider in
    some features than in others, the search is repeated with scaled features.

    Parameters
    ----------
    batches : iterable
        Each item is a batch X of shape (n, n_features), or a mapping of the arguments of ``partial_fit``
        (``{"X": X, "t": t}``). They are held in memory.
    estimator : estimator or list of estimators, optional
        Estimator to tune, :class:`~dynmeans.DMeans` by default. Of ``DMeans``, ``motion``, ``refine`` and
        ``exclusive`` are searched too, unless they are set; its other parameters are kept. With
        ``metric="auto"`` it is tuned for the metric that the first rows suggest. For
        :class:`~dynmeans.PersistentIds` over DBSCAN or HDBSCAN, the parameters of the clusterer are searched.
        Of several estimators the best is chosen; all are scored by the same code.
    budget : int, default=100
        Number of candidates to evaluate; each search with scaled features adds half as many.
    n_jobs : int, optional
        Candidates evaluated in parallel; by default the number of cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the search and of the assignment orders.
    labels : sequence of array-like of shape (n,), optional
        True labels of every batch. With them, the score is tracking accuracy.
    motions : sequence of str, optional
        Motions to choose from, such as ``("walk", "velocity")``; by default that of the estimator, or both if
        it is not set.
    kernels : sequence of kernels, optional
        Kernels to choose from; by default that of the estimator. Its own parameter is searched
        if it would be estimated.
    strategy : {"refine", "paper", "grid", "optuna"}, default="refine"
        Half of the budget on space-filling points and the rest around the best; the paper's procedure, which
        fixes the birth cost on single batches first; a grid; or Bayesian optimization (extra ``tune``).
    storage : path, optional
        For ``"optuna"``: a file for the study. If it exists, the search continues from it.
    on_trial : callable, optional
        Called with every finished trial.

    Returns
    -------
    Tuning
        With ``best_params_``, ``best_estimator_``, ``table_`` and ``plot()``.

    Examples
    --------
    >>> from dynmeans import tune
    >>> from dynmeans.datasets import moving_gaussians
    >>> stream = moving_gaussians(3, 15, noise=0.02, motion=0.02, random_state=0)
    >>> found = tune(stream.batches, budget=16, random_state=0)
    >>> sorted(found.best_params_)
    ['birth_cost', 'exclusive', 'lifetime', 'merge', 'motion', 'reach', 'refine']
    >>> found.best_estimator_.n_steps_
    15
    """
    models = _models(estimator)
    stream = read_stream(batches)
    valid_count("budget", budget, 1)
    valid_threads(n_jobs)
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy must be one of {list(STRATEGIES)}, got {strategy!r}")
    if storage is not None and strategy != "optuna":
        raise ValueError(f"storage needs strategy='optuna', got strategy={strategy!r}")
    seeds = _draw_seeds(random_state)
    # Candidates run in parallel already: BLAS threads would compete with them. KDMeans("rbf") on rows of 256
    # features takes 9 s of CPU instead of 51 on two cores.
    with threadpool_limits(1, user_api="blas"):
        criterion = _make_criterion(models, stream, motions, kernels, labels, budget)
        if strategy == "paper":
            entries = [
                e._replace(space=paper_space(e.space, stream, seeds.search)) for e in criterion.entries
            ]
            criterion = criterion._replace(entries=entries)
        runner = Runner(criterion.entries, seeds.orders, n_jobs, on_trial, criterion.codes)
        trials = _search(strategy, runner, budget, seeds.search, storage)
        for rule in (decide, keep_estimate, decide_lifetime, decide_memory, decide_motion):
            trials = rule(runner, trials, criterion.tolerance)
        if strategy == "refine":
            trials = search_scales(runner, trials, stream, motions, budget, seeds.search, criterion.tolerance)
        return _finish(runner, criterion, stream, decide_merge(runner, trials, criterion.tolerance))


def _models(estimator: Any) -> list[Any]:
    """Return the estimators as a list."""
    if estimator is None:
        return [DMeans()]
    models = list(estimator) if isinstance(estimator, list | tuple) else [estimator]
    if not models:
        raise ValueError("the list of estimators is empty; give at least one")
    for model in models:
        if not isinstance(model, BatchClusterer):
            raise ValueError(
                f"an estimator must be one of dynmeans, got {model!r}: wrap other clusterers in PersistentIds"
            )
    return models


def _search(
    strategy: Strategy, runner: Runner, budget: int, seed: int, storage: str | PathLike[str] | None
) -> list[Trial]:
    if strategy == "optuna":
        return search_with_optuna(runner, budget, seed, storage)
    return search_refining(runner, budget, seed) if strategy == "refine" else search_grid(runner, budget)


def _finish(runner: Runner, criterion: Criterion, stream: TuningStream, trials: list[Trial]) -> Tuning:
    """Fit the best trial again under its best order, with the number of threads of the user."""
    entry = runner.entries[trials[0].entry]
    best = configure(entry.estimator, trials[0].params, trials[0].seed)
    if hasattr(best, "n_jobs"):
        best.set_params(n_jobs=entry.estimator.n_jobs)
    labels = cluster(best, stream)
    name = criterion.name
    if criterion.codes is not None:
        name = "forest code" if runner.by_forest else "Gaussian code"
    notes = diagnose(trials, criterion.tolerance, stream, labels, best, by_forest=runner.by_forest)
    names = [each.name for each in runner.entries]
    return Tuning(trials, best, notes, [names[trial.entry] for trial in trials], name)


def _draw_seeds(random_state: Any) -> _Seeds:
    drawn = check_random_state(random_state).randint(0, 2**31 - 1, size=ORDERS + 2).tolist()
    return _Seeds(drawn[0], drawn[1:])


def _make_criterion(
    models: Sequence[Any],
    stream: TuningStream,
    motions: Sequence[str] | None,
    kernels: Sequence[Kernel] | None,
    labels: Sequence[Any] | None,
    budget: int,
) -> Criterion:
    """Choose the criterion: accuracy with labels, that of kernels or directions, or the code length."""
    codes, make = None, None
    if labels is not None:
        name, tolerance = "1 - tracking accuracy", 0.0
        make = partial(score_by_labels, stream=stream, truth=labels)
    elif len(models) == 1 and uses_separation(models[0], kernels):
        check_kernel(get_kernel(models[0].kernel))
        name, tolerance = "separation", TOLERANCE
        make = partial(score_by_separation, stream=stream, kernel=get_kernel(models[0].kernel))
    elif any(is_cosine(model, stream, motions) for model in models):
        # All are scored as clusterings of directions.
        name, tolerance = "pair score", PAIR_TOLERANCE
        reference = make_pair_reference(stream.batches, stream.weights)
        make = partial(score_by_pairs, stream=stream, reference=reference)
    else:
        codes = TwoCodes(stream.batches, stream.times, stream.weights, max_rows=MAX_FOREST_ROWS)
        # The nats that encode which candidate was chosen.
        name, tolerance = "code", math.log(budget) / codes.n_rows
        make = partial(score_by_codes, stream=stream, codes=codes)
    entries = [e for model in models for e in make_entries(model, stream, motions, kernels, make)]
    return Criterion(entries, codes, tolerance, name)
