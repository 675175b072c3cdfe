"""Every kind of invalid input gives a clear error and leaves the model unchanged."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import DBSCAN

from dynmeans import DMeans, PersistentIds, tune

WHEN = datetime(2024, 1, 2, 3, 4)
GOOD = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0]])


def fitted(**params):
    return DMeans(**({"birth_cost": 1.0, "random_state": 0} | params)).partial_fit(GOOD, t=10.0)


def frozen(model):
    """Everything that a failed step could have changed."""
    return (model._state, model.step_, model.labels_, model.history_, model._seed, model.n_features_in_)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": [[np.nan, 0.0]]}, "NaN"),
        ({"X": [[np.inf, 0.0]]}, "infinity"),
        ({"X": [["a", "b"]]}, "could not convert string to float: 'a'"),
        ({"X": [[1.0, 2.0, 3.0]]}, "X has 3 features, but DMeans is expecting 2 features"),
        ({"X": np.empty((0, 3))}, "X has 3 features, but DMeans is expecting 2 features"),
        ({"X": [1.0, 2.0]}, "Expected 2D array, got 1D array"),
        ({"X": [[1e200, 0.0]]}, "coordinates must lie within ±1e\\+150, got 1e\\+200"),
        ({"X": GOOD, "sample_weight": [1.0, -2.0, 1.0]}, "not negative, got .*-2.0.* in row 1"),
        ({"X": GOOD, "sample_weight": [1.0, np.nan, 1.0]}, "finite and not negative, got .*nan.* in row 1"),
        ({"X": GOOD, "sample_weight": [0.0, 0.0, 0.0]}, "must not be zero everywhere"),
        ({"X": GOOD, "sample_weight": [1.0, 1.0]}, r"sample_weight must have shape \(3,\), got \(2,\)"),
        ({"X": GOOD, "t": 9.5}, "time must not go backwards: got t=9.5 after t=10.0"),
        ({"X": GOOD, "t": np.nan}, "t must be a finite number, got nan"),
        ({"X": GOOD, "t": np.array([1.0, 2.0])}, r"t must be a number, such as seconds, got array\(\[1"),
        ({"X": GOOD, "t": "noon"}, "t must be a number, such as seconds, got 'noon'$"),
        ({"X": GOOD, "t": WHEN}, r"got datetime.datetime\(2024, 1, 2, 3, 4\): pass t.timestamp\(\)"),
        ({"X": GOOD, "t": np.datetime64(WHEN)}, r"pass \(t - start\) / np.timedelta64\(1, 's'\)"),
        ({"X": GOOD, "t": np.timedelta64(3, "m")}, r"pass t / np.timedelta64\(1, 's'\)"),
    ],
)
def test_bad_arguments_leave_the_model_as_it_was(arguments, message):
    model = fitted()
    before = frozen(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(**arguments)
    assert all(now is then or now == then for now, then in zip(frozen(model), before, strict=True))
    assert model.partial_fit(GOOD, t=10.0).labels_.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"birth_cost": -1.0}, "birth_cost must be a finite number > 0, got -1.0"),
        ({"birth_cost": "cheap"}, "birth_cost must be a number or 'auto', got 'cheap'"),
        ({"lifetime": 1.0}, "lifetime must be a finite number > 1, got 1.0"),
        ({"reach": 0.5}, "reach must be a finite number >= 1 - 1/lifetime = 0.666667, got 0.5"),
        ({"aging_cost": -1.0}, "aging_cost must be a finite number >= 0, got -1.0"),
        ({"drift": -1.0}, "drift must be a finite number >= 0, got -1.0"),
        ({"lifetime": 2.0, "drift": 1.0}, "not both"),
        ({"motion": "teleport"}, "motion must be one of .* got 'teleport'"),
        ({"n_restarts": 0}, "n_restarts must be a whole number >= 1, got 0"),
        ({"n_restarts": 1.5}, "n_restarts must be a whole number >= 1, got 1.5"),
        ({"max_iter": 0}, "max_iter must be a whole number >= 1, got 0"),
        ({"n_jobs": 0}, "n_jobs must be a whole number >= 1, got 0"),
        ({"history_size": -1}, "history_size must be a whole number >= 0, got -1"),
        ({"lifetime": "long"}, "lifetime must be a number, got 'long'"),
    ],
)
def test_bad_parameters_are_named_before_anything_happens(params, message):
    with pytest.raises(ValueError, match=message):
        fitted(**params)
    model = fitted()
    before = frozen(model)
    if "history_size" not in params:
        with pytest.raises(ValueError, match=message):
            model.set_params(**params).partial_fit(GOOD)
        assert all(now is then or now == then for now, then in zip(frozen(model), before, strict=True))


def test_a_failed_fit_leaves_the_known_columns_alone():
    model = fitted()
    with pytest.raises(ValueError, match="not negative"):
        model.fit([[1.0, 2.0, 3.0]], sample_weight=[-1.0])
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="3 features"):
        model.predict([[1.0, 2.0, 3.0]])


class LazyFrame:
    """A query without rows, as that of polars."""


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            pd.DataFrame({"x": [1.0, 2.0], "when": pd.to_datetime(["2024-01-01", "2024-01-02"])}),
            "column 'when' of X has dates or durations, but features must be numbers",
        ),
        (pd.DataFrame({"x": [1.0], "d": pd.to_timedelta([1], unit="s")}), "column 'd' of X has dates or dur"),
        (np.array([[WHEN]], dtype="datetime64[s]"), "X has dates or durations"),
        (pd.DataFrame(np.eye(2), columns=["a", "a"]), "must have unique names, got 'a' more than once"),
        (LazyFrame(), r"X is a LazyFrame, which has no rows yet: pass X\.collect\(\)"),
        (
            (0.5, GOOD),
            r"X must be rows, got a tuple \(float, ndarray\): pass the time as partial_fit\(X, t=t\)",
        ),
        ([GOOD, GOOD], "X must be the rows of one time step, got several tables: use stream"),
        ([pd.DataFrame(GOOD), GOOD[:1]], "X must be the rows of one time step, got several tables"),
        (np.zeros((2, 3, 2)), "X must be the rows of one time step, got several tables"),
    ],
)
def test_an_error_of_numpy_is_explained_in_one_line(X, message):
    for call in (DMeans().partial_fit, lambda X: list(DMeans().stream([X])), lambda X: tune([X])):
        with pytest.raises((ValueError, TypeError), match=message) as caught:
            call(X)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("model", [DMeans(), PersistentIds(DBSCAN())])
def test_a_time_in_place_of_y_is_refused(model):
    """`y` is ignored, so the time was lost without a message."""
    with pytest.raises(TypeError, match=r"y is ignored, got 3\.5: pass the time by its name, partial_fit"):
        model.partial_fit(GOOD, 3.5)


def test_the_arguments_of_a_step_are_no_rows():
    with pytest.raises(TypeError, match="X must be rows, got a mapping"):
        DMeans().partial_fit({"X": GOOD, "t": 1.0})


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        (GOOD, r"batches is one table of shape \(\d, 2\); pass a list of tables"),
        (pd.DataFrame(GOOD), "batches is one table of shape"),
        ({0.0: GOOD, 1.0: GOOD}, "batches is a mapping; pass a list of tables"),
    ],
)
def test_a_stream_is_several_tables(batches, message):
    with pytest.raises(ValueError, match=message):
        list(DMeans().stream(batches))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([WHEN, WHEN], "column 'c' of X has dates or durations, but features must be numbers"),
        ([WHEN.date(), WHEN.date()], "column 'c' of X has dates or durations"),
        ([WHEN.time(), WHEN.time()], "column 'c' of X has dates or durations"),
        ([timedelta(1), timedelta(2)], "column 'c' of X has dates or durations"),
        (["1.5", "north"], "column 'c' of X has values such as 'north', but features must be numbers"),
        ([[1.0, 2.0], [3.0, 4.0]], r"column 'c' of X has lists, .* np.stack\(X\['c'\]\)"),
        ([1.0, None], "Input X contains NaN: column 'c' has no value in row 1"),
    ],
)
def test_a_column_without_numbers_is_named(frame, column, message):
    X = frame({"x": [1.0, 2.0], "c": column})
    for call in (DMeans().partial_fit, lambda X: tune([X])):
        with pytest.raises((ValueError, TypeError), match=message) as caught:
            call(X)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("t", ["noon", WHEN, np.datetime64(WHEN)])
def test_tune_refuses_times_that_are_no_numbers(t):
    with pytest.raises(ValueError, match="t must be a number, such as seconds"):
        tune([{"X": GOOD, "t": t}])


def test_columns_that_differ_from_the_first_batch_are_named():
    model = DMeans(birth_cost=1.0).partial_fit(pd.DataFrame(GOOD, columns=["x", "y"]))
    with pytest.raises(ValueError, match=r"unseen at fit time: - z .* now missing: - y$"):
        model.partial_fit(pd.DataFrame(GOOD, columns=["x", "z"]))
