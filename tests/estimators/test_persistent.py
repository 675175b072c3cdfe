"""Persistent ids for the clusters of any clusterer."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dynmeans
from dynmeans import DMeans, PersistentIds
from dynmeans._files.snapshot import SnapshotError
from dynmeans.datasets import moving_gaussians, moving_rings
from dynmeans.metrics import tracking_accuracy


@st.composite
def labeled_streams(draw):
    """Batches of few rows with clusters in them, noise too."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_features = draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=5))
    return [(rng.normal(size=(n, n_features)), rng.integers(-1, 3, size=n)) for n in sizes]


def follow(model, stream):
    return [model.update(X, labels).labels_.tolist() for X, labels in stream]


def cheapest_by_hand(state, X, labels, birth, lifetime, drift, now):
    """Lowest cost of all links of groups to old clusters: births, revivals and squared distances."""
    names = sorted(set(labels.tolist()) - {-1})
    rows = [X[labels == name] for name in names]
    spread = sum(((r - r.mean(axis=0)) ** 2).sum() for r in rows)
    best = np.inf
    for chosen in set(permutations([*range(len(state.ids)), *[None] * len(names)], len(names))):
        total = 0.0
        for r, k in zip(rows, chosen, strict=True):
            if k is None:
                total += birth
                continue
            age = now - state.last_seen[k]
            gamma = 1 / (1 / state.weights[k] + drift * age)
            squared = ((r.mean(axis=0) - state.centers[k]) ** 2).sum()
            total += birth / lifetime * age + gamma * len(r) / (gamma + len(r)) * squared
        best = min(best, total)
    return best + spread


@given(labeled_streams(), st.floats(0.05, 5.0), st.floats(1.1, 6.0), st.floats(0.0, 4.0))
@settings(max_examples=80, deadline=None)
def test_no_other_linking_costs_less(stream, birth, lifetime, drift):
    model = PersistentIds(birth_cost=birth, aging_cost=birth / lifetime, drift=drift)
    for step, (X, labels) in enumerate(stream, 1):
        before = model._remembered if step > 1 else None
        model.update(X, labels)
        if before is not None:
            expected = cheapest_by_hand(before, X, labels, birth, lifetime, drift, step)
            assert model.step_.cost == pytest.approx(expected)


@given(labeled_streams(), st.integers(0, 2**32 - 1), st.sampled_from([None, "rbf"]))
@settings(max_examples=50, deadline=None)
def test_the_names_of_the_clusters_in_a_batch_change_no_id(stream, seed, kernel):
    rng = np.random.default_rng(seed)
    renamed = [(X, np.append(rng.permutation(50)[:3], -1)[labels]) for X, labels in stream]
    assert follow(PersistentIds(kernel=kernel), renamed) == follow(PersistentIds(kernel=kernel), stream)


@given(labeled_streams(), st.sampled_from([None, "rbf"]))
@settings(max_examples=50, deadline=None)
def test_noise_stays_noise_and_rows_of_a_cluster_stay_together(stream, kernel):
    for (_, labels), found in zip(stream, follow(PersistentIds(kernel=kernel), stream), strict=True):
        pairs = set(zip(labels.tolist(), found, strict=True))
        assert len(pairs) == len(set(labels.tolist())) == len({new for _, new in pairs})
        assert all((old == -1) == (new == -1) for old, new in pairs)


@pytest.mark.parametrize("motion", ["walk", "velocity"])
@pytest.mark.parametrize("clusterer", [KMeans(5, random_state=0), HDBSCAN(copy=True)])
def test_other_units_and_another_origin_change_no_label(clusterer, motion):
    stream = moving_gaussians(n_steps=15, random_state=3)
    found = [clusterer.fit_predict(X) for X in stream.batches]
    expected = follow(PersistentIds(motion=motion), zip(stream.batches, found, strict=True))
    for change in (lambda X: 1000.0 * X, lambda X: X + 1e6, lambda X: X * 1e-6):
        moved = [(change(X), labels) for X, labels in zip(stream.batches, found, strict=True)]
        assert follow(PersistentIds(motion=motion), moved) == expected


def test_a_cluster_comes_back_under_its_id_until_it_is_forgotten():
    here, there = np.zeros((5, 1)), np.full((5, 1), 9.0)
    model = PersistentIds(birth_cost=1.0, lifetime=3.5)
    both = np.concatenate([here, there])
    first = model.update(both, np.repeat([0, 1], 5)).labels_
    for _ in range(2):
        model.update(here, np.zeros(5, int))
    assert model.update(there, np.zeros(5, int)).labels_.tolist() == [first[-1]] * 5
    assert model.step_.revived.tolist() == [first[-1]]
    for _ in range(4):
        model.update(here, np.zeros(5, int))
    assert model.step_.died.tolist() == [first[-1]]
    assert model.update(there, np.zeros(5, int)).labels_.tolist() == [2] * 5


def test_a_large_cluster_is_found_again_up_to_reach_times_the_birth_cost():
    crowd = np.zeros((100_000, 1))
    for reach in (1.0, 2.5):
        for distance, goes_on in ((0.999, True), (1.001, False)):
            model = PersistentIds(birth_cost=4.0, lifetime=7, reach=reach).update(
                crowd, crowd[:, 0].astype(int)
            )
            model.update(crowd + distance * 2.0 * np.sqrt(reach), crowd[:, 0].astype(int))
            assert (model.labels_[0] == 0) == goes_on


def test_velocity_follows_what_keeps_its_speed():
    def runner(t):
        return np.array([[4.0 * t], [4.0 * t + 0.1], [1000.0], [1000.1]])

    def ids(motion):
        model = PersistentIds(birth_cost=9.0, reach=2, motion=motion)
        return [model.update(runner(t + t**2 / 20), [0, 0, 1, 1]).labels_[0] for t in range(12)]

    assert len(set(ids("velocity"))) == 1
    assert len(set(ids("walk"))) > 1


def test_event_time_ages_clusters():
    model = PersistentIds(birth_cost=1.0, lifetime=3).update([[0.0], [9.0]], [0, 1], t=0.0)
    model.update([[0.0]], [0], t=2.0)
    model.update([[0.0]], [0], t=3.5)
    assert model.step_.died.tolist() == [1]
    with pytest.raises(ValueError, match="time must not go backwards"):
        model.update([[0.0]], [0], t=3.0)


def test_a_weight_counts_as_copies_and_none_as_absence():
    X, labels = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])
    model = PersistentIds(birth_cost=1.0).update(X, labels, sample_weight=[3, 1, 0])
    twin = PersistentIds(birth_cost=1.0).update(X[[0, 0, 0, 1]], labels[[0, 0, 0, 1]])
    np.testing.assert_array_equal(model.cluster_centers_, twin.cluster_centers_)
    assert model.labels_.tolist() == [0, 0, 0]


def test_weights_reach_a_clusterer_that_takes_them():
    X = [[0.0], [0.1], [5.0], [5.1]]
    model = PersistentIds(DBSCAN(eps=0.5, min_samples=4))
    assert model.partial_fit(X).labels_.tolist() == [-1] * 4
    assert model.partial_fit(X, sample_weight=[2, 2, 1, 1]).labels_.tolist() == [0, 0, -1, -1]
    assert PersistentIds(HDBSCAN(2, copy=True)).partial_fit(X, sample_weight=[1, 2, 1, 1]).labels_.shape == (
        4,
    )


@pytest.mark.parametrize("kernel", [None, "rbf", "mst"])
def test_a_batch_of_noise_puts_all_clusters_to_sleep(kernel, tmp_path):
    model = PersistentIds(kernel=kernel)
    assert model.update([[0.0], [1.0]], [-1, -1]).labels_.tolist() == [-1, -1]
    assert model.predict([[0.0]]).tolist() == [-1]
    assert model.transform([[0.0]]).shape == (1, 0)
    model.save(tmp_path / "m")
    model = dynmeans.load(tmp_path / "m")
    X = [[0.0], [0.1], [8.0], [8.1]]
    assert model.update(X, [0, 0, 1, 1]).step_.born.tolist() == [0, 1]
    assert model.update(X, [-1] * 4).step_.asleep.tolist() == [0, 1]
    assert model.update(X, [1, 1, 0, 0]).step_.revived.tolist() == [0, 1]


@pytest.mark.parametrize(
    "parameters",
    [{}, {"motion": "velocity"}, {"kernel": "rbf"}, {"kernel": "rbf", "motion": "align", "budget": 10}],
    ids=str,
)
def test_save_load_continue_equals_never_stopping(tmp_path, parameters):
    batches = moving_gaussians(n_steps=16, random_state=1).batches
    whole = PersistentIds(KMeans(5), random_state=3, **parameters)
    expected = [step.labels.tolist() for step in whole.stream(batches)]
    model = PersistentIds(KMeans(5), random_state=3, **parameters)
    found = [step.labels.tolist() for step in model.stream(batches[:7])]
    model.save(tmp_path / "m")
    again = dynmeans.load(tmp_path / "m", estimator=KMeans(5))
    found += [step.labels.tolist() for step in again.stream(batches[7:])]
    assert found == expected
    assert again.history_ == whole.history_
    assert again.birth_cost_ == whole.birth_cost_


def test_a_loaded_model_has_no_clusterer_until_it_is_given_one(tmp_path):
    X = [[0.0], [0.1], [5.0], [5.1]]
    PersistentIds(KMeans(2), random_state=0).fit(X).save(tmp_path / "m")
    model = dynmeans.load(tmp_path / "m")
    assert model.estimator is None
    with pytest.raises(ValueError, match=r"load\(path, estimator=\.\.\.\) for a saved model"):
        model.partial_fit(X)
    assert sorted(set(model.update(X, [1, 1, 0, 0]).labels_)) == [0, 1]
    assert sorted(set(model.set_params(estimator=KMeans(2)).partial_fit(X).labels_)) == [0, 1]
    DMeans(birth_cost=1.0).fit(X).save(tmp_path / "d")
    with pytest.raises(ValueError, match="holds a DMeans, which takes no estimator"):
        dynmeans.load(tmp_path / "d", estimator=KMeans(2))


def test_a_state_file_whose_scale_is_garbled_is_refused():
    from dynmeans.estimators import from_snapshot, to_snapshot

    snapshot = to_snapshot(PersistentIds().update([[0.0], [1.0]], [0, 1]))
    for scale in (snapshot.arrays["scale"][:-1], snapshot.arrays["scale"] * np.nan):
        with pytest.raises(SnapshotError, match="wrong array 'scale'"):
            from_snapshot(snapshot._replace(arrays=snapshot.arrays | {"scale": scale}))


def test_randomness_of_the_clusterer_comes_from_our_seed_alone():
    X = np.random.default_rng(0).normal(size=(60, 2))

    class RandomLabels(ClusterMixin, BaseEstimator):
        def __init__(self, random_state=None):
            self.random_state = random_state

        def fit(self, X, y=None):
            self.labels_ = np.random.default_rng(self.random_state).integers(4, size=len(X))
            return self

    def two_steps(estimator):
        model = PersistentIds(estimator, random_state=5)
        return model.partial_fit(X).step_.labels, model.partial_fit(X).step_.labels

    first, second = two_steps(RandomLabels())
    np.testing.assert_array_equal([first, second], two_steps(RandomLabels()))
    piped = make_pipeline(StandardScaler(), RandomLabels())
    np.testing.assert_array_equal(two_steps(piped), two_steps(piped))
    groups = [{frozenset(np.flatnonzero(labels == k)) for k in set(labels)} for labels in (first, second)]
    assert groups[0] != groups[1]


def test_a_failing_clusterer_leaves_the_model_as_it_was():
    model = PersistentIds(KMeans(3), birth_cost=1.0, random_state=0).partial_fit(np.eye(3))
    kept = model.step_, model.cluster_centers_.copy(), model.history_
    with pytest.raises(ValueError, match="n_clusters"):
        model.set_params(estimator=KMeans(-3)).partial_fit(np.eye(3)[:2])
    assert model.step_ is kept[0]
    np.testing.assert_array_equal(model.cluster_centers_, kept[1])
    assert model.history_ == kept[2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": StandardScaler()}, "estimator must have a method fit_predict, got StandardScaler"),
        ({"kernel": "precomputed"}, "kernel must compare rows, got 'precomputed'"),
        ({"kernel": "rbf", "motion": "velocity"}, "motion must be one of .*align.* with a kernel"),
        ({"motion": "align"}, "motion must be one of"),
        ({"kernel": "rbf", "budget": 0}, "budget must be a whole number >= 1"),
        ({"reach": 0.5}, "reach must be a finite number >= 1"),
        ({"lifetime": 1}, "lifetime must be a finite number > 1"),
    ],
)
def test_an_invalid_parameter_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        PersistentIds(**parameters).update([[0.0]], [0])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0], "labels must have one entry for each of 2 rows"),
        ([0.5, 1.0], "labels must be a list of whole numbers"),
        ([[0], [1]], "labels must be a list of whole numbers"),
        ([0, -2], "got -2 in row 1"),
    ],
)
def test_invalid_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        PersistentIds().update([[0.0], [1.0]], labels)


def test_the_automatic_birth_cost_is_where_persistence_and_birth_are_equally_likely():
    """Many known Gaussians: the distance at which the two densities are equal, at odds of three to one."""
    rng = np.random.default_rng(0)
    n_clusters, n_features, motion, noise = 200, 3, 0.2, 0.05
    centers = rng.normal(0.0, 5.0, (n_clusters, n_features))
    labels = np.repeat(np.arange(n_clusters), 10)
    model = PersistentIds()
    for _ in range(30):
        model.update(centers[labels] + rng.normal(0.0, noise, (len(labels), n_features)), labels)
        centers = centers + rng.normal(0.0, motion, centers.shape)
    moved = motion**2 + 2 * noise**2 / 10
    spread = 25.0 + 15 * motion**2
    expected = moved * (n_features * np.log(1 + spread / moved) + 2 * np.log(3))
    assert model.birth_cost_ == pytest.approx(expected, rel=0.1)


def test_through_a_kernel_rings_around_each_other_keep_their_ids():
    """Their centers coincide, so only their shapes differ."""
    stream = moving_rings(n_steps=12, motion=0.01, random_state=0)
    pairs = list(zip(stream.batches, stream.labels, strict=True))
    shuffled = [(X, np.random.default_rng(t).permutation(3)[y]) for t, (X, y) in enumerate(pairs)]
    by_shape = follow(PersistentIds(kernel="rbf"), shuffled)
    by_center = follow(PersistentIds(), shuffled)
    assert tracking_accuracy(stream.labels, by_shape) == 1.0
    assert tracking_accuracy(stream.labels, by_center) < 0.7
