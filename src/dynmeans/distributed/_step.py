"""One step of D-Means over chunks, with the result of the local step."""

from __future__ import annotations

from typing import Any, NamedTuple

import dask
import numpy as np
from distributed import Future

from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.merging import merge_fit
from dynmeans._algorithms.split_merge_events import MAX_ROWS, RowSpace, add_split_merge_events
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepResult, slot_ids, update_state
from dynmeans._model.motion import Motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState
from dynmeans._model.types import IntArray
from dynmeans.distributed import _tasks as tasks
from dynmeans.distributed._batch import RemoteRows, lazy_blocks
from dynmeans.distributed._chunks import Chunks
from dynmeans.distributed._deduplicate import deduplicate
from dynmeans.distributed._descent import RestartResult, run_restarts
from dynmeans.distributed._messages import Slots, StepSetup
from dynmeans.distributed._rounds import Rounds


class RemoteFit(NamedTuple):
    """The best clustering of a batch, with the slots of the rows on the workers."""

    slots: list[Any]  # futures of (n,), one per chunk
    numbers: Slots  # (slots,) number of each slot in the result
    fit: Fit  # its slots are those of `sample`
    sample: IntArray  # (m,) rows that show splits and merges
    n_rounds: int


def step(
    state: ClusterState, batch: Batch, costs: Costs, motion: Motion, search: SearchOptions
) -> StepResult:
    """Run one time step; the report has its labels as a lazy Dask array."""
    rows: Any = batch.rows
    prior = predict_prior(state, batch.time, costs, motion)
    found = cluster(rows, prior, costs, search, state.n_steps)
    result = update_state(state, prior, found.fit, costs, motion, batch.time)
    if len(result.report.born) or len(result.report.asleep):
        weights = None if batch.weights is None else batch.weights[found.sample]
        space = RowSpace(rows[found.sample], prior.centers)
        result = add_split_merge_events(result, state, found.fit, weights, space)
    ids = slot_ids(state, len(found.fit.slot_weights))
    labels = lazy_labels(rows.chunks, found, ids)
    return result._replace(report=result.report._replace(labels=labels))


def cluster(rows: RemoteRows, prior: Prior, costs: Costs, search: SearchOptions, n_steps: int) -> RemoteFit:
    """Minimize the cost from several random orders, as `dynmeans._algorithms.dmeans.cluster` does."""
    distinct = deduplicate(rows)
    chunks = rows.chunks if distinct is None else distinct.make_chunks()
    setup = StepSetup(
        scale=chunks.scale(),
        n_rows=chunks.n_rows,
        centers=prior.centers,
        gammas=prior.gammas,
        revival=prior.revival,
        birth=costs.birth,
        seed=search.seed,
        step=n_steps,
    )
    rounds = Rounds(chunks, setup)
    results = run_restarts(setup, search.n_restarts, search.max_iter, rounds)
    best = int(np.argmin([result.cost for result in results]))  # the first of equals
    slots = chunks.client.map(tasks.take_slots, rounds.outcomes, restart=best, pure=False)
    slots = slots if distinct is None else distinct.expand(slots)
    found = _fit(rows.chunks, slots, results, best, rounds.n_rounds)
    return _merged(found, prior, costs) if search.merge else found


def _fit(
    chunks: Chunks, slots: list[Future], results: list[RestartResult], best: int, n_rounds: int
) -> RemoteFit:
    result = results[best]
    every = max(1, -(-chunks.n_rows // MAX_ROWS))
    sample = np.arange(0, chunks.n_rows, every)
    labels = chunks.gather(sample, tasks.pick, of=slots)
    fit = Fit(
        result.numbers[labels],
        result.centers,
        result.slot_weights,
        result.cost,
        result.n_iter,
        np.array([each.cost for each in results]),
    )
    return RemoteFit(slots, result.numbers, fit, sample, n_rounds)


def _merged(found: RemoteFit, prior: Prior, costs: Costs) -> RemoteFit:
    fit, numbers = merge_fit(found.fit, prior, costs)
    if numbers is None:
        return found
    return found._replace(fit=fit, numbers=np.where(found.numbers >= 0, numbers[found.numbers], -1))


def lazy_labels(chunks: Chunks, found: RemoteFit, ids: IntArray) -> Any:
    """Return the ids of all rows as a Dask array; its chunks are computed where the slots are."""
    name = dask.delayed(np.where(found.numbers >= 0, ids[found.numbers], -1), pure=True)
    return lazy_blocks(chunks, tasks.label, found.slots, [name] * len(found.slots))
