"""The end of a step, against slow twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lifecycle_twins as twin
from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.dmeans import cluster
from dynmeans._algorithms.split_merge_events import MAX_RATIO, MIN_SHARE, RowSpace, StepEvidence
from dynmeans._core import dmeans_step, find_split_merge, max_abs, split_merge_candidates, update_clusters
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event, StepReport
from dynmeans._model.lifecycle import NO_DIAGNOSTICS, SplitMergeSlots, step_result, update_state
from dynmeans._model.motion import Motion, get_motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState, empty_state
from strategies import seeds

COLUMNS = ("centers", "weights", "velocities", "velocity_cov", "last_seen", "ids", "hits")
NOW, LIFETIME, BIRTH = 8.0, 3.0, 0.25
WALK = Motion(position=0.5, velocity=0.0, newborn=0.0)
EVENT_LISTS = ("active", "sizes", "born", "revived", "asleep", "died")


def some_clusters(seed, n_old, n_new, d):
    """Clusters of several ages, some of which take rows."""
    rng = np.random.default_rng(seed)
    slot_weights = rng.integers(0, 3, size=n_old).astype(float)
    return {
        "centers": rng.normal(size=(n_old, d)),
        "weights": rng.uniform(1.0, 9.0, size=n_old),
        "velocities": np.zeros((n_old, 0)),
        "velocity_cov": np.zeros((n_old, 2)),
        "last_seen": 7.0 - rng.integers(0, 4, size=n_old),
        "ids": np.sort(rng.choice(30, size=n_old, replace=False)),
        "hits": rng.integers(1, 9, size=n_old),
        "forecasts": rng.normal(size=(n_old, d)),
        "gammas": rng.uniform(0.1, 5.0, size=n_old),
        "revival": rng.uniform(0.1, 5.0, size=n_old),
        "slots": rng.integers(n_old + n_new, size=12 if n_old + n_new else 0).astype(np.int32),
        "positions": rng.normal(size=(n_old + n_new, d)),
        "slot_weights": np.concatenate([slot_weights, rng.integers(1, 3, size=n_new)]),
        "next_id": 30,
        "clock": 7.0,
    }


def updated(before, lifetime=LIFETIME, which=None):
    """Call the compiled loop with the NamedTuples of the model."""
    state = ClusterState(*(before[name] for name in COLUMNS), before["next_id"], before["clock"], n_steps=7)
    none = np.empty(len(before["ids"]))
    prior = Prior(before["forecasts"], before["gammas"], before["revival"], elapsed=none)
    fit = Fit(before["slots"], before["positions"], before["slot_weights"], 0.5, 3, np.empty(0))
    costs = Costs(BIRTH, lifetime, drift=0.0)
    following, report, events = update_clusters(state, prior, fit, costs, WALK, NOW, which)
    return ClusterState(*following), StepReport(*report), [Event(*event) for event in events]


@given(seeds, st.integers(0, 6), st.integers(0, 3), st.integers(0, 3), st.sampled_from([2.0, 3.0, np.inf]))
@settings(max_examples=150, deadline=None)
def test_every_cluster_moves_waits_or_dies_as_in_the_twin(seed, n_old, n_new, d, lifetime):
    before = some_clusters(seed, n_old, n_new, d)
    state, report, events = updated(before, lifetime)
    expected = twin.update_clusters_twin(before, NOW, lifetime)
    for name, column in zip(COLUMNS, state.columns, strict=True):
        shape = (len(expected["ids"]), *before.get(name, before["ids"]).shape[1:])
        np.testing.assert_array_equal(column, np.array(expected[name], dtype=column.dtype).reshape(shape))
    assert state[len(COLUMNS) :] == (30 + n_new, NOW, 8)
    for name in EVENT_LISTS:
        assert getattr(report, name).tolist() == expected[name]
    names = [*before["ids"], *range(30, 30 + n_new)]
    assert report.labels.tolist() == [names[k] for k in before["slots"]]
    assert (report.step, report.time, report.birth_cost) == (8, NOW, BIRTH)
    assert (report.cost, report.n_iter, len(report.restart_costs)) == (0.5, 3, 0)
    assert events == twin.events_twin(before, report, lifetime)


def test_labels_may_be_of_rows_that_occur_several_times():
    before = some_clusters(0, 2, 1, 2)
    which = np.array([3, 0, 3, 11])
    labels, of_some = updated(before)[1].labels, updated(before, which=which)[1].labels
    assert of_some.tolist() == labels[which].tolist()
    with pytest.raises(ValueError, match="rows below 12, got 12"):
        updated(before, which=np.array([12]))


def test_a_slot_without_a_cluster_is_refused():
    before = some_clusters(0, 2, 1, 2)
    before["slots"][3] = 3
    with pytest.raises(ValueError, match=r"0 \.\. 2, got 3"):
        updated(before)


def test_tables_of_different_length_are_refused():
    before = some_clusters(0, 2, 1, 2) | {"gammas": np.ones(3)}
    with pytest.raises(ValueError, match="a line in every table"):
        updated(before)


def test_a_field_of_a_wrong_type_is_refused():
    before = some_clusters(0, 2, 1, 2) | {"gammas": None}
    with pytest.raises(TypeError, match="field 1 is missing or has a wrong type"):
        updated(before)
    with pytest.raises(TypeError, match="field 0 is missing"):
        update_clusters((), (), (), Costs(BIRTH, LIFETIME, 0.0), WALK, NOW)


@given(seeds, st.integers(2, 4), st.integers(0, 3), st.booleans(), st.sampled_from([np.float32, np.float64]))
@settings(max_examples=200, deadline=None)
def test_splits_and_merges_equal_the_twin(seed, n_old, n_new, weighted, dtype):
    """Rows lie around the old centers, or between them, so that there are splits and merges."""
    rng = np.random.default_rng(seed)
    forecasts = rng.normal(size=(n_old, 2))
    groups = rng.integers(n_old + n_new, size=40)
    positions = forecasts[rng.integers(n_old, size=n_old + n_new)] + 0.2 * rng.normal(size=(n_old + n_new, 2))
    rows = (positions[groups] + 0.1 * rng.normal(size=(40, 2))).astype(dtype)
    merged = rng.integers(n_old, size=n_old + n_new)
    merged[n_old:] = n_old + np.arange(n_new)
    slots = merged[groups].astype(np.int32)
    mass = rng.uniform(0.5, 2.0, size=40) if weighted else None
    ones = np.ones(40) if mass is None else mass
    slot_weights = np.bincount(slots, ones, n_old + n_new)
    active = np.flatnonzero(rng.random(n_old) < 0.9)
    last_seen = np.where(np.isin(np.arange(n_old), active), 7.0, 6.0)
    state = empty_state(2)._replace(last_seen=last_seen, ids=np.arange(n_old), clock=7.0)
    found, wide = (
        RowSpace(rows, forecasts).find(StepEvidence(slots, mass, slot_weights, state)),
        rows.astype(np.float64),
    )
    if len(active):
        assert found == twin.find_split_merge(
            wide, forecasts, slots, ones, active, slot_weights, n_old, MIN_SHARE, MAX_RATIO
        )
    else:
        assert found == SplitMergeSlots([], [])


def test_the_twin_finds_splits_and_merges():
    """Make sure that the test above has cases: one cluster splits, and two others merge."""
    rng = np.random.default_rng(0)
    forecasts = np.array([[0.0, 0.0], [5.0, 0.0], [6.0, 0.0]])
    rows = np.repeat([[-0.5, 0.0], [0.5, 0.0], [5.0, 0.0], [6.0, 0.0]], 10, axis=0)
    slots = np.repeat([0, 3, 1, 1], 10).astype(np.int32)
    rows, slot_weights, active = (
        rows + 0.01 * rng.normal(size=rows.shape),
        np.array([10.0, 20, 0, 10]),
        np.arange(3),
    )
    expected = twin.find_split_merge(
        rows, forecasts, slots, np.ones(40), active, slot_weights, 3, MIN_SHARE, MAX_RATIO
    )
    assert expected.splits == [(0, [3])]
    assert expected.merges == [(1, [2])]


def test_sleeping_clusters_are_not_parents():
    """The first of four is asleep, so parents and slots are numbered differently."""
    forecasts = np.array([[5.4, 0.0], [0.0, 0.0], [5.0, 0.0], [6.0, 0.0]])
    rows = np.repeat([[-0.5, 0.0], [0.5, 0.0], [5.0, 0.0], [6.0, 0.0]], 10, axis=0)
    rows += 0.01 * np.random.default_rng(0).normal(size=rows.shape)
    slots, slot_weights = np.repeat([1, 4, 2, 2], 10).astype(np.int32), np.array([0.0, 10, 20, 0, 10])
    state = empty_state(2)._replace(last_seen=np.array([6.0, 7, 7, 7]), ids=np.arange(4), clock=7.0)
    expected = RowSpace(rows, forecasts).find(StepEvidence(slots, None, slot_weights, state))
    assert expected == SplitMergeSlots(splits=[(1, [4])], merges=[(2, [3])])


def test_candidates_by_rows_include_all_confirmed_splits_and_merges():
    rng = np.random.default_rng(1)
    forecasts, rows = rng.normal(size=(3, 2)), rng.normal(size=(60, 2))
    slots, active = rng.integers(5, size=60).astype(np.int32), np.arange(3)
    slot_weights = np.bincount(slots, minlength=5).astype(float)
    parents = np.sum((rows[:, None] - forecasts) ** 2, axis=2).argmin(axis=1).astype(np.int32)
    possible = split_merge_candidates(parents, slots, None, active, slot_weights, 3, 0.01)
    splits, merges = find_split_merge(rows, forecasts, slots, None, np.ones(3), 1.0, slot_weights, 0.01, 0.5)
    assert all(candidates in possible[0] for candidates in splits)
    slots_of = [[slot, *(k for k in parents if k != slot)] for slot, *parents in possible[1]]
    assert all(candidates in slots_of for candidates in merges)


def test_parents_and_slots_out_of_range_are_refused():
    slots, active = np.zeros(2, dtype=np.int32), np.arange(1)
    with pytest.raises(ValueError, match="row 1 is out of range"):
        split_merge_candidates(np.array([0, 1], dtype=np.int32), slots, None, active, np.ones(2), 1, 0.25)
    with pytest.raises(ValueError, match="remembered slots, got 1"):
        split_merge_candidates(slots, slots, None, active + 1, np.ones(2), 1, 0.25)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_coordinate_has_either_sign_and_nan_is_reported(dtype):
    rows = np.array([[1.0, -3.5], [2.0, 0.0]], dtype=dtype)
    assert max_abs(rows) == 3.5
    assert max_abs(-rows.T) == 3.5
    assert max_abs(np.array([[np.inf]], dtype=dtype)) == np.inf
    assert np.isnan(max_abs(np.array([[np.nan, 1.0]], dtype=dtype)))
    assert max_abs(np.array([[1e300]])[:, ::-1]) == 1e300


def test_a_hundred_thousand_clusters_need_no_table_of_all_pairs():
    n = 100_000
    parents, slots = np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)
    slots[-2] = n - 1  # the last but one cluster has merged into the last
    slot_weights = np.bincount(slots, minlength=n).astype(float)
    splits, merges = split_merge_candidates(parents, slots, None, np.arange(n), slot_weights, n, MIN_SHARE)
    assert (splits, merges) == ([], [[n - 1, n - 1, n - 2]])


@given(
    seeds,
    st.sampled_from(["walk", "velocity"]),
    st.sampled_from([{}, {"refine": True}, {"exclusive": True}]),
    st.booleans(),
    st.sampled_from([np.float32, np.float64]),
)
@settings(max_examples=60, deadline=None)
def test_a_step_in_one_call_equals_its_three_parts(seed, motion, mode, weighted, dtype):
    rng = np.random.default_rng(seed)
    state, costs = empty_state(2), Costs(0.5, 2.0, drift=0.3)
    motion, search = get_motion(motion), SearchOptions(seed % 1000, 2, 10, 1, **mode)
    for now in (0.0, 1.0, 2.5, 4.0):
        rows = rng.integers(4, size=(9, 1)) + rng.normal(scale=0.3, size=(9, 2)).astype(dtype)
        batch = Batch(rows.astype(dtype), rng.uniform(0.5, 2.0, size=9) if weighted else None, now)
        prior = predict_prior(state, now, costs, motion)
        fit = cluster(batch, prior, costs, search, state.n_steps)
        expected = update_state(state, prior, fit, costs, motion, now)
        arguments = (state, costs, motion.scaled_by(costs.drift), costs.aging, search)
        predicted, found, updated = dmeans_step(batch.rows, batch.weights, now, *arguments)
        np.testing.assert_equal(Prior(*predicted[:4]), prior)
        np.testing.assert_equal(Fit(*found), fit)
        np.testing.assert_equal(step_result(updated, NO_DIAGNOSTICS), expected)
        state = expected.state
