"""Trials are pure functions of parameters and seed; an experiment is a list of trials with figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from dynmeans._model.types import IntArray
from dynmeans.datasets import Stream
from dynmeans.metrics import per_step_accuracy, tracking_accuracy

if TYPE_CHECKING:
    from dynmeans._experiments.results import Results

CHOOSING_SEED = 0  # parameters are chosen on seeds from here,
REPORTED_SEED = 1000  # and reported on seeds from here; the two sets are disjoint

Case: TypeAlias = "dict[str, Any]"  # JSON values
Numbers: TypeAlias = "dict[str, Any]"  # JSON values, the same keys in all trials of a part
Figures: TypeAlias = "dict[str, Any]"  # file name without suffix -> matplotlib figure
Follow: TypeAlias = "Callable[[Stream], list[IntArray]]"  # a stream -> the ids found in each of its batches


class StreamClusterer(Protocol):
    """Clusterer of a stream, one batch per call."""

    labels_: Any

    def partial_fit(self, X: Any, y: Any = None, /) -> object:
        """Cluster the next batch; only oracle methods use the true labels y."""


class ExperimentTrial(NamedTuple):
    """One unit of work."""

    part: str  # name of the part of the experiment
    case: Case  # method, stream and parameters: everything the result depends on except the seed
    seed: int
    effort: float = 1.0  # estimated seconds, for the order and the remaining time

    @property
    def group(self) -> str:
        """Name of all trials that differ only in the seed."""
        return group_name(self.part, self.case)


class Size(NamedTuple):
    """Size of an experiment."""

    trials: int
    quick: bool = False


class Experiment(NamedTuple):
    """Definition of an experiment for `dynmeans reproduce`."""

    name: str
    full: Size  # as in the paper
    quick: Size
    plan: Callable[[Size], list[ExperimentTrial]]
    run: Callable[[ExperimentTrial], Numbers]  # in another process, so a function of a module
    draw: Callable[[Results], Figures]
    summarize: Callable[[Results], str]  # tables in Markdown
    priorities: Mapping[str, float] = {}  # parts that run before others: see `by_priority`


def by_priority(
    trials: Iterable[ExperimentTrial], priorities: Mapping[str, float] | None = None
) -> list[ExperimentTrial]:
    """Order trials so that all groups have had about equal time whenever a run stops.

    Parameters
    ----------
    trials : iterable of ExperimentTrial
    priorities : dict, optional
        Weight of each part: its cases get this many times as much time. Default: 1.

    Examples
    --------
    >>> def trials(slow):
    ...     return [ExperimentTrial("a", {"slow": slow}, i, 1.0 + slow) for i in range(3)]
    >>> [(trial.case["slow"], trial.seed) for trial in by_priority([*trials(True), *trials(False)])]
    [(False, 0), (True, 0), (False, 1), (False, 2), (True, 1), (True, 2)]
    """
    weight = priorities or {}

    def spent(trial: ExperimentTrial) -> float:
        return trial.effort * (1 + trial.seed % REPORTED_SEED) / weight.get(trial.part, 1.0)

    return sorted(trials, key=spent)


def group_name(part: str, case: Mapping[str, Any]) -> str:
    """Return the name of the trials of a part with equal parameters."""
    return f"{part} {json.dumps(case, sort_keys=True)}"


def tracking(tracker: StreamClusterer, *, uses_labels: bool = False) -> Follow:
    """Cluster a stream with a tracker.

    Parameters
    ----------
    tracker : object with `partial_fit` and `labels_`
    uses_labels : bool
        Whether the tracker receives the true labels of each batch, as in the paper's oracle selection.
    """

    def follow(stream: Stream) -> list[IntArray]:
        found = []
        for X, y in zip(stream.batches, stream.labels, strict=True):
            tracker.partial_fit(X, y if uses_labels else None)
            found.append(np.asarray(tracker.labels_))
        return found

    return follow


def evaluate(follow: Follow, stream: Stream) -> Numbers:
    """Cluster one stream on one thread, and compare with the true labels.

    Returns
    -------
    dict
        `tracked` and `per_step` accuracy, number of `clusters` (different ids, without noise), and processor
        `seconds` per step, which other processes do not affect.
    """
    with threadpool_limits(1):
        began = process_time()
        found = follow(stream)
        seconds = process_time() - began
    ids = np.unique(np.concatenate(found))
    return {
        "tracked": tracking_accuracy(stream.labels, found),
        "per_step": per_step_accuracy(stream.labels, found),
        "clusters": int((ids >= 0).sum()),
        "seconds": seconds / len(stream.batches),
    }


def show_frames(follow: Follow, stream: Stream, first: int, number: int = 5) -> Numbers:
    """Return points of a few sequential steps with found and true ids."""
    steps = range(first, first + number)
    found = follow(stream)
    return {
        "steps": list(steps),
        "points": [stream.batches[step] for step in steps],
        "found": [found[step] for step in steps],
        "true": [stream.labels[step] for step in steps],
    }


def crossing(grid: Sequence[Sequence[float]], chosen: Sequence[float], size: Size) -> list[tuple[float, ...]]:
    """Return positions (x, y, z) of two planes: x against y at the chosen z, and x against z at the chosen y.

    A quick run has three values per axis: its ends and the chosen one.
    """
    x, y, z = (
        sorted({axis[0], value, axis[-1]}) if size.quick else axis
        for axis, value in zip(grid, chosen, strict=True)
    )
    planes = [*product(x, y, chosen[2:]), *product(x, chosen[1:2], z)]
    return list(dict.fromkeys(planes))
