"""Correction of the clusters when the estimated parameters change.

The first steps use provisional parameters. Clusters that these split or merge wrongly would stay, because a
step keeps the clusters that it finds. So the sample of the first batches is clustered again with the new
parameters, and the remembered clusters become those of the new result. They keep their ids: each new cluster
has the id with which it has most rows in common, each id once. An id without a new cluster ends. A new
cluster without an id is left out: the next step finds it and reports its birth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from dynmeans._algorithms.estimation.first_batches import FirstBatches, cluster_sample, sample_weights
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event
from dynmeans._model.lifecycle import StepResult
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray, IntArray


class Correction(NamedTuple):
    """The corrected state, and the ids that ended."""

    state: ClusterState
    ended: dict[int, int | None]  # id that ended: id that has most of its rows now, if any


class _Overlap(NamedTuple):
    """Weight of the sampled rows by new cluster and old id."""

    weights: FloatArray  # (new, old)
    new: list[int]  # ids of the new clusters
    old: list[int]  # old ids

    def matches(self, new: IntArray, old: IntArray) -> dict[int, int]:
        """Return the new cluster of each old id that has one, among those that are remembered."""
        among = np.logical_and.outer(np.isin(self.new, new), np.isin(self.old, old))
        weights = np.where(among, self.weights, 0.0)
        pairs = zip(*linear_sum_assignment(weights, maximize=True), strict=True)
        return {self.old[j]: self.new[i] for i, j in pairs if weights[i, j] > 0.0}

    def are_same(self, new: int, old: int) -> bool:
        """Return whether a new cluster and an old id have the same rows."""
        i, j = self.new.index(new), self.old.index(old)
        shared = self.weights[i, j]
        return bool(shared == self.weights[i].sum() == self.weights[:, j].sum())

    def successor(self, old: int) -> int:
        """Return the new cluster that has most rows of an old id."""
        return self.new[int(self.weights[:, self.old.index(old)].argmax())]


def correct_state(state: ClusterState, first: FirstBatches, costs: Costs) -> Correction:
    """Cluster the batches before the last one again, and return the clusters under their old ids.

    Parameters
    ----------
    state : ClusterState
        After the batch before the last one.
    first : FirstBatches
        Sample of all batches, labels of all but the last, and the new parameters.
    costs : Costs
        Costs for these parameters.
    """
    again, labels = cluster_sample(first, first.parameters, costs, len(first.labels))
    overlap = _overlap(first, labels)
    matches = overlap.matches(again.ids, state.ids)
    same_motion = again.velocities.shape[1] == state.velocities.shape[1]
    kept, ended = [], []
    for k in state.ids.tolist():
        if k not in overlap.old or (same_motion and k in matches and overlap.are_same(matches[k], k)):
            kept.append((k, state, k))  # no sampled row, or no change
        elif k in matches:
            kept.append((k, again, matches[k]))
        else:
            ended.append(k)
    id_of = {new: old for old, new in matches.items()}
    successors = {k: id_of.get(overlap.successor(k)) for k in ended}
    return Correction(_combined(state, kept), successors)


def report_ended(result: StepResult, correction: Correction) -> StepResult:
    """Add the ids that ended to the report of the step: each dies, and may have merged into another."""
    if not correction.ended:
        return result
    report, into = result.report, correction.ended
    died = np.union1d(report.died, list(into))
    deaths = tuple(Event("death", k, report.step, report.time, report.birth_cost) for k in into)
    sources: dict[int, list[int]] = {}
    for k, successor in into.items():
        if successor is not None:
            sources.setdefault(successor, []).append(k)
    merges = tuple(
        Event("merge", k, report.step, report.time, 0.0, tuple(ended)) for k, ended in sorted(sources.items())
    )
    report = report._replace(died=died, merges=report.merges + merges)
    return StepResult(result.state, report, result.events + deaths + merges)


def _overlap(first: FirstBatches, labels: list[IntArray]) -> _Overlap:
    new, i = np.unique(np.concatenate(labels), return_inverse=True)
    old, j = np.unique(np.concatenate(first.labels), return_inverse=True)
    given = (sample_weights(first, b) for b in range(len(labels)))
    each = [np.ones(len(ids)) if m is None else m for ids, m in zip(labels, given, strict=True)]
    weights = np.zeros((len(new), len(old)))
    np.add.at(weights, (i, j), np.concatenate(each))
    return _Overlap(weights, new.tolist(), old.tolist())


def _combined(state: ClusterState, kept: list[tuple[int, ClusterState, int]]) -> ClusterState:
    """Return a state with the clusters ``(id, state in which it is described, id there)``."""
    n_features = state.centers.shape[1]
    has_velocity = any(source.velocities.shape[1] for _, source, _ in kept)
    at = [(source, int(np.searchsorted(source.ids, k))) for _, source, k in kept]

    def column(name: str) -> FloatArray:
        return np.array([getattr(source, name)[row] for source, row in at])

    velocities = [v[row] if (v := source.velocities).shape[1] else np.zeros(n_features) for source, row in at]
    ids = np.array([k for k, _, _ in kept], dtype=np.int64)
    return state._replace(
        centers=column("centers").reshape(len(kept), n_features),
        weights=column("weights"),
        velocities=np.array(velocities) if has_velocity else np.empty((len(kept), 0)),
        velocity_cov=column("velocity_cov").reshape(len(kept), 2),
        last_seen=column("last_seen"),
        ids=ids,
        hits=state.hits[np.searchsorted(state.ids, ids)],
    )
