"""The estimators of a search, each with its space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn.cluster import DBSCAN, HDBSCAN

from dynmeans._algorithms.estimation.candidates import exclusive_range
from dynmeans.estimators import DMeans, PersistentIds
from dynmeans.estimators._parameters.dmeans_parameters import is_free
from dynmeans.estimators._parameters.metric_choice import are_unit_rows, may_be_cosine
from dynmeans.estimators._shell.kernel_base import KernelClusterer
from dynmeans.kernels import Kernel, Linear, get_kernel
from dynmeans.tuning._kernel_space import check_kernel, kernel_space
from dynmeans.tuning._known_candidates import with_known_candidates
from dynmeans.tuning._scorers import Scorer
from dynmeans.tuning._space import Axis, Space, birth_costs, make_space, with_drift_axis
from dynmeans.tuning._stream import TuningStream
from dynmeans.tuning.code_length import median_interval
from dynmeans.tuning.pair_score import cosine_space
from dynmeans.tuning.trials import Entry

MOTIONS = ("walk", "velocity")
MIN_SAMPLES = (2.0, 10.0)  # of DBSCAN: 1 would make every row a cluster, and 5 is its default
MAX_GROUPS = 0.2  # of a batch: largest size of the smallest cluster that HDBSCAN may find

MakeScorer = Callable[[Any], Scorer]


def uses_separation(model: Any, kernels: Sequence[Kernel] | None) -> bool:
    """Return whether an estimator is scored by the separation of its clusters."""
    if not isinstance(model, KernelClusterer):
        return False
    return kernels is not None or not isinstance(get_kernel(model.kernel), Linear)


def is_cosine(model: Any, stream: TuningStream, motions: Sequence[str] | None) -> bool:
    """Return whether an estimator clusters directions: it is set, or it would choose to by the first rows."""
    metric = getattr(model, "metric", None)
    if metric != "auto":
        return bool(metric == "cosine")
    walks = motions is None or "walk" in motions
    return walks and may_be_cosine(model) and are_unit_rows(stream.batches[0])


def make_entries(
    model: Any,
    stream: TuningStream,
    motions: Sequence[str] | None,
    kernels: Sequence[Kernel] | None,
    make_scorer: MakeScorer,
) -> list[Entry]:
    """Return the spaces of one estimator: `DMeans` has two, with and without `exclusive`."""
    if isinstance(model, KernelClusterer):
        spaces = [_kernel_space(model, stream, motions, kernels)]
    elif kernels is not None:
        raise ValueError(f"kernels are for KDMeans and SDMeans, not for {type(model).__name__}")
    elif is_cosine(model, stream, motions):
        choices = _cosine_choices(model, motions)
        spaces = [cosine_space(stream, median_interval(stream.times))._replace(choices=choices)]
    elif isinstance(model, PersistentIds):
        spaces = [_linking_space(model, stream, motions)]
    else:
        spaces = with_known_candidates(dmeans_spaces(model, stream, motions), model, stream, motions)
    return [Entry(model, space, make_scorer(model)) for space in spaces]


def _space(stream: TuningStream, births: tuple[float, float], choices: Sequence[dict[str, Any]]) -> Space:
    return make_space(births, len(stream.batches), choices, median_interval(stream.times))


def _kernel_space(
    model: KernelClusterer,
    stream: TuningStream,
    motions: Sequence[str] | None,
    kernels: Sequence[Kernel] | None,
) -> Space:
    check_kernel(get_kernel(model.kernel))
    choices = [{"motion": motion} for motion in motions or ()] or [{}]
    if uses_separation(model, kernels):
        return kernel_space(model, stream, choices, kernels, median_interval(stream.times))
    # The linear kernel is D-Means.
    return _space(stream, birth_costs(stream.batches), [{**choice, "relative": False} for choice in choices])


def dmeans_spaces(model: DMeans, stream: TuningStream, motions: Sequence[str] | None) -> list[Space]:
    """Return the space of plain and refined D-Means, and that of at most one row per cluster."""
    moves = _motion_choices(model, motions)
    births, scale = birth_costs(stream.batches), exclusive_range(stream.batches)
    spaces = []
    if not model.exclusive or is_free(model.exclusive):
        refined = [{"refine": value} for value in (False, True)] if is_free(model.refine) else [{}]
        single = {"exclusive": False} if is_free(model.exclusive) else {}
        choices = [{**move, **mode, **single} for mode, move in product(refined, moves)]  # simplest first
        low = births[0] if scale is None else min(births[0], scale[0])
        spaces.append(_space(stream, (low, births[1]), choices))
    if (model.exclusive or is_free(model.exclusive)) and (scale is not None or not spaces):
        fixed = {"refine": False} if is_free(model.refine) else {}
        single = {"exclusive": True} if is_free(model.exclusive) else {}
        spaces.append(_space(stream, scale or births, [{**move, **fixed, **single} for move in moves]))
    # With a given interval, reach has another meaning: the equivalent aging cost and drift have not.
    return [with_drift_axis(space)._replace(has_interval=model.interval is None) for space in spaces]


def _cosine_choices(model: Any, motions: Sequence[str] | None) -> tuple[dict[str, Any], ...]:
    """Return the modes on the sphere, plain first: directions only walk."""
    if motions is not None and "walk" not in motions:
        raise ValueError(f"metric='cosine' has motion 'walk' only, got motions={tuple(motions)!r}")
    if not isinstance(model, DMeans):
        return ({},)
    modes = [{"refine": value} for value in (False, True)] if is_free(model.refine) else [{}]
    chosen = {"metric": "cosine"} if model.metric == "auto" else {}
    return tuple({**chosen, **mode} for mode in modes)


def _motion_choices(model: Any, motions: Sequence[str] | None) -> list[dict[str, Any]]:
    found = motions or (MOTIONS if is_free(model.motion) else ())
    return [{"motion": motion} for motion in found] or [{}]


def _linking_space(model: PersistentIds, stream: TuningStream, motions: Sequence[str] | None) -> Space:
    """Return the space of linking, and of the clusterer where it is known."""
    if model.estimator is None:
        raise ValueError("PersistentIds without an estimator clusters nothing, so it cannot be tuned")
    if model.kernel is not None:
        raise ValueError("PersistentIds with a kernel cannot be tuned; leave kernel=None")
    low, high = birth_costs(stream.batches)
    space = _space(stream, (low, high), _motion_choices(model, motions))
    return space._replace(
        axes=(*space.axes, *_clusterer_axes(model.estimator, stream, (low, high))), links_groups=True
    )


def _clusterer_axes(clusterer: Any, stream: TuningStream, births: tuple[float, float]) -> tuple[Axis, ...]:
    """Return the axes of a wrapped DBSCAN or HDBSCAN; another clusterer keeps its parameters."""
    if isinstance(clusterer, DBSCAN):
        eps = Axis("estimator__eps", float(np.sqrt(births[0])), float(np.sqrt(births[1])) / 4.0)
        return (eps, Axis("estimator__min_samples", *MIN_SAMPLES, is_whole=True))
    if isinstance(clusterer, HDBSCAN):
        largest = max(3.0, MAX_GROUPS * float(np.median([len(batch) for batch in stream.batches])))
        return (Axis("estimator__min_cluster_size", 2.0, largest, is_whole=True),)
    return ()
