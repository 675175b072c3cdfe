"""The interface of DMeans."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from dynmeans import DMeans
from dynmeans.datasets import moving_gaussians
from dynmeans.metrics import tracking_accuracy
from strategies import seeds, streams


@given(streams(), seeds)
@settings(max_examples=50, deadline=None)
def test_predict_of_clusters_of_equal_age_and_large_drift_gives_the_nearest(batches, seed):
    model = DMeans(birth_cost=0.05, aging_cost=0.0, drift=1e9, random_state=seed % 1000)
    model.partial_fit(np.concatenate(batches))
    before = dict(vars(model))
    found = model.predict(batches[0])
    assert found.tolist() == model.cluster_ids_[model.transform(batches[0]).argmin(axis=1)].tolist()
    assert all(vars(model)[k] is v for k, v in before.items())


@given(streams())
@settings(max_examples=50, deadline=None)
def test_fitted_columns_are_aligned_and_sorted_by_id(batches):
    model = DMeans(birth_cost=0.05, random_state=0)
    for report in model.stream(batches):
        k = len(model.cluster_ids_)
        assert model.cluster_centers_.shape == (k, batches[0].shape[1])
        assert model.cluster_weights_.shape == model.cluster_ages_.shape == (k,)
        assert (np.diff(model.cluster_ids_) > 0).all()
        assert set(model.cluster_ids_[model.cluster_ages_ == 0]) == set(report.labels)
    assert model.n_steps_ == len(batches)


def test_the_input_is_neither_changed_nor_stored():
    X = np.random.default_rng(0).normal(size=(50, 2))
    kept = X.copy()
    model = DMeans(birth_cost=1.0, random_state=0).partial_fit(X)
    np.testing.assert_array_equal(X, kept)
    centers = model.cluster_centers_.copy()
    X[:] = 1e6
    np.testing.assert_array_equal(model.cluster_centers_, centers)


def test_fit_forgets_and_partial_fit_remembers():
    first, second = [[0.0], [5.0]], [[5.0], [9.0]]
    model = DMeans(birth_cost=1.0, random_state=0)
    remembered = model.fit(first).partial_fit(second).labels_
    assert len(set(remembered.tolist()) & {0, 1}) == 1
    assert model.fit(second).labels_.tolist() in ([0, 1], [1, 0])
    assert model.n_steps_ == 1


def test_fit_predict_gives_the_labels():
    X = moving_gaussians(random_state=0).batches[0]
    model = DMeans(random_state=0)
    np.testing.assert_array_equal(model.fit_predict(X), model.labels_)


def test_a_seed_determines_everything():
    stream = moving_gaussians(n_steps=20, random_state=1).batches
    runs = [[s.labels.tolist() for s in DMeans(0.06, random_state=s).stream(stream)] for s in (3, 3)]
    assert runs[0] == runs[1]
    drawn = DMeans(0.06, random_state=np.random.RandomState(0)).fit(stream[0])
    assert (
        drawn.labels_.tolist()
        == DMeans(0.06, random_state=np.random.RandomState(0)).fit(stream[0]).labels_.tolist()
    )


@pytest.mark.parametrize("scale", [1e-120, 1e-6, 1.0, 1e6, 1e120])
def test_auto_finds_five_separate_clusters_at_any_scale(scale):
    rng = np.random.default_rng(4)
    cells = rng.permutation(25)[:5]
    X = np.stack([cells // 5, cells % 5], axis=1).repeat(30, axis=0) + 0.05 * rng.normal(size=(150, 2))
    model = DMeans(random_state=0).fit(scale * X + 3 * scale)
    assert len(model.cluster_ids_) == 5
    assert model.birth_cost_ / scale**2 == pytest.approx(DMeans(random_state=0).fit(X).birth_cost_, rel=1e-3)


def test_auto_waits_for_a_batch_whose_rows_differ():
    model = DMeans(random_state=0).partial_fit([[1.0, 2.0]])
    assert model.labels_.tolist() == [0]
    rows = np.concatenate([np.random.default_rng(0).normal(size=(40, 2)) + c for c in (0.0, 30.0)])
    assert len(np.unique(model.partial_fit(rows).labels_)) == 2


def test_auto_is_estimated_after_1_2_4_8_and_16_batches_and_then_stays():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(size=(40, 2)) + c for c in (0.0, 30.0)])
    batches = [scale * rows for scale in (1.0, 2.0, 0.5, 3.0, 1.5, 2.0, 1.0, 1.2, *[2.0] * 8, 20.0, 20.0)]
    steps = list(DMeans(random_state=0).stream(batches))
    assert steps[0].birth_cost == DMeans(random_state=0).fit(batches[0]).birth_cost_
    used = [step.parameters for step in steps]
    for since, until in ((1, 3), (3, 7), (7, 15), (15, 18)):
        assert len(set(used[since:until])) == 1
    assert [step.birth_cost_final for step in steps] == 15 * [False] + 3 * [True]


def test_auto_is_final_after_8_batches_if_clusters_were_seen_200_times():
    rng = np.random.default_rng(0)
    corners = 30.0 * np.array([(k % 6, k // 6) for k in range(36)])
    batches = [np.repeat(corners, 3, axis=0) + rng.normal(size=(108, 2)) for _ in range(8)]
    steps = list(DMeans(random_state=0).stream(batches))
    assert [step.birth_cost_final for step in steps] == 7 * [False] + [True]


def test_a_refined_birth_cost_keeps_lifetime_and_reach():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    model = DMeans(lifetime=4.0, random_state=0).partial_fit(np.concatenate([rows, rows + 40.0]))
    first = model.birth_cost_
    deaths = [e for X in 3.0 * rows * np.ones((6, 1, 1)) for e in _turns(model.partial_fit(X), "death")]
    assert model.birth_cost_ != pytest.approx(first, rel=0.1)
    assert (deaths[0].step, deaths[0].time, deaths[0].cost) == (6, 5.0, model.birth_cost_)


def test_a_given_birth_cost_is_final():
    assert DMeans(birth_cost=1.0).fit([[0.0], [5.0]]).step_.birth_cost_final


def _turns(model, kind):
    return [event for event in model.history_ if event.kind == kind and event.step == model.n_steps_]


def test_auto_tracks_the_moving_gaussians():
    found = []
    for seed in range(10):
        stream = moving_gaussians(random_state=seed)
        labels = [s.labels for s in DMeans(random_state=0, reach=1.01).stream(stream.batches)]
        found.append(tracking_accuracy(stream.labels, labels))
    assert np.mean(found) > 0.45


def test_event_time_scales_ages():
    model = DMeans(birth_cost=1.0, lifetime=10.0, random_state=0)
    model.partial_fit([[0.0]], t=100.0).partial_fit([[9.0]], t=104.5)
    assert model.cluster_ages_.tolist() == [4.5, 0.0]
    assert model.partial_fit([[9.0]]).step_.time == 105.5
    assert model.partial_fit([[9.0]], t=110.01).step_.died.tolist() == [0]


def test_a_zero_weight_means_absent_but_still_gets_the_nearest_id():
    X = np.array([[0.0], [50.0], [0.1]])
    model = DMeans(birth_cost=1.0, random_state=0).partial_fit(X, sample_weight=[1.0, 0.0, 1.0])
    assert model.labels_.tolist() == [0, 0, 0]
    assert model.step_.labels.tolist() == [0, 0, 0]
    assert len(model.cluster_ids_) == 1


def test_frames_go_in_and_named_columns_come_out():
    X = pd.DataFrame({"east": [0.0, 0.1, 9.0], "north": [0.0, 0.1, 9.0]})
    model = DMeans(birth_cost=1.0, random_state=0).set_output(transform="pandas").partial_fit(X)
    assert list(model.feature_names_in_) == ["east", "north"]
    out = model.transform(X)
    assert list(out.columns) == [f"cluster{k}" for k in model.cluster_ids_]
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(X[["north", "east"]])
    assert DMeans(birth_cost=1.0).fit(pl.from_pandas(X)).labels_.tolist() == model.labels_.tolist()
    polars = (
        DMeans(birth_cost=1.0)
        .set_output(transform="polars")
        .fit(pl.from_pandas(X))
        .transform(pl.from_pandas(X))
    )
    assert isinstance(polars, pl.DataFrame)


def test_history_is_bounded_and_the_callback_gets_all_events():
    heard = []
    model = DMeans(birth_cost=1e-4, history_size=7, on_event=heard.append, random_state=0)
    for X in moving_gaussians(n_steps=5, random_state=0).batches:
        model.partial_fit(X)
    assert len(heard) > 100
    assert list(model.history_) == heard[-7:]


def test_stream_takes_arrays_and_mappings():
    steps = list(DMeans(birth_cost=1.0).stream([[[0.0]], {"X": [[0.2]], "t": 2.5}]))
    assert [s.time for s in steps] == [1.0, 2.5]
    assert steps[1].labels.tolist() == [0]


def test_random_disjoint_batches_converge_to_the_dp_means_centers_of_the_whole():
    rng = np.random.default_rng(2)
    positions = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0]])
    X = rng.permutation(positions.repeat(500, axis=0) + 0.3 * rng.normal(size=(2000, 2)))
    whole = DMeans(birth_cost=4.0, random_state=0).fit(X)
    anytime = DMeans(birth_cost=4.0, aging_cost=0.0, drift=0.0, random_state=0)
    for part in np.split(X, 20):
        anytime.partial_fit(part)
    assert len(anytime.cluster_ids_) == len(whole.cluster_ids_) == 4
    order = whole.predict(anytime.cluster_centers_)
    np.testing.assert_allclose(anytime.cluster_centers_, whole.cluster_centers_[order], atol=1e-9)
    assert anytime.cluster_weights_.sum() == pytest.approx(2000)


def test_a_clone_is_not_fitted():
    model = clone(DMeans(birth_cost=1.0).fit([[0.0]]))
    with pytest.raises(AttributeError, match="is not fitted yet"):
        _ = model.cluster_ids_


def test_a_single_row_equal_rows_and_many_rows_work():
    assert DMeans().fit([[3.0, 4.0]]).labels_.tolist() == [0]
    assert DMeans().fit(np.full((1000, 3), 7.0)).labels_.tolist() == [0] * 1000
    X = np.random.default_rng(0).normal(size=(1_000_000, 2)).astype(np.float32)
    assert len(DMeans(birth_cost=20.0, n_restarts=1, random_state=0).fit(X).labels_) == 1_000_000


@pytest.mark.parametrize("value", [1e-300, 1e150])
@pytest.mark.parametrize("birth_cost", ["auto", 1.0])
def test_extreme_coordinates_work(value, birth_cost):
    model = DMeans(birth_cost=birth_cost, random_state=0)
    for _ in range(2):
        model.partial_fit([[value, 0.0], [0.0, value], [value, value], [-value, value]])
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.step_.cost)


def test_float32_beyond_its_own_squares_is_widened():
    X = np.array([[1e25], [2e25], [-3e25]], dtype=np.float32)
    assert len(DMeans(birth_cost=1.0, random_state=0).fit(X).cluster_ids_) == 3


@given(st.integers(1, 4))
@settings(max_examples=4, deadline=None)
def test_threads_change_nothing(n_jobs):
    stream = moving_gaussians(n_clusters=3, n_steps=3, points_per_cluster=20_000, random_state=0).batches
    one = [s.labels for s in DMeans(0.06, n_jobs=1, n_restarts=1, random_state=0).stream(stream)]
    many = [s.labels for s in DMeans(0.06, n_jobs=n_jobs, n_restarts=1, random_state=0).stream(stream)]
    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a, b)
