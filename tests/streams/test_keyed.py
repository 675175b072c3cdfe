"""One model per key: equal to one estimator per key, also over a state file."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynmeans
from dynmeans import DMeans, SnapshotError
from dynmeans._files.snapshot import read_snapshot
from dynmeans.datasets import moving_gaussians
from dynmeans.streams import KeyedDMeans, KeyEvent
from dynmeans.streams._keyed_files import keyed_from_snapshot, keyed_to_snapshot

KEYS = ["a", "b", "", "key with spaces", 7]

PAPER = {"motion": "walk", "refine": False, "exclusive": False}  # what keys do not estimate


@st.composite
def keyed_streams(draw):
    """A few steps, each with rows of some of the keys in any order, and a time."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    centers, t, steps = rng.normal(0, 4, (len(KEYS), 3, 2)), 0.0, []
    for _ in range(draw(st.integers(1, 6))):
        t += draw(st.sampled_from([0.0, 0.5, 1.0, 1.0, 6.0]))
        n = draw(st.integers(0, 60))
        which = rng.integers(0, len(KEYS), n) if draw(st.booleans()) else np.zeros(n, dtype=int)
        X = centers[which, rng.integers(0, 3, n)] + rng.normal(0, 0.2, (n, 2))
        steps.append((X, [KEYS[i] for i in which], t))
    return steps


def one_model_per_key(steps, **params):
    """The slow twin: labels, events and models."""
    models, labels, events = {}, [], []
    for X, keys, t in steps:
        found, happened = np.full(len(X), -1), []
        for key in dict.fromkeys(keys):
            model = models.setdefault(key, DMeans(**{**PAPER, **params}, random_state=0))
            model.on_event = lambda event, key=key, happened=happened: happened.append(KeyEvent(key, event))
            rows = [row for row, other in enumerate(keys) if other == key]
            found[rows] = model.partial_fit(X[rows], t=t).labels_
        labels.append(found.tolist())
        events.append(happened)
    return labels, events, models


@given(
    keyed_streams(),
    st.sampled_from(["walk", "velocity"]),
    st.sampled_from([1.0, 0.05]),
    st.integers(1, 2),
)
@settings(max_examples=40, deadline=None)
def test_labels_and_events_are_those_of_one_model_per_key(steps, motion, birth_cost, min_hits):
    labels, events, models = one_model_per_key(steps, birth_cost=birth_cost, motion=motion, min_hits=min_hits)
    keyed = KeyedDMeans(birth_cost, motion=motion, min_hits=min_hits)
    for (X, keys, t), expected, happened in zip(steps, labels, events, strict=True):
        keyed.partial_fit(X, keys, t=t)
        assert keyed.labels_.tolist() == expected
        assert keyed.events_ == happened
        assert keyed.step_.born == sum(found.event.kind == "birth" for found in happened)
        keyed = keyed_from_snapshot(keyed_to_snapshot(keyed))
    assert set(keyed.keys_) == set(models)
    assert keyed.n_clusters_ == sum(model.n_clusters_ for model in models.values())
    for key, model in models.items():
        again = keyed.model(key)
        np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)
        np.testing.assert_array_equal(again.cluster_ids_, model.cluster_ids_)
        assert again.birth_cost_ == model.birth_cost_
        rows = np.zeros((3, 2))
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
        assert again.partial_fit(rows).labels_.tolist() == model.partial_fit(rows).labels_.tolist()


def stream(n_steps=6, n_keys=4):
    found = [moving_gaussians(n_steps=n_steps, random_state=k).batches for k in range(n_keys)]
    keys = np.repeat(np.arange(n_keys), [len(batches[0]) for batches in found])
    return [(np.concatenate(parts), keys, float(t)) for t, parts in enumerate(zip(*found, strict=True))]


def test_the_common_birth_cost_is_final_after_five_steps_and_saved(tmp_path):
    model, whole = KeyedDMeans(), KeyedDMeans()
    for X, keys, t in stream():
        whole.partial_fit(X, keys, t=t)
        model.partial_fit(X, keys, t=t)
        assert model.step_.birth_cost_final == (model.n_steps_ >= 5)
        model.save(tmp_path / "m")
        model = KeyedDMeans.load(tmp_path / "m")
    assert model.birth_cost_ == whole.birth_cost_ > 0
    assert model.model(2).birth_cost == whole.birth_cost_
    assert keyed_to_snapshot(model).header == keyed_to_snapshot(whole).header


def test_the_order_of_rows_of_different_keys_changes_nothing():
    rng = np.random.default_rng(0)
    one, other = KeyedDMeans(0.05), KeyedDMeans(0.05)
    for X, keys, t in stream():
        order = np.argsort(rng.permutation(keys.max() + 1)[keys], kind="stable")
        one.partial_fit(X, keys, t=t)
        other.partial_fit(X[order], keys[order].tolist(), t=t)
        np.testing.assert_array_equal(one.labels_[order], other.labels_)


def test_rows_of_weight_zero_count_as_absent():
    rng = np.random.default_rng(1)
    keyed, models = KeyedDMeans(1.0), {}
    for t in range(4):
        X, keys = rng.normal(0, 3, (40, 2)), rng.choice(["a", "b"], 40)
        weights = rng.choice([0.0, 1.0, 2.5], 40)
        keyed.partial_fit(X, keys, sample_weight=weights, t=t)
        for key in ("a", "b"):
            model = models.setdefault(key, DMeans(1.0, **PAPER, random_state=0))
            model.partial_fit(X[keys == key], sample_weight=weights[keys == key], t=t)
            np.testing.assert_array_equal(keyed.labels_[keys == key], model.labels_)
    keyed.partial_fit([[0.0, 0.0]] * 2, ["new", "a"], sample_weight=[0, 1])
    assert keyed.labels_[0] == -1
    assert "new" not in keyed.keys_


def test_keys_can_be_dropped_and_clusters_are_counted():
    model = KeyedDMeans(1.0).partial_fit([[0.0], [5.0], [0.0]], ["a", "a", "b"])
    model.partial_fit([[0.0]], ["a"])
    assert (model.count_active(), model.n_clusters_) == (1, 3)
    model.drop(["b", "unknown"])
    assert (model.keys_, model.n_clusters_) == (["a"], 2)
    with pytest.raises(KeyError):
        model.model("b")


def test_a_step_without_rows_passes_time():
    model = KeyedDMeans(1.0).partial_fit(np.empty((0, 2)), []).partial_fit([[0.0, 0.0]], ["a"])
    assert (model.n_steps_, model.step_.time, model.model("a").n_steps_) == (2, 2.0, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keys": ["a"]}, r"keys must have one entry for each of 2 rows, got shape \(1,\)"),
        ({"keys": [["a"], ["b"]]}, "keys must be text or whole numbers"),
        ({"keys": [1.5, 2.5]}, "keys must be text or whole numbers, got 1.5 in row 0"),
        ({"keys": ["a", None]}, "keys must be text or whole numbers, got None in row 1"),
        ({"keys": np.ma.array([1, 2], mask=[0, 1])}, "keys must have no masked entries"),
        ({"X": [[0.0, 1.0]] * 2}, "features"),
        ({"X": [[np.nan], [0.0]]}, "NaN"),
        ({"t": 0.5}, "time must not go backwards"),
        ({"sample_weight": [-1, 1]}, "sample_weight must be finite and not negative"),
    ],
)
def test_invalid_arguments_leave_the_model_unchanged(arguments, message):
    model = KeyedDMeans(1.0).partial_fit([[0.0], [5.0]], ["a", "b"], t=1.0)
    before = keyed_to_snapshot(model).header
    with pytest.raises(ValueError, match=message):
        model.partial_fit(**{"X": [[0.0], [1.0]], "keys": ["a", "b"], "t": 2.0} | arguments)
    assert keyed_to_snapshot(model).header == before


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"on_event": print}, "has no parameter 'on_event'"),
        ({"random_state": None}, "random_state must be a whole number, got None"),
        ({"motion": "align"}, "motion must be one of"),
        ({"birth_cost": -1.0}, "birth_cost"),
        ({"birth_cost": "none"}, "birth_cost"),
        ({"lifetime": "auto"}, "only birth_cost may be 'auto'"),
        ({"motion": "auto"}, "only birth_cost may be 'auto'"),
    ],
)
def test_invalid_parameters_are_refused_at_once(params, message):
    with pytest.raises(ValueError, match=message):
        KeyedDMeans(**params)


def test_a_callback_gets_the_rows_and_the_result_of_each_key():
    found = {}
    model = KeyedDMeans(1.0)
    model.partial_fit(
        [[0.0], [5.0], [0.1]],
        ["a", "b", "a"],
        on_key=lambda key, rows, result: found.update({key: (rows, result)}),
    )
    assert found["a"][0].tolist() == [0, 2]
    assert found["b"][1].report.born.tolist() == [0]


CHANGES = [
    ("header", "keys", lambda v: [*v[:-1], v[0]], "a key is listed twice"),
    ("header", "keys", lambda v: [*v[:-1], 1.5], "must list its keys"),
    ("header", "keys", lambda v: v[:-1], "wrong array 'key_clusters'"),
    ("header", "clock", lambda v: v - 1, "no key may be seen after"),
    ("header", "n_steps", lambda v: 1, "no key may have more than 1 steps"),
    ("header", "estimator", lambda v: "DMeans", "holds a 'DMeans', not a KeyedDMeans"),
    ("header", "params", lambda v: v | {"birth_cost": -1}, "birth_cost"),
    ("header", "params", lambda v: v | {"evil": 1}, "parameter 'evil'"),
    ("header", "n_features", lambda v: 9, "wrong array 'centers'"),
    ("arrays", "key_clusters", lambda v: v + 1, "do not fit the keys"),
    ("arrays", "key_clusters", lambda v: v * -1, "do not fit the keys"),
    ("arrays", "key_next_id", lambda v: v * 0, "ids must be from 0 below next_id"),
    ("arrays", "key_n_steps", lambda v: v * 0, "key_n_steps must be at least 1"),
    ("arrays", "key_clock", lambda v: v - 9, "no cluster may be seen after the clock"),
    ("arrays", "ids", lambda v: v[::-1].copy(), "ids must"),
    ("arrays", "weights", lambda v: -v, "weights must be positive"),
    ("arrays", "hits", lambda v: v * 0, "clusters must have rows in 1 .. n_steps"),
    ("arrays", "centers", lambda v: v * np.nan, "wrong array 'centers'"),
    ("arrays", "velocity_cov", lambda v: v - 1, "variances must not be negative"),
    ("arrays", "first_rows", lambda v: v[:, :1], "wrong array 'first_rows'"),
    ("arrays", "first_owners", lambda v: np.zeros(1, np.int64), "wrong array 'first_rows'"),
    ("header", "first_rows", lambda v: v | {"keys": [1.5]}, "text or whole numbers"),
    ("header", "first_rows", lambda v: v | {"keys": list(range(101))}, "at most 100 keys"),
    ("header", "first_rows", lambda v: v | {"n_steps": 99}, "n_steps=99"),
    ("header", "first_rows", lambda v: v | {"birth": -1.0}, "estimated birth cost=-1.0"),
]


@pytest.mark.parametrize(("part", "name", "change", "message"), CHANGES)
def test_a_false_state_file_gets_one_clear_line(part, name, change, message):
    model = KeyedDMeans(motion="velocity")
    for X, keys, t in stream(3):
        model.partial_fit(X, keys, t=t)
    snapshot = keyed_to_snapshot(model)
    values = getattr(snapshot, part)
    false = snapshot._replace(**{part: values | {name: change(values[name])}})
    with pytest.raises(SnapshotError, match=message) as caught:
        keyed_from_snapshot(false)
    assert "\n" not in str(caught.value)


def test_files_of_other_models_are_refused(tmp_path):
    DMeans(1.0).fit([[0.0]]).save(tmp_path / "one")
    KeyedDMeans(1.0).partial_fit([[0.0]], ["a"]).save(tmp_path / "keyed")
    with pytest.raises(SnapshotError, match="one.*holds a 'DMeans', not a KeyedDMeans"):
        KeyedDMeans.load(tmp_path / "one")
    with pytest.raises(SnapshotError, match="holds the models of many keys"):
        dynmeans.load(tmp_path / "keyed")
    assert read_snapshot(tmp_path / "keyed").header["keys"] == ["a"]
    with pytest.raises(ValueError, match="not fitted"):
        KeyedDMeans().save(tmp_path / "none")


def regimes(n_steps=48, n_keys=6):
    """One row per key and step, in one of two regimes of the key; a third one appears after 40 steps."""
    rng = np.random.default_rng(2)
    levels = rng.uniform(0, 1000, (n_keys, 1, 2)) + np.array([[0, 0], [900, 300], [100, 2000]])
    for step in range(n_steps):
        regime = (step // 5 + np.arange(n_keys)) % 2
        regime[0] = 2 if step >= 40 else regime[0]
        yield levels[np.arange(n_keys), regime] + rng.normal(0, 20, (n_keys, 2)), regime


def test_keys_with_one_row_per_step_have_a_birth_cost_from_several_steps():
    model, keys = KeyedDMeans(lifetime=50), [f"host{k}" for k in range(6)]
    true, found = [], []
    for step, (X, regime) in enumerate(regimes()):
        model.partial_fit(X, keys)
        assert model.step_.birth_cost_final == (step + 1 >= 32)
        if step < 7:
            assert model.labels_.tolist() == [0] * 6
        if step >= 32:
            true.append(regime)
            found.append(model.labels_.tolist())
    assert 100**2 < model.birth_cost_ < 900**2
    for own, ids in zip(zip(*true, strict=True), zip(*found, strict=True), strict=True):
        assert len(set(ids)) == len(set(own)) == len(set(zip(own, ids, strict=True)))


def test_a_key_with_one_row_per_step_is_one_object_if_rows_are_objects():
    model = KeyedDMeans(exclusive=True)
    for X, _ in regimes(40):
        model.partial_fit(X, list(range(6)))
    assert model.n_clusters_ == 6


@pytest.mark.parametrize("stop", [3, 9, 31, 32, 33])
def test_the_first_rows_are_in_the_state_file(stop):
    straight, resumed = KeyedDMeans(), KeyedDMeans()
    for step, (X, _) in enumerate(regimes(40)):
        straight.partial_fit(X, list(range(6)))
        if step == stop:
            resumed = keyed_from_snapshot(keyed_to_snapshot(resumed))
        resumed.partial_fit(X, list(range(6)))
        assert resumed.labels_.tolist() == straight.labels_.tolist()
    assert resumed.birth_cost_ == straight.birth_cost_


def test_steps_with_several_rows_per_key_replace_the_first_rows():
    model = KeyedDMeans()
    for X, _ in regimes(10):
        model.partial_fit(X, list(range(6)))
    pooled = model.birth_cost_
    model.partial_fit([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0]], [0, 0, 0])
    assert model.birth_cost_ < 30 < pooled


def test_features_of_different_scale_are_reported_for_all_keys_once():
    rng = np.random.default_rng(0)
    X, keys = rng.normal(size=(200, 2)) * [1.0, 1e5], np.arange(200) % 20
    model = KeyedDMeans()
    with pytest.warns(dynmeans.ClusteringWarning, match=r"so X\[:, 0\] has no effect on the clusters"):
        model.partial_fit(X, keys)
    assert list(model.partial_fit(X, keys).warnings_) == ["scale"]
    assert KeyedDMeans().partial_fit(X / [1.0, 1e5], keys).warnings_ == {}
