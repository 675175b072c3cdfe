"""`tune`: search for hyperparameters with or without labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

from sklearn.utils import check_random_state

from dynmeans.estimators import DMeans
from dynmeans.estimators.base import BatchClusterer
from dynmeans.estimators.kernel import KernelClusterer
from dynmeans.estimators.validation import valid_count, valid_threads
from dynmeans.kernels import Kernel, Linear, get_kernel
from dynmeans.tuning.code_length import median_interval
from dynmeans.tuning.diagnostics import diagnose
from dynmeans.tuning.kernel_space import check_kernel, kernel_space
from dynmeans.tuning.optuna_search import search_with_optuna
from dynmeans.tuning.paper_grid import paper_space
from dynmeans.tuning.result import Tuning
from dynmeans.tuning.scorers import Scorer, cluster, configure, score_by_code_length, score_by_labels
from dynmeans.tuning.search import search_grid, search_refining
from dynmeans.tuning.selection import decide
from dynmeans.tuning.separation import TOLERANCE, score_by_separation
from dynmeans.tuning.space import Space, birth_costs, make_space
from dynmeans.tuning.stream import TuningStream, read_stream
from dynmeans.tuning.trials import Runner, Trial

Strategy = Literal["refine", "paper", "grid", "optuna"]
STRATEGIES: tuple[Strategy, ...] = ("refine", "paper", "grid", "optuna")
ORDERS = 3  # assignment orders that evaluate each finalist


class Criterion(NamedTuple):
    """Search space, score, and the score difference below which two trials tie."""

    space: Space
    scorer: Scorer
    tolerance: float


class _Seeds(NamedTuple):
    search: int
    orders: list[int]


def tune(
    batches: Iterable[Any],
    estimator: BatchClusterer | None = None,
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
    """Find birth cost, lifetime and reach, with or without labels.

    Every candidate clusters all batches. Its score is the code length of the result
    (:func:`dynmeans.tuning.code_length`); for kernels, the separation of clusters and the consistency of ids.
    The best few are evaluated again under other assignment orders. Among ties the most central of all good
    candidates is chosen; for kernels, the one nearest to the defaults, which are tried first. The ranges are
    estimated from the data.

    Parameters
    ----------
    batches : iterable
        Each item is a batch X of shape (n, n_features), or a mapping of the arguments of ``partial_fit``
        (``{"X": X, "t": t}``). They are held in memory.
    estimator : DMeans, KDMeans or SDMeans, optional
        Estimator to tune, :class:`~dynmeans.DMeans` by default; its other parameters are kept.
    budget : int, default=100
        Number of candidates to evaluate.
    n_jobs : int, optional
        Candidates evaluated in parallel; by default the number of cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the search and of the assignment orders.
    labels : sequence of array-like of shape (n,), optional
        True labels of every batch. With them, the score is tracking accuracy.
    motions : sequence of str, optional
        Motions to choose from, such as ``("walk", "velocity")``; by default that of the estimator.
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
    ['birth_cost', 'lifetime', 'reach']
    >>> found.best_estimator_.n_steps_
    15
    """
    model = DMeans() if estimator is None else estimator
    stream = read_stream(batches)
    valid_count("budget", budget, 1)
    valid_threads(n_jobs)
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy must be one of {list(STRATEGIES)}, got {strategy!r}")
    if storage is not None and strategy != "optuna":
        raise ValueError(f"storage needs strategy='optuna', got strategy={strategy!r}")
    seeds = _draw_seeds(random_state)
    criterion = _make_criterion(model, stream, _choices(motions), kernels, labels, budget)
    if strategy == "paper":
        criterion = criterion._replace(space=paper_space(criterion.space, stream, seeds.search))
    runner = Runner(criterion.scorer, criterion.space, seeds.orders, n_jobs, on_trial)
    trials = _search(strategy, runner, budget, seeds.search, storage)
    return _finish(model, stream, decide(runner, trials, criterion.tolerance), criterion.tolerance)


def _search(
    strategy: Strategy, runner: Runner, budget: int, seed: int, storage: str | PathLike[str] | None
) -> list[Trial]:
    if strategy == "optuna":
        return search_with_optuna(runner, budget, seed, storage)
    return search_refining(runner, budget, seed) if strategy == "refine" else search_grid(runner, budget)


def _finish(model: BatchClusterer, stream: TuningStream, trials: list[Trial], tolerance: float) -> Tuning:
    """Fit the best trial again under its best order, with the number of threads of the user."""
    best = configure(model, trials[0].params, trials[0].seed)
    best.set_params(n_jobs=model.n_jobs)
    labels = cluster(best, stream)
    return Tuning(trials, best, diagnose(trials, tolerance, stream, labels))


def _draw_seeds(random_state: Any) -> _Seeds:
    drawn = check_random_state(random_state).randint(0, 2**31 - 1, size=ORDERS + 2).tolist()
    return _Seeds(drawn[0], drawn[1:])


def _choices(motions: Sequence[str] | None) -> list[dict[str, Any]]:
    return [{"motion": motion} for motion in motions or ()] or [{}]


def _make_criterion(
    model: BatchClusterer,
    stream: TuningStream,
    choices: list[dict[str, Any]],
    kernels: Sequence[Kernel] | None,
    labels: Sequence[Any] | None,
    budget: int,
) -> Criterion:
    """Choose the criterion: code length for round clusters, separation for kernels, accuracy with labels."""
    if isinstance(model, KernelClusterer):
        kernel = get_kernel(model.kernel)
        check_kernel(kernel)
        if kernels is not None or not isinstance(kernel, Linear):
            return _kernel_criterion(model, stream, choices, kernels, labels)
        choices = [{**choice, "relative": False} for choice in choices]  # the linear kernel is D-Means
    elif kernels is not None:
        raise ValueError(f"kernels are for KDMeans and SDMeans, not for {type(model).__name__}")
    space = make_space(
        birth_costs(stream.batches), len(stream.batches), choices, median_interval(stream.times)
    )
    if labels is not None:
        return Criterion(space, score_by_labels(model, stream, labels), 0.0)
    n_points = sum(map(len, stream.batches))
    tolerance = math.log(budget) / n_points  # the nats that encode which candidate was chosen
    return Criterion(space, score_by_code_length(model, stream), tolerance)


def _kernel_criterion(
    model: KernelClusterer,
    stream: TuningStream,
    choices: list[dict[str, Any]],
    kernels: Sequence[Kernel] | None,
    labels: Sequence[Any] | None,
) -> Criterion:
    space = kernel_space(model, stream, choices, kernels, median_interval(stream.times))
    if labels is not None:
        return Criterion(space, score_by_labels(model, stream, labels), 0.0)
    return Criterion(space, score_by_separation(model, stream, get_kernel(model.kernel)), TOLERANCE)
