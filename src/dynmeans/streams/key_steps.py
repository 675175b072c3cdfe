"""The steps of all keys of a batch, without validation per key: that would take as long as the steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.estimation.birth_cost import pooled_birth_cost
from dynmeans._model.events import Event
from dynmeans._model.lifecycle import StepResult
from dynmeans._model.state import empty_state
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.estimators import DMeans
from dynmeans.estimators._parameters.automatic import birth_cost_of
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters
from dynmeans.streams._first_rows import SAMPLE_KEYS
from dynmeans.streams._grouping import Groups, Key
from dynmeans.streams._packed import pack, unpack

KeyCallback: TypeAlias = Callable[[Key, IntArray, StepResult], object]


class KeyEvent(NamedTuple):
    """An event of a cluster of one key.

    Attributes
    ----------
    key : str or int
    event : Event
    """

    key: Key
    event: Event


class KeyedBatch(NamedTuple):
    """Rows of one step of all keys."""

    rows: FloatArray  # (n, d)
    weights: FloatArray | None  # (n,)  0 for absent rows; None for ones
    time: float
    groups: Groups  # rows that are present


class KeyParameters(NamedTuple):
    """Parameters that all keys share."""

    template: DMeans  # with the parameters of the step; it is never fitted
    resolved: ResolvedParameters


class StepTotals(NamedTuple):
    """Sums over all keys of a step."""

    cost: float = 0.0
    born: int = 0
    revived: int = 0
    asleep: int = 0
    died: int = 0
    confirmed: int = 0


class KeyedResult(NamedTuple):
    """Result of a step of all keys."""

    states: dict[Key, bytes]  # of the keys that have rows
    labels: IntArray  # (n,)
    events: list[KeyEvent]
    totals: StepTotals


def step_keys(
    parameters: KeyParameters, states: Mapping[Key, bytes], batch: KeyedBatch, on_key: KeyCallback | None
) -> KeyedResult:
    """Run one step of every key that has rows."""
    order, n_features = batch.groups.order, batch.rows.shape[1]
    rows = batch.rows[order]
    weights = None if batch.weights is None else batch.weights[order]
    found = np.empty(len(order), dtype=np.int64)
    following: dict[Key, bytes] = {}
    events: list[KeyEvent] = []
    cost, sums = 0.0, [0, 0, 0, 0, 0]
    for key, part in batch.groups.slices():
        packed = states.get(key)
        state = empty_state(n_features) if packed is None else unpack(packed, n_features)
        own = Batch(rows[part], None if weights is None else weights[part], batch.time)
        result = parameters.template._cluster_batch(state, own, parameters.resolved)
        report = result.report
        following[key] = pack(result.state)
        found[part] = report.labels
        if result.events:
            events += [KeyEvent(key, event) for event in result.events]
        counts = (report.born, report.revived, report.asleep, report.died, report.confirmed)
        cost += report.cost
        sums = [total + len(ids) for total, ids in zip(sums, counts, strict=True)]
        if on_key is not None:
            on_key(key, order[part], result)
    labels = np.full(len(batch.rows), -1, dtype=np.int64)
    labels[order] = found
    return KeyedResult(following, labels, events, StepTotals(cost, *sums))


def label_absent(
    parameters: KeyParameters,
    states: Mapping[Key, bytes],
    batch: KeyedBatch,
    everyone: Groups,
    present: BoolArray,
) -> tuple[IntArray, IntArray]:
    """Return the absent rows, and the ids of their cheapest clusters, -1 for a key without clusters."""
    found: list[tuple[IntArray, IntArray]] = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for key, part in everyone.slices():
        which = everyone.order[part]
        which = which[~present[which]]
        packed = states.get(key)
        if len(which) == 0 or packed is None:
            continue
        state = unpack(packed, batch.rows.shape[1])
        ids = parameters.template._assigned(state, batch.rows[which], parameters.resolved, batch.time)
        found.append((which, ids))
    rows, labels = zip(*found, strict=True)
    return np.concatenate(rows), np.concatenate(labels)


def estimate_common_birth_cost(resolved: ResolvedParameters, batch: KeyedBatch) -> float | None:
    """Return the median estimate of the keys with the most rows, or None if no key has two different rows."""
    edges, search = np.array(batch.groups.edges), resolved.search
    largest = np.argsort(-np.diff(edges), kind="stable")[:SAMPLE_KEYS]
    found = []
    for index in largest.tolist():
        which = batch.groups.order[edges[index] : edges[index + 1]]
        weights = None if batch.weights is None else batch.weights[which]
        own = Batch(batch.rows[which], weights, batch.time)
        found.append(
            birth_cost_of(own, search.seed, is_cosine=resolved.is_cosine, exclusive=search.exclusive)
        )
    return pooled_birth_cost([estimate for estimate in found if estimate is not None])
