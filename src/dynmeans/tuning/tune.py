"""`tune`: costs without labels, or with them."""

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
from dynmeans.tuning.code_length import usual_step
from dynmeans.tuning.diagnostics import diagnose
from dynmeans.tuning.kernel_space import check_kernel, kernel_space
from dynmeans.tuning.optuna_search import search_with_optuna
from dynmeans.tuning.paper_grid import paper_space
from dynmeans.tuning.result import Tuning
from dynmeans.tuning.scorers import Scorer, follow, prepared, score_by_code_length, score_by_labels
from dynmeans.tuning.search import search_grid, search_refining
from dynmeans.tuning.selection import decide
from dynmeans.tuning.separation import TOLERANCE, score_by_separation
from dynmeans.tuning.space import Space, birth_costs, make_space
from dynmeans.tuning.stream import TuningStream, read_stream
from dynmeans.tuning.trials import Runner, Trial

Strategy = Literal["refine", "paper", "grid", "optuna"]
STRATEGIES: tuple[Strategy, ...] = ("refine", "paper", "grid", "optuna")
ORDERS = 3  # under which finalists are run again


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
    """Find birth cost, lifetime and reach, without labels if need be.

    Every setting is run over the batches, and its result is judged by its code length
    (:func:`dynmeans.tuning.code_length`); for kernels, by how far clusters are apart and their ids expected.
    The best few are run again under other assignment orders. Among those that are as good, the one in the
    middle of all good settings is taken; for kernels, the one nearest to the defaults, which are tried first.
    The ranges come from the data.

    Parameters
    ----------
    batches : iterable
        Each item is a batch X of shape (n, n_features), or a mapping of the arguments of ``partial_fit``
        (``{"X": X, "t": t}``). They are held in memory.
    estimator : DMeans, KDMeans or SDMeans, optional
        What is tuned, :class:`~dynmeans.DMeans` by default; all but the costs is kept as it is.
    budget : int, default=100
        Settings to try.
    n_jobs : int, optional
        Settings that run side by side; by default as many as there are cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the search and of the assignment orders.
    labels : sequence of array-like of shape (n,), optional
        True labels of every batch. With them, settings are judged by tracking accuracy.
    motions : sequence of str, optional
        Motions to choose from, such as ``("walk", "velocity")``; by default the estimator's own.
    kernels : sequence of kernels, optional
        Kernels to choose from; by default the estimator's, with its own parameter searched where it
        would be estimated.
    strategy : {"refine", "paper", "grid", "optuna"}, default="refine"
        Half of the budget all over the space and the rest around the best; the paper's way, birth cost first,
        on single batches without time; a plain grid; or Bayesian optimisation (extra ``tune``).
    storage : path, optional
        For ``"optuna"``: a file for the study. If it exists the search goes on where it was left.
    on_trial : callable, optional
        Called with every trial as it ends.

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
        raise ValueError(f"storage keeps the studies of strategy='optuna', got strategy={strategy!r}")
    seeds = _draw_seeds(random_state)
    space = _space(model, stream, motions, kernels)
    if strategy == "paper":
        space = paper_space(space, stream, seeds.search)
    plain = _is_plain(model, kernels)
    runner = Runner(_judge(model, stream, labels, plain), space, seeds.orders, n_jobs, on_trial)
    trials = _search(strategy, runner, budget, seeds.search, storage)
    tolerance = _tolerance(stream, labels, budget, plain)
    return _finish(model, stream, decide(runner, trials, tolerance), tolerance)


def _search(
    strategy: Strategy, runner: Runner, budget: int, seed: int, storage: str | PathLike[str] | None
) -> list[Trial]:
    if strategy == "optuna":
        return search_with_optuna(runner, budget, seed, storage)
    return search_refining(runner, budget, seed) if strategy == "refine" else search_grid(runner, budget)


def _finish(model: BatchClusterer, stream: TuningStream, trials: list[Trial], tolerance: float) -> Tuning:
    """Run the winner once more, under the best of its orders, on as many threads as the user said."""
    best = prepared(model, trials[0].params, trials[0].seed)
    best.set_params(n_jobs=model.n_jobs)
    found = follow(best, stream)
    return Tuning(trials, best, diagnose(trials, tolerance, stream, found))


def _draw_seeds(random_state: Any) -> _Seeds:
    drawn = check_random_state(random_state).randint(0, 2**31 - 1, size=ORDERS + 2).tolist()
    return _Seeds(drawn[0], drawn[1:])


def _space(
    model: BatchClusterer,
    stream: TuningStream,
    motions: Sequence[str] | None,
    kernels: Sequence[Kernel] | None,
) -> Space:
    choices: list[dict[str, Any]] = [{"motion": motion} for motion in motions or ()] or [{}]
    interval = usual_step(stream.times)
    if isinstance(model, KernelClusterer):
        check_kernel(get_kernel(model.kernel))
        if not _is_plain(model, kernels):
            return kernel_space(model, stream, choices, kernels, interval)
        choices = [{**choice, "relative": False} for choice in choices]
    elif kernels is not None:
        raise ValueError(f"kernels are for KDMeans and SDMeans, not for {type(model).__name__}")
    return make_space(birth_costs(stream.batches), len(stream.batches), choices, interval)


def _is_plain(model: BatchClusterer, kernels: Sequence[Kernel] | None) -> bool:
    """Whether clusters are round, as those of D-Means: with the linear kernel they are the same."""
    if not isinstance(model, KernelClusterer):
        return True
    return kernels is None and isinstance(get_kernel(model.kernel), Linear)


def _judge(model: BatchClusterer, stream: TuningStream, labels: Sequence[Any] | None, plain: bool) -> Scorer:
    if labels is not None:
        return score_by_labels(model, stream, labels)
    if isinstance(model, KernelClusterer) and not plain:
        return score_by_separation(model, stream, get_kernel(model.kernel))
    return score_by_code_length(model, stream)


def _tolerance(stream: TuningStream, labels: Sequence[Any] | None, budget: int, plain: bool) -> float:
    """What differences tell nothing: in code length, the nats that it takes to name one of the settings."""
    if labels is not None:
        return 0.0
    return math.log(budget) / sum(map(len, stream.batches)) if plain else TOLERANCE
