"""Batches without rows: time passes, clusters fall asleep and die, and events have their own times."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN
from sklearn.metrics.pairwise import rbf_kernel

import dynmeans
from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans
from strategies import streams

NO_ROWS = np.empty((0, 2))
ROWS = np.array([[0.0, 0.0], [0.2, 0.0], [9.0, 9.0], [9.2, 9.0], [9.1, 9.0]])  # the larger is born first
MODELS = {
    "walk": lambda: DMeans(birth_cost=1.0, lifetime=5),
    "velocity": lambda: DMeans(birth_cost=1.0, lifetime=5, motion="velocity", certify=True),
    "refined": lambda: DMeans(lifetime=5, refine=True),
    "kernel": lambda: KDMeans(lifetime=5),
    "spectral": lambda: SDMeans(lifetime=5, motion="align"),
    "links": lambda: PersistentIds(DBSCAN(1.0, min_samples=1), lifetime=5),
    "kernel links": lambda: PersistentIds(DBSCAN(1.0, min_samples=1), lifetime=5, kernel="rbf"),
}


def state_of(model):
    """All that a later step depends on, except the number of steps."""
    state = model._remembered
    support = getattr(getattr(model._state, "remembered", model._state), "support", ())
    return [np.asarray(part).tolist() for part in (*state[:-1], *support)]


def event_log(model):
    """Events without the number of the step that reported them."""
    return [event._replace(step=0) for event in model.history_]


@pytest.mark.parametrize("nothing", [[], np.empty(0), np.empty((0, 0)), pd.DataFrame(), pl.DataFrame()])
def test_an_empty_batch_needs_no_columns(nothing):
    model = DMeans(birth_cost=1.0).partial_fit(pd.DataFrame(ROWS, columns=["x", "y"]))
    assert model.partial_fit(nothing).step_.asleep.tolist() == [0, 1]
    assert model.predict(nothing).tolist() == []


@pytest.mark.parametrize("name", MODELS)
def test_clusters_sleep_and_die_while_nothing_is_seen(name):
    model = MODELS[name]().partial_fit(ROWS)
    ids = model.cluster_ids_.tolist()
    steps = [model.partial_fit(NO_ROWS).step_ for _ in range(6)]
    assert [step.asleep.tolist() for step in steps] == [ids, [], [], [], [], []]
    assert [step.died.tolist() for step in steps] == [[], [], [], [], [], ids]
    assert all(step.cost == step.gap == 0.0 and len(step.labels) == 0 for step in steps)
    assert (model.n_clusters_, model.n_steps_) == (0, 7)
    assert model.partial_fit(ROWS).cluster_ids_.min() > max(ids)


@pytest.mark.parametrize("name", MODELS)
def test_the_first_batch_may_have_no_rows(name):
    model = MODELS[name]().partial_fit(NO_ROWS)
    assert (model.n_features_in_, model.n_clusters_, len(model.labels_)) == (2, 0, 0)
    assert model.predict(ROWS).tolist() == [-1] * 5
    assert model.transform(ROWS).shape == (5, 0)
    later, fresh = model.partial_fit(ROWS), MODELS[name]().partial_fit(ROWS)
    assert later.labels_.tolist() == fresh.labels_.tolist()
    assert later.birth_cost_ == fresh.birth_cost_


@pytest.mark.parametrize("name", MODELS)
def test_a_model_without_clusters_is_saved_and_continues(name, tmp_path):
    model = MODELS[name]().partial_fit(ROWS).partial_fit(NO_ROWS, t=50.0)
    model.save(tmp_path / "model")
    loaded = dynmeans.load(tmp_path / "model")
    assert loaded.predict(ROWS).tolist() == [-1] * 5
    assert loaded.history_ == model.history_
    if "links" not in name:
        assert loaded.partial_fit(ROWS).labels_.tolist() == model.partial_fit(ROWS).labels_.tolist()


@pytest.mark.parametrize("name", MODELS)
@given(k=st.integers(1, 9), batches=streams(max_steps=4), dense=st.booleans())
@settings(max_examples=15, deadline=None)
def test_k_empty_steps_equal_one_step_of_length_k(name, k, batches, dense):
    one, many = (MODELS[name]().set_params(random_state=0) for _ in range(2))
    for model in (one, many):
        for i, X in enumerate(batches):
            model.partial_fit(20.0 * X, t=(1.0 + i) / (4.0 if dense else 1.0))
    clock, no_rows = one.step_.time, np.empty((0, batches[0].shape[1]))
    for i in range(k):
        many.partial_fit(no_rows, t=clock + 1.0 + i)
    one.partial_fit(no_rows, t=clock + k)
    assert state_of(one) == state_of(many)
    assert event_log(one) == event_log(many)


def test_a_later_batch_reveals_sleep_and_death_at_their_own_times():
    model = DMeans(birth_cost=1.0, lifetime=5).partial_fit([[0.0]], t=1.0).partial_fit([[9.0]], t=100.0)
    events = [(event.kind, event.id, event.step, event.time) for event in model.history_]
    assert events == [
        ("birth", 0, 1, 1.0),
        ("sleep", 0, 2, 2.0),
        ("death", 0, 2, 6.0),
        ("birth", 1, 2, 100.0),
    ]


def test_a_sleep_is_at_the_first_step_without_points():
    model = DMeans(birth_cost=1.0, lifetime=5).partial_fit([[0.0]], t=1.0).partial_fit([[9.0]], t=1.25)
    assert [event.time for event in model.history_ if event.kind == "sleep"] == [1.25]


@given(streams(), st.lists(st.floats(0.0, 4.0), min_size=8, max_size=8))
def test_events_are_in_order_of_time_and_within_their_step(batches, waits):
    model = DMeans(birth_cost=0.02, lifetime=1.5, random_state=0)
    for X, t in zip(batches, np.cumsum(waits), strict=False):
        before = model.step_.time if hasattr(model, "step_") else t
        model.partial_fit(X, t=t)
        events = [event for event in model.history_ if event.step == model.n_steps_]
        assert all(before <= event.time <= t for event in events)
    times = [event.time for event in model.history_]
    assert times == sorted(times)


def test_given_labels_may_be_empty():
    model = PersistentIds(birth_cost=1.0).update(ROWS, [0, 0, 1, 1, 1])
    assert model.update(NO_ROWS, []).step_.asleep.tolist() == [0, 1]
    with pytest.raises(ValueError, match="labels must have one entry for each of 0 rows, got 1"):
        model.update(NO_ROWS, [0])


@pytest.mark.parametrize("estimator", [KDMeans, SDMeans])
def test_a_precomputed_kernel_drops_the_points_of_dead_clusters(estimator):
    model = estimator("precomputed", birth_cost=0.5, lifetime=3, relative=False)
    model.partial_fit(rbf_kernel(ROWS)).partial_fit(np.empty((0, len(model.kept_rows_))))
    kept = ROWS[model.kept_rows_[:, 1]]
    model.partial_fit(rbf_kernel(ROWS[:2], np.concatenate([ROWS[:2], kept])))
    model.partial_fit(np.empty((0, len(model.kept_rows_))), t=5.0)
    assert model.step_.died.tolist() == [0]
    assert model.n_clusters_ == 1
    assert set(model.kept_rows_[:, 1].tolist()) <= {0, 1}
    model.partial_fit(np.empty((0, len(model.kept_rows_))), t=100.0).partial_fit(np.empty((0, 0)))
    assert model.n_clusters_ == len(model.kept_rows_) == 0


def test_empty_batches_in_a_stream_and_in_tuning():
    rng = np.random.default_rng(0)
    rows = [np.repeat([[0.0, 0.0], [5.0, 5.0]], 10, axis=0) + rng.normal(size=(20, 2)) for _ in range(6)]
    batches = [rows[0], NO_ROWS, *rows[1:], NO_ROWS]
    assert [len(step.labels) for step in DMeans(random_state=0).stream(batches)] == [20, 0, *[20] * 5, 0]
    found = dynmeans.tune(batches, budget=8, random_state=0, n_jobs=1)
    assert found.best_estimator_.n_steps_ == 8
    truth = [np.repeat([0, 1], 10)[: len(X)] for X in batches]
    assert dynmeans.tune(batches, labels=truth, budget=8, random_state=0, n_jobs=1).best_score_ < 0.5
    with pytest.raises(ValueError, match="all 2 batches are without rows"):
        dynmeans.tune([NO_ROWS, NO_ROWS])
    with pytest.raises(ValueError, match="labels must have one entry for each of 8 batches, got 7"):
        dynmeans.tune(batches, labels=truth[1:])


def test_fit_needs_rows():
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        DMeans().fit(NO_ROWS)


@pytest.mark.parametrize("nothing", [[], (), np.array([])])
@pytest.mark.parametrize("name", MODELS)
def test_an_empty_list_is_a_batch_without_rows_after_the_first_batch(name, nothing):
    model = MODELS[name]()
    with pytest.raises(ValueError, match="the first batch has no rows and no columns: pass np.empty"):
        model.partial_fit(nothing)
    model.partial_fit(ROWS, t=1)
    model.partial_fit(nothing, t=2)
    assert model.labels_.shape == (0,)
    assert model.step_.time == 2.0
    assert model.predict(nothing).shape == (0,)
