"""Ids are tentative until their clusters had rows in enough steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans import DMeans
from dynmeans._files.snapshot import SnapshotError
from dynmeans.estimators import from_snapshot, to_snapshot
from strategies import streams

counts = st.integers(1, 4)


def model(min_hits, **params):
    return DMeans(**{"birth_cost": 0.05, "min_hits": min_hits, "random_state": 0} | params)


def log(events):
    return [(e.kind, e.id, e.step, e.tentative) for e in events]


def test_an_id_is_tentative_until_it_was_seen_often_enough():
    tracker = model(3, birth_cost=1.0, lifetime=2, exclusive=True)
    steps = list(tracker.stream([[[0.0], [9.0]], [[0.1]], [[0.0], [30.0]], [[0.1]], [[0.0]], [[0.2]]]))
    assert [s.labels.tolist() for s in steps[:3]] == [[0, 1], [0], [0, 2]]
    assert [s.tentative.tolist() for s in steps] == [[0, 1], [0], [2], [], [], []]
    assert [s.confirmed.tolist() for s in steps] == [[], [], [0], [], [], []]
    assert [s.confirmed_labels.tolist() for s in steps[:4]] == [[-1, -1], [-1], [0, -1], [0]]
    assert log(tracker.history_) == [
        ("birth", 0, 1, True),
        ("birth", 1, 1, True),
        ("sleep", 1, 2, True),
        ("birth", 2, 3, True),
        ("confirmation", 0, 3, False),
        ("death", 1, 4, True),  # at time 3
        ("sleep", 2, 4, True),
        ("death", 2, 6, True),
    ]
    assert tracker.cluster_hits_.tolist() == [6]
    assert tracker.cluster_confirmed_.tolist() == [True]


def test_a_revival_may_confirm_and_a_confirmed_id_stays_so():
    tracker = model(2, birth_cost=1.0, lifetime=3, exclusive=True)
    for X in [[[0.0], [9.0]], [[0.0]], [[0.0], [9.0]], [[0.0]]]:
        tracker.partial_fit(X)
    assert log(e for e in tracker.history_ if e.id == 1) == [
        ("birth", 1, 1, True),
        ("sleep", 1, 2, True),
        ("revival", 1, 3, False),
        ("confirmation", 1, 3, False),
        ("sleep", 1, 4, False),
    ]
    assert tracker.cluster_hits_.tolist() == [4, 2]
    assert tracker.cluster_confirmed_.all()


def test_a_tentative_id_dies_as_such_while_nothing_is_seen():
    tracker = model(2, birth_cost=1.0, lifetime=2, exclusive=True).partial_fit([[0.0]])
    for _ in range(3):
        tracker.partial_fit(np.empty((0, 1)))
    assert log(tracker.history_) == [("birth", 0, 1, True), ("sleep", 0, 2, True), ("death", 0, 4, True)]
    assert len(tracker.cluster_hits_) == len(tracker.cluster_confirmed_) == 0


@given(streams(), counts, st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_report_and_the_events_agree_with_a_count_of_the_labels(batches, min_hits, exclusive):
    tracker, seen, confirmed = model(min_hits, exclusive=exclusive), {}, []
    for X in batches:
        step = tracker.partial_fit(X).step_
        for k in set(step.labels.tolist()):
            seen[k] = seen.get(k, 0) + 1
        confirmed += step.confirmed.tolist()
        known = [k if seen[k] >= min_hits else -1 for k in step.labels.tolist()]
        assert step.confirmed_labels.tolist() == known
        assert tracker.cluster_hits_.tolist() == [seen[k] for k in tracker.cluster_ids_.tolist()]
    enough = sorted(k for k, n in seen.items() if n >= min_hits > 1)
    assert sorted(confirmed) == enough
    assert sorted(e.id for e in tracker.history_ if e.kind == "confirmation") == enough


@given(streams(), counts)
@settings(max_examples=40, deadline=None)
def test_labels_do_not_depend_on_it(batches, min_hits):
    plain, tracker = model(1), model(min_hits)
    assert [s.labels.tolist() for s in tracker.stream(batches)] == [
        s.labels.tolist() for s in plain.stream(batches)
    ]
    without = [e._replace(tentative=False) for e in tracker.history_ if e.kind != "confirmation"]
    assert without == list(plain.history_)


@given(streams(), counts, st.integers(0, 7))
@settings(max_examples=40, deadline=None)
def test_save_load_continue_equals_never_stopping(batches, min_hits, cut):
    whole, tracker = model(min_hits), model(min_hits)
    expected = [s.confirmed_labels.tolist() for s in whole.stream(batches)]
    cut = min(cut, len(batches) - 1) + 1
    found = [s.confirmed_labels.tolist() for s in tracker.stream(batches[:cut])]
    again = from_snapshot(to_snapshot(tracker))
    assert again.history_ == tracker.history_
    assert found + [s.confirmed_labels.tolist() for s in again.stream(batches[cut:])] == expected
    assert again.history_ == whole.history_


def test_clusters_of_older_files_are_confirmed():
    tracker = model(2, birth_cost=1.0).partial_fit([[0.0]]).partial_fit([[0.0], [9.0]])
    snapshot = to_snapshot(tracker)
    kept = {name: a for name, a in snapshot.arrays.items() if name not in ("hits", "event_tentative")}
    old = from_snapshot(snapshot._replace(arrays=kept))
    assert old.cluster_confirmed_.all()
    assert not any(event.tentative for event in old.history_)


@pytest.mark.parametrize(
    ("name", "values", "rule"),
    [
        ("hits", np.array([0, 1]), "clusters must have rows in 1 .. 2 steps"),
        ("hits", np.array([3, 1]), "clusters must have rows in 1 .. 2 steps"),
        ("hits", np.array([1]), "wrong array 'hits'"),
        ("hits", np.array([1.0, 1.0]), "wrong array 'hits'"),
        ("event_tentative", np.full(3, 2, dtype=np.uint8), "must be 0 or 1"),
        ("event_tentative", np.zeros(9, dtype=np.uint8), "wrong array 'event_tentative'"),
    ],
)
def test_false_counts_are_refused(name, values, rule):
    snapshot = to_snapshot(model(2, birth_cost=1.0).partial_fit([[0.0]]).partial_fit([[0.0], [9.0]]))
    assert name in snapshot.arrays
    with pytest.raises(SnapshotError, match=rule):
        from_snapshot(snapshot._replace(arrays=snapshot.arrays | {name: values}))


@pytest.mark.parametrize("value", [0, -1, 1.5, "two", None])
def test_min_hits_must_be_a_count(value):
    with pytest.raises((ValueError, TypeError), match="min_hits"):
        DMeans(min_hits=value).fit([[0.0]])
