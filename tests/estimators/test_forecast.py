"""`forecast` and `predict`: where clusters will be, and which of them would take a row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynmeans
from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans
from dynmeans._model.costs import drift_from_reach
from strategies import seeds, streams

MODELS = {
    "walk": lambda: DMeans(birth_cost=0.05, lifetime=3),
    "velocity": lambda: DMeans(birth_cost=0.05, lifetime=4, reach=3, motion="velocity"),
    "refined": lambda: DMeans(birth_cost=0.3, lifetime=3, refine=True, motion="velocity"),
    "links": lambda: PersistentIds(DMeans(birth_cost=0.05), birth_cost=0.05),
    "kernel": lambda: KDMeans("linear", birth_cost=0.3, relative=False),
    "spectral": lambda: SDMeans("linear", birth_cost=0.3, relative=False),
    "relative": lambda: SDMeans("rbf"),
}


def walker():
    """One cluster walks from x = 0 to x = 9; another stands at 14 and is seen two steps longer."""
    model = DMeans(birth_cost=2.0, lifetime=8, reach=2, motion="velocity", random_state=0)
    for x in range(10):
        model.partial_fit([[float(x), 0.0], [14.0, 0.0]])
    for _ in range(2):
        model.partial_fit([[14.0, 0.0]])
    return model


def test_predict_agrees_with_partial_fit_about_a_cluster_that_walks_on():
    model = walker()
    walking, standing = model.predict([[11.9, 0.0], [14.0, 0.0]])
    assert walking != standing
    assert model.predict([[12.0, 0.3]]).tolist() == [walking]
    assert model.partial_fit([[12.0, 0.3]]).labels_.tolist() == [walking]


def test_the_forecast_of_a_walk_continues_it():
    model = walker()
    forecast = model.forecast()
    assert forecast.time == 13.0
    np.testing.assert_allclose(np.sort(forecast.positions[:, 0]), [12.0, 14.0], atol=0.2)
    np.testing.assert_allclose(np.sort(forecast.velocities[:, 0]), [0.0, 1.0], atol=0.1)
    assert sorted(forecast.ages.tolist()) == [1.0, 3.0]
    assert forecast.variances[forecast.ages == 3.0] > forecast.variances[forecast.ages == 1.0]


def test_the_forecast_of_the_random_walk_is_the_equation_of_the_paper():
    model = DMeans(birth_cost=1.0, lifetime=4, reach=2).partial_fit([[0.0], [0.0], [9.0]])
    forecast = model.forecast(t=3.5)
    assert forecast.positions.tolist() == [[0.0], [9.0]]
    assert forecast.velocities.tolist() == [[0.0], [0.0]]
    tau = drift_from_reach(4, 2)
    assert forecast.variances.tolist() == pytest.approx([1 / 2 + 2.5 * tau, 1 + 2.5 * tau])


def test_dead_clusters_are_not_in_the_forecast_and_take_no_row():
    model = DMeans(birth_cost=1.0, lifetime=3).partial_fit([[0.0], [0.0], [9.0]]).partial_fit([[0.0]])
    assert model.forecast(t=4.0).ids.tolist() == [0, 1]
    assert model.forecast(t=4.5).ids.tolist() == [0]
    assert model.predict([[9.0]], t=4.5).tolist() == [0]
    assert model.predict([[9.0]], t=6.0).tolist() == [-1]
    assert model.forecast(t=6.0).positions.shape == (0, 1)


@pytest.mark.parametrize("name", MODELS)
def test_time_does_not_go_backwards(name):
    model = MODELS[name]().partial_fit([[0.0]], t=5.0)
    for call in (model.forecast, lambda t: model.predict([[0.0]], t=t)):
        with pytest.raises(ValueError, match="time must not go backwards"):
            call(t=4.0)


@pytest.mark.parametrize("name", MODELS)
@given(batches=streams(max_steps=6), seed=seeds, wait=st.sampled_from([None, 0.25, 1.0, 2.5, 40.0]))
@settings(max_examples=40, deadline=None)
def test_predict_is_the_label_of_a_row_that_comes_alone_and_is_no_birth(name, batches, seed, wait):
    model = MODELS[name]().set_params(random_state=0)
    for X in batches:
        model.partial_fit(X)
    rng = np.random.default_rng(seed)
    row = batches[-1][:1] + 0.1 * rng.normal(size=(1, batches[0].shape[1]))
    t = None if wait is None else model.step_.time + wait
    before = dict(vars(model))
    predicted = model.predict(row, t=t)
    model.forecast(t)
    assert all(vars(model)[key] is value for key, value in before.items())
    model.partial_fit(row, t=t)
    assert len(model.step_.born) == 1 or predicted.tolist() == model.labels_.tolist()


def test_predict_of_many_rows_is_that_of_each():
    rng = np.random.default_rng(0)
    for dtype, d in ((np.float64, 2), (np.float32, 3), (np.float64, 70)):
        model = DMeans(birth_cost=0.5, random_state=0).partial_fit(rng.normal(size=(200, d)).astype(dtype))
        rows = rng.normal(size=(50, d)).astype(dtype)
        assert model.predict(rows).tolist() == [model.predict(row[None])[0] for row in rows]


def test_a_kernel_forecasts_its_support_points():
    model = KDMeans(random_state=0).partial_fit([[0.0, 0.0], [0.1, 0.0], [9.0, 9.0]])
    forecast = model.forecast()
    assert len(forecast.support) == len(forecast.ids) == model.n_clusters_
    assert sum(map(len, forecast.support)) == len(model._state.support.ids)
    assert not forecast.velocities.any()
    given = KDMeans("precomputed", birth_cost=0.5, relative=False).partial_fit(np.eye(2))
    assert given.forecast().support is None
    assert given.forecast().positions.shape == (2, 0)


def test_a_loaded_model_forecasts_the_same(tmp_path):
    model = walker()
    model.save(tmp_path / "model")
    for one, other in zip(model.forecast(), dynmeans.load(tmp_path / "model").forecast(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_absent_row_gets_the_label_of_predict():
    model = walker()
    twin = walker()
    model.partial_fit([[14.0, 0.0], [12.0, 0.3]], sample_weight=[1.0, 0.0])
    twin.partial_fit([[14.0, 0.0]])
    assert model.labels_[1] == twin.predict([[12.0, 0.3]], t=13.0)[0]
