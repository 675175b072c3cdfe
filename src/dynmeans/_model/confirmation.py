"""Confirmation of ids: an id is tentative until its cluster has had rows in a minimum number of steps."""

from __future__ import annotations

import numpy as np

from dynmeans._model.events import Event
from dynmeans._model.lifecycle import StepResult
from dynmeans._model.state import ClusterState
from dynmeans._model.types import IntArray


def mark_tentative(result: StepResult, before: ClusterState, min_hits: int) -> StepResult:
    """Mark tentative ids in the report and the events of a step, and add the confirmations.

    Parameters
    ----------
    result : StepResult
        Result of the step.
    before : ClusterState
        The clusters before the step; it counts the hits of those that died.
    min_hits : int
        Number of steps with rows that confirms an id. With 1, no id is ever tentative.
    """
    if min_hits <= 1:
        return result
    state, report = result.state, result.report
    hits = dict(zip(before.ids.tolist(), before.hits.tolist(), strict=True))
    hits |= dict(zip(state.ids.tolist(), state.hits.tolist(), strict=True))
    active = report.active.tolist()
    confirmed = [k for k in active if hits[k] == min_hits]
    events = tuple(event._replace(tentative=hits[event.id] < min_hits) for event in result.events)
    events += tuple(Event("confirmation", k, report.step, report.time, 0.0) for k in confirmed)
    report = report._replace(
        tentative=_ids([k for k in active if hits[k] < min_hits]), confirmed=_ids(confirmed)
    )
    return StepResult(state, report, events)


def _ids(found: list[int]) -> IntArray:
    return np.array(found, dtype=np.int64)
