"""The sample of the first batches from which parameters are estimated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.dmeans import cluster
from dynmeans._algorithms.estimation.candidates import DescentParameters
from dynmeans._algorithms.estimation.proposal import Proposal
from dynmeans._algorithms.estimation.window import (
    MAX_OBJECTS,
    Window,
    add_to_window,
    are_single_objects,
    place_window,
)
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import update_state
from dynmeans._model.motion import get_motion
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import ClusterState, empty_state
from dynmeans._model.types import FloatArray, IntArray

MAX_ROWS = 100  # number of rows sampled per batch
PERMUTED = 1 << 20  # rows of a batch whose numbers are permuted; of more rows a sample is drawn directly
MIN_BATCHES, MAX_BATCHES = 8, 128  # number of batches with rows after which the estimate is final
MANY_BATCHES = 16  # after which ENOUGH_ROWS are sufficient
ENOUGH_ROWS = 400  # sampled rows that determine the shape of clusters
ENOUGH_SIGHTINGS = 200  # clusters over all steps that determine their motion
MAX_PASSES = 30  # maximum number of passes over a batch


class FirstBatches(NamedTuple):
    """Sample of the first batches, and the parameters that were estimated from it."""

    rows: tuple[FloatArray, ...]  # (n, d) sampled rows of each batch with rows; empty when final
    weights: tuple[FloatArray, ...] | None  # (n,)
    times: tuple[float, ...]
    n_batches: int  # number of batches with rows so far
    interval: float  # median time between batches
    parameters: DescentParameters
    shares: tuple[float, ...] = ()  # number of rows that a sampled row of each batch stands for
    labels: tuple[IntArray, ...] = ()  # (n,) ids of the sampled rows of each batch before the present one
    contradicts: bool = False  # the parameters are new, with strong evidence against these labels
    window: Window | None = None  # from the first batch that has more rows than the sample of a batch
    is_final: bool = False  # later batches change nothing
    proposal: Proposal | None = None  # features that have clearly better clusters; not in state files
    clocks: tuple[float, ...] = ()  # time of the batch before each batch, with rows or without
    clock: float | None = None  # time of the last batch, with rows or without

    @property
    def is_due(self) -> bool:
        """Whether the parameters are estimated now: after 1, 2, 4, 8, ... batches."""
        return self.n_batches & (self.n_batches - 1) == 0

    @property
    def is_enough(self) -> bool:
        """Whether an estimate from this sample is final.

        The evidence about motion is the number of times that a cluster was seen, with any number of rows: 100
        rows of two objects in a step are two positions.
        """
        n, n_rows = self.n_batches, sum(map(len, self.rows))
        n_sightings = sum(len(np.unique(ids)) for ids in self.labels)
        return (
            n >= MAX_BATCHES
            or (n >= MANY_BATCHES and n_rows >= ENOUGH_ROWS)
            or (n >= MIN_BATCHES and n_sightings >= ENOUGH_SIGHTINGS)
        )

    @property
    def share(self) -> float:
        """Typical number of rows that a sampled row stands for."""
        return float(np.median(self.shares)) if self.shares else 1.0

    @property
    def mass(self) -> float:
        """Typical weight of all rows that a sampled row stands for."""
        return self.share * (1.0 if self.weights is None else float(np.concatenate(self.weights).mean()))


def add_batch(old: FirstBatches, batch: Batch) -> FirstBatches:
    """Add a sample of the rows of a batch."""
    every = sample_rows(len(batch.rows))
    rows: FloatArray = np.ascontiguousarray(batch.rows[every], dtype=np.float64)
    weights = old.weights
    if weights is not None or batch.weights is not None:
        before = tuple(np.ones(len(some)) for some in old.rows) if weights is None else weights
        weights = (*before, _or_ones(None if batch.weights is None else batch.weights[every], rows))
    return old._replace(
        rows=(*old.rows, rows),
        weights=weights,
        times=(*old.times, batch.time),
        n_batches=old.n_batches + 1,
        shares=(*old.shares, len(batch.rows) / len(rows)),
        window=_window(old, batch),
        clocks=(*old.clocks, batch.time if old.clock is None else old.clock),
        clock=batch.time,
    )


def _window(old: FirstBatches, batch: Batch) -> Window | None:
    """Return the window with the rows of a batch; it is placed in the first large batch."""
    if len(batch.rows) > MAX_OBJECTS:
        return None
    window = old.window
    if window is None:
        if len(batch.rows) <= MAX_ROWS or any(share > 1.0 for share in old.shares):
            return None
        window = place_window(np.asarray(batch.rows, dtype=np.float64))
        for i, rows in enumerate(old.rows):
            window = add_to_window(window, rows, None if old.weights is None else old.weights[i])
    return add_to_window(window, batch.rows, batch.weights)


def sample_of_objects(first: FirstBatches) -> FirstBatches | None:
    """Return the window as a sample, if its rows are single objects."""
    window = first.window
    if window is None or not are_single_objects(window):
        return None
    kept = [i for i, rows in enumerate(window.rows) if len(rows)]
    has_weights = any(window.weights[i] is not None for i in kept)
    return first._replace(
        rows=tuple(window.rows[i] for i in kept),
        weights=tuple(_or_ones(window.weights[i], window.rows[i]) for i in kept) if has_weights else None,
        times=tuple(first.times[i] for i in kept),
        shares=(1.0,) * len(kept),
        labels=(),
        window=None,
        clocks=tuple(first.clocks[i] for i in kept),
    )


def _or_ones(weights: FloatArray | None, rows: FloatArray) -> FloatArray:
    return np.ones(len(rows)) if weights is None else weights


def begin_again(first: FirstBatches) -> FirstBatches:
    """Keep only the last batch of a sample from which nothing can be estimated, such as one object alone."""
    weights = None if first.weights is None else first.weights[-1:]
    return first._replace(
        rows=first.rows[-1:],
        weights=weights,
        times=first.times[-1:],
        n_batches=1,
        shares=first.shares[-1:],
        labels=(),
        window=None,
        clocks=first.clocks[-1:],
    )


def add_labels(first: FirstBatches, labels: IntArray) -> FirstBatches:
    """Add the ids of the rows of the last batch; delete the sample if the estimate is final."""
    if first.is_final:
        return first._replace(
            rows=(),
            weights=None,
            times=(),
            shares=(),
            labels=(),
            contradicts=False,
            window=None,
            clocks=(),
            clock=None,
        )
    if len(first.labels) < len(first.rows) - 1:  # loaded from a state file of an earlier version
        return first
    ids: IntArray = np.asarray(labels[sample_rows(len(labels))])
    return first._replace(labels=(*first.labels, ids), contradicts=False)


def sample_rows(n: int) -> IntArray:
    """Return the numbers of at most MAX_ROWS random rows of a batch of n rows, ascending."""
    if n <= MAX_ROWS:
        return np.arange(n)
    random = np.random.default_rng(0)
    if n <= PERMUTED:
        return np.sort(random.permutation(n)[:MAX_ROWS])
    return np.sort(random.choice(n, MAX_ROWS, replace=False, shuffle=False))


def cluster_sample(
    first: FirstBatches, parameters: DescentParameters, costs: Costs, n_batches: int | None = None
) -> tuple[ClusterState, list[IntArray]]:
    """Cluster the sample of the first ``n_batches``, by default of all; return the state and the labels."""
    motion = get_motion(parameters.motion)
    search = SearchOptions(
        seed=0,
        n_restarts=1,
        max_iter=MAX_PASSES,
        n_threads=1,
        refine=parameters.refine,
        merge=parameters.merge,
        exclusive=parameters.exclusive,
    )
    state, labels = empty_state(first.rows[0].shape[1]), []
    for batch, clock in zip(_batches(first, n_batches), first.clocks, strict=n_batches is None):
        state = state._replace(clock=clock)  # nothing was seen in the batches without rows since the last one
        now = costs.at(batch.time, state)
        prior = predict_prior(state, batch.time, now, motion)
        fit = cluster(batch, prior, now, search, state.n_steps)
        result = update_state(state, prior, fit, now, motion, batch.time)
        state = result.state
        labels.append(result.report.labels)
    return state, labels


def sample_weights(first: FirstBatches, i: int) -> FloatArray | None:
    """Return the weights of the sampled rows of batch i, each for all rows that it stands for."""
    share = first.shares[i]
    given = None if first.weights is None else first.weights[i]
    if share == 1.0:
        return given
    return np.full(len(first.rows[i]), share) if given is None else share * given


def _batches(first: FirstBatches, n_batches: int | None) -> Iterator[Batch]:
    for i in range(len(first.rows) if n_batches is None else n_batches):
        yield Batch(first.rows[i], sample_weights(first, i), first.times[i])
