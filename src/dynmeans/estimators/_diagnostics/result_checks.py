"""Warnings about results that cannot be trusted, found from one step at a time.

The checks run after 8, 16, 32, ... steps, so that they cost nothing in other steps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._algorithms.estimation.joint_estimate import ONE_OBJECT
from dynmeans._core import farthest_from_others, squared_span
from dynmeans._model.events import StepParameters, StepReport
from dynmeans._model.state import ClusterState
from dynmeans._sampling import evenly_spaced

FIRST_CHECK = 8  # number of steps before the first check
SAMPLE = 200  # number of rows that are checked
MANY_SINGLE = 0.9  # share of clusters among rows at which nearly every row is a cluster
MIN_ROWS = 5  # minimum number of rows for a warning about single rows or a single cluster
MIN_STEPS_PER_ID = 3.0  # below this, ids break
# All rows are in one cluster by the cosine of directions.
MIN_TEXTS = 30  # rows in the batch; fewer may be of one topic
UNRELATED = 0.5  # mean cosine to the center below which the cluster is not one topic: 0.25 of two rows
NOT_ESTIMATED = "not estimated: no step has two different rows; all rows are one cluster"
MANY_IDS = 10  # with fewer, the mean number of steps per id is too uncertain


class ClusteringWarning(UserWarning):
    """The parameters do not suit the data."""


def is_check_due(n_steps: int) -> bool:
    """Return whether the checks run after this step."""
    return n_steps >= FIRST_CHECK and n_steps & (n_steps - 1) == 0


class Birth(NamedTuple):
    """A birth beside remembered clusters, which shows that its birth cost makes births possible."""

    step: int
    birth_cost: float

    def refutes(self, report: StepReport, used: StepParameters) -> bool:
        """Return whether births with these parameters are possible, by a birth since the last check."""
        return self.step > report.step // 2 and self.birth_cost >= used.birth_cost


class LastCheck(NamedTuple):
    """Numbers of steps and ids when ids were last counted."""

    step: int
    n_ids: int


START = LastCheck(0, 0)


def check_result(
    rows: Rows,
    report: StepReport,
    state: ClusterState,
    used: StepParameters,
    n_rows: int | None = None,
    *,
    had_births: bool = False,
    since: LastCheck | None = START,
) -> dict[str, str]:
    """Return warnings by kind.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The batch of the last step.
    report : StepReport
        Report of this step.
    state : ClusterState
        After this step.
    used : StepParameters
        Parameters of this step.
    n_rows : int, optional
        Rows of the whole batch, if `rows` and the labels of the report are a sample of it.
    had_births : bool, default False
        Whether recent steps show that births are possible, so that the rows of this step need not.
    since : LastCheck, optional
        Where the steps begin whose ids are counted. None if it is not known, as in a model from a file, or
        if some of these steps had provisional parameters, whose clusters are corrected.
    """
    n_active, n = len(report.active), len(rows) if n_rows is None else n_rows
    found = {}
    if (
        n_active > 1
        and not (had_births or used.exclusive or used.refine)
        and _is_birth_impossible(rows, report, state, used)
    ):
        found["birth"] = (
            f"birth_cost={used.birth_cost:g} makes births impossible: the squared distance of every row to "
            "the nearest other cluster is smaller, so the rows of a new cluster like these would be assigned "
            "to an old one; use a smaller birth_cost"
        )
    if not used.exclusive and n >= MIN_ROWS and n_active >= MANY_SINGLE * n:
        found["single"] = (
            f"nearly every row is a cluster of its own ({n_active} clusters for {n} rows): use a "
            "larger birth_cost, or exclusive=True if every row is one object"
        )
    has_one = n >= MIN_ROWS and state.next_id == 1 and not used.refine
    has_sleeping = len(state.ids) > n_active > 1
    span = squared_span(rows, state.centers) if has_one or has_sleeping else math.nan
    if has_one and used.birth_cost > span > 0.0:
        found["one"] = (
            f"all rows are in one cluster: birth_cost={used.birth_cost:g} exceeds the squared spread of "
            f"the data, {span:g}, so that no other cluster can be born; use a smaller birth_cost"
        )
    if has_sleeping and used.reach is not None and used.reach * used.birth_cost > span:
        found["reach"] = (
            f"reach * birth_cost = {used.reach * used.birth_cost:g} exceeds the squared spread of the data, "
            f"{span:g}: a sleeping cluster is revived from anywhere; use a smaller reach"
        )
    return found if since is None else found | _check_ids(report, state, since)


def _check_ids(report: StepReport, state: ClusterState, since: LastCheck) -> dict[str, str]:
    """Return a warning if most clusters get a new id every few steps."""
    n_active, n_steps, n_ids = len(report.active), report.step - since.step, state.next_id - since.n_ids
    steps_per_id = n_steps * max(n_active, 1) / max(n_ids, 1)
    if n_ids < MANY_IDS or steps_per_id >= MIN_STEPS_PER_ID:
        return {}
    return {
        "ids": f"ids break: {n_ids} new ids in {n_steps} steps, {n_active} at a time, are about "
        f"{steps_per_id:.1f} steps per id; use a larger reach, lifetime or birth_cost, or motion='velocity'"
    }


def check_single_steps(state: ClusterState, min_hits: int) -> dict[str, str]:
    """Return a warning if most sleeping clusters had rows in a single step, as clutter and outliers do.

    Most clusters that were seen twice were seen again. Otherwise ids break, and are no clutter.
    """
    hits = state.hits[state.last_seen < state.clock]
    n_once = int(np.count_nonzero(hits == 1))
    n_twice, n_again = (int(np.count_nonzero(state.hits >= n)) for n in (2, 3))
    if min_hits > 1 or len(hits) < MANY_IDS or 2 * n_once <= len(hits) or 2 * n_again <= n_twice:
        return {}
    return {
        "hits": f"{n_once} of {len(hits)} sleeping clusters had rows in a single step, as clutter and "
        "outliers do: use min_hits=3 and step_.confirmed_labels to leave them out"
    }


def check_estimate(birth_cost: float) -> dict[str, str]:
    """Return a warning if no batch could determine the birth cost."""
    if birth_cost < ONE_OBJECT:
        return {}
    return {
        "estimate": f"the birth cost is {NOT_ESTIMATED}; if there are several objects, set birth_cost, or "
        "cluster several rows per step"
    }


def check_one_direction(rows: Rows, state: ClusterState, birth_cost: float, n_rows: int) -> dict[str, str]:
    """Return a warning if all rows so far are in one cluster, by an estimated birth cost for directions.

    Only for the cosine metric. One cluster of positions may be one object, which no property of the rows
    excludes. One cluster of directions that are nearly unrelated to its center is not one topic.
    """
    if n_rows < MIN_TEXTS or state.next_id != 1:
        return {}
    center = state.centers[0] / np.linalg.norm(state.centers[0])
    mean = float(np.mean(rows @ center))
    if mean >= UNRELATED:
        return {}
    return {
        "one": f"all rows are in one cluster: birth_cost={birth_cost:.4g} merges them, although they are not "
        f"similar (mean cosine {mean:.2f} to the center); subtract the mean row of the data, or try a "
        f"smaller birth_cost, such as {0.75 * birth_cost:.2g}"
    }


def _is_birth_impossible(rows: Rows, report: StepReport, state: ClusterState, used: StepParameters) -> bool:
    """Return whether no row would found a cluster if its own cluster were unknown."""
    labels = report.labels
    if len(rows) > SAMPLE:
        every = evenly_spaced(len(rows), SAMPLE)
        rows, labels = rows[every], labels[every]
    centers = state.centers[state.ids.searchsorted(report.active)]
    farthest = farthest_from_others(rows, report.active.searchsorted(labels), centers)
    return farthest <= used.birth_cost
