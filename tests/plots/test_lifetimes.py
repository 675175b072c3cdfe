from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._files.run_folder.format import Run
from dynmeans.plots._lifetimes import ACTIVE, ASLEEP, DEAD, pack_lanes, trace_lifetimes

lifetimes = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 30)), max_size=60).map(
    lambda pairs: np.array(sorted((born, born + length) for born, length in pairs)).reshape(-1, 2)
)


def test_lifetimes_agree_with_a_walk_through_the_table(run: Run) -> None:
    traced = trace_lifetimes(run)
    last_step = run.steps["step"][-1]
    for k, name in enumerate(traced.ids):
        mine = run.clusters["id"] == name
        steps, weights = run.clusters["step"][mine], run.clusters["weight"][mine]
        assert traced.born[k] == steps[0]
        assert traced.seen[k] == steps[weights > 0][-1]
        assert traced.steps_seen[k] == np.count_nonzero(weights)
        assert traced.size[k] == weights.sum()
        assert traced.status[k] == (DEAD if steps[-1] < last_step else ACTIVE if weights[-1] > 0 else ASLEEP)
        np.testing.assert_array_equal(traced.centers[k], run.clusters["features"][mine][-1])
        spans = traced.spans[traced.spans[:, 0] == k]
        active = np.concatenate([np.arange(first, last + 1) for _, first, last in spans])
        np.testing.assert_array_equal(active, steps[weights > 0])
    assert set(traced.status) == {ACTIVE, ASLEEP, DEAD}


def test_every_return_begins_a_new_active_interval(run: Run) -> None:
    traced = trace_lifetimes(run)
    later = traced.spans[traced.spans[:, 1] > traced.born[traced.spans[:, 0]]]
    returns = {(traced.ids[k], step) for k, step, _ in later}
    assert returns == {(event.id, event.step) for event in run.events if event.kind == "revival"}
    assert returns


def test_deaths_are_those_of_the_log_and_follow_from_the_table_without_it(run: Run) -> None:
    deaths = {event.id: event.step for event in run.events if event.kind == "death"}
    for variant in (run, run._replace(events=[])):
        traced = trace_lifetimes(variant)
        dead = traced.status == DEAD
        assert dict(zip(traced.ids[dead].tolist(), traced.end[dead].tolist(), strict=True)) == deaths
        assert np.all(traced.end[~dead] == run.steps["step"][-1])


def test_the_log_decides_when_a_cluster_died(run: Run) -> None:
    death = next(event for event in run.events if event.kind == "death")
    later = [death._replace(step=death.step + 2), death._replace(id=10**6)]
    traced = trace_lifetimes(run._replace(events=later))
    assert traced.end[traced.ids == death.id] == death.step + 2


def test_short_sleeps_are_bridged_when_asked(run: Run) -> None:
    exact, blurred = trace_lifetimes(run).spans, trace_lifetimes(run, blur=1).spans
    assert len(blurred) < len(exact)
    gaps = blurred[1:, 1] - blurred[:-1, 2]
    assert np.all(gaps[blurred[1:, 0] == blurred[:-1, 0]] > 2)


def test_some_lifetimes_keep_their_own_spans(run: Run) -> None:
    traced = trace_lifetimes(run)
    rows = np.arange(1, len(traced.ids), 2)
    part = traced.take(rows)
    np.testing.assert_array_equal(part.ids, traced.ids[rows])
    for i, k in enumerate(rows):
        np.testing.assert_array_equal(
            part.spans[part.spans[:, 0] == i, 1:], traced.spans[traced.spans[:, 0] == k, 1:]
        )


def test_a_run_without_steps_has_no_lifetimes(empty_run: Run) -> None:
    traced = trace_lifetimes(empty_run)
    assert len(traced.ids) == len(traced.spans) == 0


@given(lifetimes, st.integers(1, 5))
def test_lifetimes_that_share_a_lane_keep_their_distance(pairs: np.ndarray, gap: int) -> None:
    lanes = pack_lanes(pairs[:, 0], pairs[:, 1], gap=gap)
    for lane in np.unique(lanes):
        mine = pairs[lanes == lane]
        assert np.all(mine[1:, 0] >= mine[:-1, 1] + gap)


@given(lifetimes)
def test_there_are_no_more_lanes_than_lifetimes_at_one_time(pairs: np.ndarray) -> None:
    lanes = pack_lanes(pairs[:, 0], pairs[:, 1], gap=1)
    crowd = max((np.sum((pairs[:, 0] <= t) & (pairs[:, 1] >= t)) for t in pairs[:, 0]), default=0)
    assert len(np.unique(lanes)) == lanes.max(initial=-1) + 1 == crowd
