"""The pure step: equal to the estimator, repeatable in any process, idempotent when a batch is replayed."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynmeans
from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans
from dynmeans._files.snapshot import SnapshotError
from dynmeans.estimators._state_files.model_bytes import decode_model, encode_model
from dynmeans.streams import step
from saved_models import points
from strategies import streams

PARAMS = {"birth_cost": 1.0, "lifetime": 2}


@given(streams(), st.sampled_from(["walk", "velocity"]), st.sampled_from([0, 3, 1000]))
@settings(max_examples=40, deadline=None)
def test_steps_equal_the_estimator_and_replays_equal_the_first_time(batches, motion, history_size):
    params = {"motion": motion, "history_size": history_size, "random_state": 5, "n_jobs": 1}
    events = []
    model = DMeans(**params, on_event=events.append)
    state = None
    for t, X in enumerate(batches):
        before, (state, labels, found) = state, step(state, X, t, params)
        events.clear()
        np.testing.assert_array_equal(labels, model.partial_fit(X, t=t).labels_)
        assert found == tuple(events)
        assert dynmeans.from_bytes(state).to_bytes() == model.to_bytes()
        for old in (state, before):  # the engine kept the new state, or lost it in a crash
            again = step(old, X, t, params)
            assert again.state == state
            np.testing.assert_array_equal(again.labels, labels)
            assert again.events == found


@pytest.mark.parametrize("estimator", [KDMeans, SDMeans])
def test_estimators_with_a_kernel_step_and_replay(estimator):
    template = estimator("rbf", random_state=1)
    model, state = estimator("rbf", random_state=1), None
    for t in range(5):
        state, labels, events = step(state, points(t), t, template)
        np.testing.assert_array_equal(labels, model.partial_fit(points(t), t=t).labels_)
        again = step(state, points(t), t, template)
        assert (again.state, again.events) == (state, events)
        np.testing.assert_array_equal(again.labels, labels)
    assert not hasattr(template, "n_features_in_")  # it is not changed


def test_another_process_gives_the_same_bytes():
    state = step(None, [[0.0], [5.0]], 1.0, PARAMS).state
    expected = step(state, [[5.1], [9.0]], 2.0, PARAMS).state
    code = (
        "import sys; from dynmeans.streams import step; state = sys.stdin.buffer.read();"
        f"sys.stdout.buffer.write(step(state, [[5.1], [9.0]], 2.0, {PARAMS}).state)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=state, capture_output=True, check=True)
    assert done.stdout == expected


def test_weights_and_rows_and_time_identify_a_batch():
    state, labels, _ = step(None, [[0.0], [5.0]], 1.0, PARAMS, sample_weight=[1.0, 2.0])
    again = step(state, np.array([[0.0], [5.0]]), np.float64(1), PARAMS, sample_weight=(1, 2))
    assert again.state == state
    np.testing.assert_array_equal(again.labels, labels)
    others = [
        ([[0.0], [5.0]], 1.0, None),
        ([[0.0], [5.0]], 1.0, [2.0, 1.0]),
        ([[0.0], [6.0]], 1.0, [1.0, 2.0]),
        ([[0.0], [5.0]], 0.5, [1.0, 2.0]),
        ([[0.0, 5.0]], 1.0, [1.0, 2.0]),
    ]
    for X, t, weights in others:
        with pytest.raises(ValueError, match=r"t must be after t=1.0 of the last step, or repeat its batch"):
            step(state, X, t, PARAMS, sample_weight=weights)


def test_time_passes_without_rows():
    state = step(None, [[0.0]], 1.0, PARAMS).state
    state, labels, events = step(state, np.empty((0, 1)), 9.0, PARAMS)
    assert labels.shape == (0,)
    assert [event.kind for event in events] == ["sleep", "death"]
    assert step(state, np.empty((0, 1)), 9.0, PARAMS).events == events
    assert step(state, [[0.0]], 10.0, PARAMS).labels.tolist() == [1]  # ids are never reused


def test_a_state_of_save_continues_and_cannot_be_replayed():
    model = DMeans(**PARAMS, random_state=0, history_size=0).partial_fit([[0.0]], t=1.0)
    assert step(model.to_bytes(), [[0.1]], 2.0, PARAMS).labels.tolist() == [0]
    with pytest.raises(ValueError, match="t must be after"):
        step(model.to_bytes(), [[0.0]], 1.0, PARAMS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"t": None}, "t must be a finite number, got None"),
        ({"t": np.nan}, "t must be a finite number, got nan"),
        ({"t": True}, "t must be a finite number, got True"),
        ({"params": PARAMS | {"lifetime": 3}}, "params have lifetime=3, but the state was made with 2"),
        (
            {"params": PARAMS | {"random_state": 1}},
            "params have random_state=1, but the state was made with 0",
        ),
        ({"params": KDMeans(random_state=0)}, "params are of KDMeans, but the state is of DMeans"),
        ({"params": DMeans()}, "random_state must be a whole number, .* got None"),
        ({"params": PARAMS | {"on_event": print}}, "on_event must be None"),
        ({"params": PersistentIds(random_state=0)}, "params must be of DMeans, KDMeans or SDMeans"),
        ({"state": b"nothing"}, "the state is not a dynmeans state file"),
        ({"X": [[0.0, 1.0]]}, "features"),
        ({"X": [[np.nan]]}, "NaN"),
        ({"X": [["a"]]}, "could not convert"),
    ],
)
def test_invalid_arguments_get_one_clear_line(change, message):
    state = step(None, [[0.0]], 1.0, PARAMS).state
    arguments = {"state": state, "X": [[0.1]], "t": 2.0, "params": PARAMS} | change
    with pytest.raises(ValueError, match=message) as caught:
        step(**arguments)
    assert "\n" not in str(caught.value)


def test_the_number_of_threads_may_change():
    state = step(None, [[0.0]], 1.0, PARAMS).state
    assert step(state, [[0.0]], 2.0, PARAMS | {"n_jobs": 2}).labels.tolist() == [0]


def test_a_false_section_of_the_last_batch_is_refused():
    state, *_ = step(None, [[0.0], [5.0]], 1.0, PARAMS)
    model, header, arrays = decode_model(state, "the state")
    for labels in ([0, 7], [-2, 0], [[0, 1]], [0.0, 1.0], None):
        own = {} if labels is None else {"batch_labels": np.array(labels)}
        with pytest.raises(SnapshotError):
            step(encode_model(model, {"batch": header["batch"]}, own), [[0.0], [5.0]], 1.0, PARAMS)
    without = encode_model(model, {"batch": 3}, {"batch_labels": arrays["batch_labels"]})
    with pytest.raises(ValueError, match="t must be after"):
        step(without, [[0.0], [5.0]], 1.0, PARAMS)


@pytest.mark.parametrize("t", [np.ones((2, 1, 1)), np.ma.MaskedArray([1.0, 2.0]), "noon", None, True])
def test_an_invalid_time_is_one_line(t):
    with pytest.raises(ValueError, match="t must be a finite number") as caught:
        step(None, points(0), t, {})
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("params", [None, 3, np.ones((2, 1, 1)), DMeans])
def test_other_parameters_are_one_line(params):
    with pytest.raises(TypeError, match="params must be a mapping or an estimator of dynmeans") as caught:
        step(None, points(0), 0.0, params)
    assert len(str(caught.value).splitlines()) == 1
