"""`PersistentIds` with cosine similarity."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import special_ortho_group

import dynmeans
from dynmeans import PersistentIds
from dynmeans._files.snapshot import SnapshotError
from dynmeans.estimators import from_snapshot, to_snapshot


@st.composite
def streams(draw):
    """Batches of few rows in three dimensions with clusters in them, noise too."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 8), min_size=2, max_size=5))
    return [(rng.normal(size=(n, 3)), rng.integers(-1, 3, size=n)) for n in sizes]


def cosine(**params):
    return PersistentIds(metric="cosine", **params)


def follow(model, stream):
    return [model.update(X, labels).labels_.tolist() for X, labels in stream]


def unit(X):
    return X / np.linalg.norm(X, axis=-1, keepdims=True)


def link_cost_by_hand(state, directions, chosen, now, birth, lifetime, reach):
    """Cost of the links alone: a birth, or Q dt + g (1 - cos)."""
    g = (1 - 1 / lifetime) / reach
    return sum(
        birth if k is None else birth / lifetime * (now - state.last_seen[k]) + g * (1 - u @ state.centers[k])
        for u, k in zip(directions, chosen, strict=True)
    )


@given(streams(), st.floats(0.1, 1.5), st.floats(1.1, 6.0), st.floats(1.0, 3.0))
@settings(max_examples=60, deadline=None)
def test_no_other_linking_costs_less(stream, birth, lifetime, reach):
    model = cosine(birth_cost=birth, lifetime=lifetime, reach=reach)
    for step, (X, labels) in enumerate(stream, 1):
        before = model._remembered if step > 1 else None
        found = model.update(X, labels).labels_
        names = sorted(set(labels.tolist()) - {-1})
        if before is None or not names:
            continue
        directions = [unit(unit(X[labels == name]).sum(axis=0)) for name in names]
        n_old = len(before.ids)
        args = (step, birth, lifetime, reach)
        best = min(
            link_cost_by_hand(before, directions, chosen, *args)
            for chosen in set(permutations([*range(n_old), *[None] * len(names)], len(names)))
        )
        ids = [int(found[labels == name][0]) for name in names]
        chosen = [int(np.searchsorted(before.ids, k)) if k in before.ids else None for k in ids]
        assert link_cost_by_hand(before, directions, chosen, *args) == pytest.approx(best)


@given(streams(), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_lengths_of_rows_and_rotations_change_no_label(stream, seed):
    rng = np.random.default_rng(seed)
    expected = follow(cosine(), stream)
    assert follow(cosine(), [(X * rng.uniform(0.1, 9, (len(X), 1)), y) for X, y in stream]) == expected
    turn = special_ortho_group(3, seed=rng).rvs()
    assert follow(cosine(), [(X @ turn, y) for X, y in stream]) == expected


@given(streams())
@settings(max_examples=30, deadline=None)
def test_centers_are_the_mean_directions_of_all_rows(stream):
    model, sums = cosine(lifetime=100), {}
    for X, labels in stream:
        for x, k in zip(unit(X), model.update(X, labels).labels_, strict=True):
            sums[k] = sums.get(k, 0.0) + x
    for k, center, weight in zip(
        model.cluster_ids_, model.cluster_centers_, model.cluster_weights_, strict=True
    ):
        assert center == pytest.approx(unit(sums[k]))
        assert weight == pytest.approx(np.linalg.norm(sums[k]))


def test_a_cluster_is_new_beyond_reach_times_the_birth_cost_one_step_later():
    for reach in (1.0, 2.0):
        for share, persists in ((0.999, True), (1.001, False)):
            angle = np.arccos(1 - 0.4 * reach * share)
            model = cosine(birth_cost=0.4, lifetime=5, reach=reach).update([[1.0, 0.0]], [0])
            model.update([[np.cos(angle), np.sin(angle)]], [0])
            assert (model.labels_[0] == 0) == persists


def test_the_automatic_birth_cost_is_half_the_distance_between_clusters():
    model = cosine().update([[1.0, 0, 0]], [0])
    assert model.birth_cost_ == 0.5
    for _ in range(99):
        model.update([[1.0, 0, 0], [0.6, 0.8, 0]], [0, 1])
    assert model.birth_cost_ == pytest.approx((0.5 + 99 * 0.2) / 100)


def test_the_cost_of_a_step_is_in_one_minus_cosine():
    model = cosine(birth_cost=0.4, aging_cost=0.1).update([[2.0, 0], [0, 3.0]], [0, 0])
    assert model.step_.cost == pytest.approx(0.4 + 2 * (1 - np.sqrt(0.5)))
    weight = model.cluster_weights_[0]
    model.update([[1.0, 1.0]], [0])
    assert model.step_.cost == pytest.approx(0.1)
    assert model.cluster_weights_[0] == pytest.approx(weight + 1)


def test_predict_and_transform_compare_directions():
    model = cosine().update([[1.0, 0], [0, 1.0]], [0, 1])
    assert model.predict([[100.0, 99.0], [0.01, 0.02]]).tolist() == [0, 1]
    assert model.transform([[3.0, 4.0]]) == pytest.approx(np.array([[0.4, 0.2]]))


def test_rows_that_cancel_and_rows_without_direction():
    model = cosine(birth_cost=0.5).update([[1.0, 0], [-1.0, 0]], [0, 0])
    assert np.linalg.norm(model.cluster_centers_) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="row 1 is all zeros; metric='cosine' needs rows with a direction"):
        model.update([[1.0, 0], [0, 0]], [0, 0])
    tiny = cosine(birth_cost=0.5).update([[1e-140, 0], [0, 1e140]], [0, 1])
    assert tiny.cluster_centers_ == pytest.approx(np.eye(2))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rbf"}, "metric='cosine' compares clusters without a kernel"),
        ({"motion": "velocity"}, "motion must be one of .*walk.* with metric='cosine', got 'velocity'"),
        ({"metric": "cosinus"}, "metric must be one of .*'cosine'.*, got 'cosinus'"),
        ({"noise": True}, "noise must be one of .*'nearest'.*, got True"),
    ],
)
def test_an_invalid_parameter_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        PersistentIds(**{"metric": "cosine"} | parameters).update([[1.0]], [0])


def test_save_load_continue_equals_never_stopping(tmp_path):
    rng = np.random.default_rng(0)
    stream = [(rng.normal(size=(20, 4)), rng.integers(-1, 4, 20)) for _ in range(12)]
    model, expected = cosine(noise="nearest"), follow(cosine(noise="nearest"), stream)
    found = []
    for X, labels in stream:
        found.append(model.update(X, labels).labels_.tolist())
        model.save(tmp_path / "m")
        model = dynmeans.load(tmp_path / "m")
    assert found == expected
    snapshot = to_snapshot(model)
    with pytest.raises(SnapshotError, match="wrong array 'scale'"):
        from_snapshot(snapshot._replace(arrays=snapshot.arrays | {"scale": np.zeros(5)}))


def test_time_passes_and_forecasts_are_unit_vectors():
    model = cosine(birth_cost=0.4, lifetime=3).update([[2.0, 0], [0, 3.0]], [0, 1], items=["a", "b"])
    model.partial_fit(np.empty((0, 2)))
    assert model.step_.asleep.tolist() == [0, 1]
    assert model.forecast().positions == pytest.approx(np.eye(2))
    for _ in range(3):
        model.partial_fit(np.empty((0, 2)))
    assert model.n_clusters_ == 0
    assert len(model._state.memory.items) == 0
    assert model.predict([[1.0, 1.0]]).tolist() == [-1]
