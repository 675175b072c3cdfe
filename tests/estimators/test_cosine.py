"""D-Means on the sphere as an estimator: invariants, life cycle, limits and warnings."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import dynmeans
from dynmeans import DMeans
from dynmeans._files.snapshot import SnapshotError
from dynmeans.estimators import from_snapshot, to_snapshot
from dynmeans.metrics import identity_f1
from sphere_twin import unit
from strategies import seeds


def stream(seed, *, n_steps=6, d=8, n_clusters=4, noise=0.5, rows=25):
    """Directions around fixed ones, each present in most steps."""
    rng = np.random.default_rng(seed)
    means = unit(rng.normal(size=(n_clusters, d)))
    batches, truth = [], []
    for _ in range(n_steps):
        present = np.flatnonzero(rng.uniform(size=n_clusters) < 0.7)
        names = rng.choice(present if len(present) else [0], size=rows)
        batches.append(unit(means[names] + noise * rng.normal(size=(rows, d)) / np.sqrt(d)))
        truth.append(names)
    return batches, truth


def run(batches, times=None, **params):
    model = DMeans(metric="cosine", random_state=0, **params)
    times = [None] * len(batches) if times is None else times
    return [model.partial_fit(X, t=t).labels_.tolist() for X, t in zip(batches, times, strict=True)], model


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_rotation_changes_no_label(seed):
    batches, _ = stream(seed)
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(8, 8)))
    assert run(batches, birth_cost=0.6)[0] == run([X @ turn for X in batches], birth_cost=0.6)[0]


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_the_length_of_rows_changes_no_label(seed):
    batches, _ = stream(seed)
    rng = np.random.default_rng(seed)
    scaled = [X * 2.0 ** rng.integers(-40, 40, size=(len(X), 1)) for X in batches]
    assert run(batches)[0] == run(scaled)[0]


def test_tiny_and_huge_rows_have_directions():
    X = np.eye(3).repeat(4, axis=0)
    labels = run([X], birth_cost=0.5)[0]
    assert run([X * 1e-160], birth_cost=0.5)[0] == labels == run([X * 1e140], birth_cost=0.5)[0]


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_weight_n_equals_n_copies(seed):
    batches, _ = stream(seed, rows=12)
    weights = np.random.default_rng(seed).integers(1, 4, size=12)
    one, other = (DMeans(metric="cosine", birth_cost=0.6, random_state=0) for _ in range(2))
    for X in batches:
        one.partial_fit(X, sample_weight=weights)
        other.partial_fit(np.repeat(X, weights, axis=0))
        assert np.repeat(one.labels_, weights).tolist() == other.labels_.tolist()
        assert one.cluster_weights_ == pytest.approx(other.cluster_weights_)


def test_quiet_steps_equal_one_long_step():
    batches, _ = stream(3)
    params = {"birth_cost": 0.6, "lifetime": 5.0, "reach": 1.2}
    _, quiet = run([batches[0], np.empty((0, 8)), np.empty((0, 8)), batches[1]], **params)
    _, long = run([batches[0], batches[1]], times=[1.0, 4.0], **params)
    assert quiet.cluster_ids_.tolist() == long.cluster_ids_.tolist()
    assert quiet.cluster_weights_ == pytest.approx(long.cluster_weights_)


def test_a_cluster_sleeps_returns_under_its_id_and_dies():
    a, b = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    labels, model = run([np.vstack([a, b]), a, a, b, a, a, a, a, b], birth_cost=0.5, lifetime=3)
    assert labels[3] == labels[0][1:]
    assert labels[-1] == [2]
    assert [event.kind for event in model.history_].count("death") == 1


def test_weights_after_a_step_are_resultant_lengths():
    model = DMeans(metric="cosine", birth_cost=1.5).fit([[1.0, 0.0], [0.0, 2.0]])
    assert model.cluster_centers_[0] == pytest.approx(np.full(2, np.sqrt(0.5)))
    assert model.cluster_weights_ == pytest.approx([np.sqrt(2)])
    assert model.step_.cost == pytest.approx(1.5 + 2 - np.sqrt(2))


def test_reach_is_the_cosine_at_which_a_row_revives():
    for reach in (0.7, 1.0, 1.5):
        for margin, same in ((-0.01, True), (0.01, False)):
            model = DMeans(metric="cosine", birth_cost=0.6, lifetime=3, reach=reach)
            model.fit([[1.0, 0.0]], sample_weight=[1e9])
            cosine = 1 - reach * 0.6 - margin
            model.partial_fit([[cosine, np.sqrt(1 - cosine**2)]])
            assert (model.labels_[0] == 0) == same


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predict_agrees_with_a_single_row(dtype):
    batches, _ = stream(5)
    model = DMeans(metric="cosine", birth_cost=1.9, random_state=0)
    for X in batches:
        model.partial_fit(X.astype(dtype))
    rows = unit(np.random.default_rng(0).normal(size=(20, 8))).astype(dtype)
    predicted = model.predict(7 * rows)
    state = model.to_bytes() if hasattr(model, "to_bytes") else None
    assert state is None or predicted.shape == (20,)
    assert set(predicted.tolist()) <= set(model.cluster_ids_.tolist())
    cosines = rows @ model.cluster_centers_.T
    assert model.transform(3 * rows) == pytest.approx(1 - cosines, abs=1e-5)


def test_forecast_keeps_directions():
    _, model = run(stream(1)[0])
    found = model.forecast()
    assert np.linalg.norm(found.positions, axis=1) == pytest.approx(1.0)
    assert not found.velocities.any()


@given(seeds, st.booleans())
@settings(max_examples=20, deadline=None)
def test_the_lower_bound_is_below_the_cost(seed, weighted):
    batches, _ = stream(seed, rows=15)
    model = DMeans(metric="cosine", birth_cost=0.4, certify=True, random_state=0)
    for X in batches:
        weights = np.random.default_rng(seed).uniform(0.2, 3, size=15) if weighted else None
        step = model.partial_fit(X, sample_weight=weights).step_
        assert 0 <= step.lower_bound <= step.cost


def test_save_and_load_continue_alike(tmp_path):
    batches, _ = stream(2)
    _, model = run(batches[:3])
    model.save(tmp_path / "model.dynmeans")
    loaded = dynmeans.load(tmp_path / "model.dynmeans")
    assert loaded.metric == "cosine"
    for X in batches[3:]:
        assert loaded.partial_fit(X).labels_.tolist() == model.partial_fit(X).labels_.tolist()
        assert loaded.cluster_centers_.tolist() == model.cluster_centers_.tolist()


def test_a_state_file_with_centers_that_are_no_directions_is_refused(tmp_path):
    from dynmeans.estimators import from_snapshot, to_snapshot

    snapshot = to_snapshot(run(stream(2)[0][:2])[1])
    arrays = {**snapshot.arrays, "centers": 2.0 * snapshot.arrays["centers"]}
    with pytest.raises(ValueError, match="centers must be unit vectors"):
        from_snapshot(snapshot._replace(arrays=arrays))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"metric": "manhattan"}, "metric must be one of"),
        ({"metric": "cosine", "motion": "velocity"}, "motion must be 'walk' with metric='cosine'"),
        ({"metric": "cosine", "birth_cost": 2.5}, r"it must lie in \(0, 2\], got 2.5"),
        (
            {"metric": "cosine", "lifetime": 3.0, "reach": 0.5},
            "reach must be at least 1 - 1/lifetime = 0.66",
        ),
        ({"metric": "cosine", "birth_cost": 1.0, "reach": 3.0}, "at most 2/birth_cost = 2"),
        ({"metric": "cosine", "reach": 1.0, "drift": 1.0}, "give either lifetime and reach"),
    ],
)
def test_invalid_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        DMeans(**params).fit(np.eye(3))


def test_a_row_of_zeros_is_named():
    model = DMeans(metric="cosine").fit(np.eye(3))
    with pytest.raises(ValueError, match="row 1 is all zeros"):
        model.partial_fit([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="row 0 is all zeros"):
        model.predict(np.zeros((1, 3)))


def test_sparse_rows_are_refused_with_a_recipe():
    with pytest.raises(TypeError, match="X is a sparse matrix of 5 columns.*TruncatedSVD"):
        DMeans(metric="cosine").fit(csr_matrix(np.eye(5)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_unit_rows_with_many_features_suggest_the_cosine_metric(dtype):
    X = unit(np.random.default_rng(0).normal(size=(40, 64))).astype(dtype)
    with pytest.warns(UserWarning, match="metric='cosine'"):
        DMeans(birth_cost=1.0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DMeans(birth_cost=1.0).fit(2 * X)
        DMeans(metric="cosine").fit(X)


def test_a_common_direction_is_reported():
    batches, _ = stream(0, d=32, n_clusters=20, rows=100, noise=0.8)
    with pytest.warns(UserWarning, match="subtract the mean row"):
        DMeans(metric="cosine").fit(batches[0] + 2 * np.eye(32)[0])


def test_separate_directions_are_found_without_parameters():
    batches, truth = stream(0, d=64, n_clusters=30, rows=300, noise=1.0)
    labels, _ = run(batches)
    assert identity_f1(truth, labels) > 0.95


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_refined_labels_depend_on_neither_rotation_nor_length(seed):
    batches, _ = stream(seed)
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(8, 8)))
    moved = [(X @ turn) * 2.0 ** rng.integers(-40, 40, size=(len(X), 1)) for X in batches]
    params = {"birth_cost": 0.6, "refine": True}
    assert run(batches, **params)[0] == run(moved, **params)[0]


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_refinement_counts_weight_n_as_n_copies(seed):
    batches, _ = stream(seed, rows=12)
    weights = np.random.default_rng(seed).integers(1, 4, size=12)
    one, other = (DMeans(0.6, metric="cosine", refine=True, random_state=0) for _ in range(2))
    for X in batches:
        one.partial_fit(X, sample_weight=weights)
        other.partial_fit(np.repeat(X, weights, axis=0))
        assert np.repeat(one.labels_, weights).tolist() == other.labels_.tolist()


def test_a_refined_step_has_a_lower_bound_and_continues_after_a_save(tmp_path):
    batches, _ = stream(4)
    _, model = run(batches[:3], refine=True, certify=True)
    assert model.parameters_.refine
    assert 0 <= model.step_.lower_bound <= model.step_.cost
    model.save(tmp_path / "model.dynmeans")
    loaded = dynmeans.load(tmp_path / "model.dynmeans")
    for X in batches[3:]:
        assert loaded.partial_fit(X).labels_.tolist() == model.partial_fit(X).labels_.tolist()


@pytest.mark.parametrize("unit_of_time", [0.05, 86400.0])
def test_the_default_lifetime_does_not_depend_on_the_unit_of_time(unit_of_time, tmp_path):
    """Every topic had a new id each day, if times were in seconds."""
    batches, _ = stream(3, n_steps=12)
    by_step, _ = run(batches)
    times = [unit_of_time * i for i in range(len(batches))]
    by_time, model = run(batches, times)
    assert by_time == by_step
    assert model.parameters_.lifetime == pytest.approx(8 * unit_of_time)
    _, saved = run(batches[:3], times[:3])
    saved.save(tmp_path / "model.dynmeans")
    loaded = dynmeans.load(tmp_path / "model.dynmeans")
    rest = zip(batches[3:], times[3:], strict=True)
    assert [loaded.partial_fit(X, t=t).labels_.tolist() for X, t in rest] == by_time[3:]


@pytest.mark.parametrize(
    ("times", "message"), [([1.0], "2 numbers"), ([2.0, 1.0], "in order"), ([1, 9], "order")]
)
def test_wrong_times_of_a_state_file_are_refused(times, message):
    snapshot = to_snapshot(run(stream(0)[0][:2])[1])
    assert snapshot.header["times"] == [1.0, 2.0]
    with pytest.raises(SnapshotError, match=message):
        from_snapshot(snapshot._replace(header=snapshot.header | {"times": times}))


def test_the_metric_of_unit_rows_is_cosine():
    batches, truth = stream(0, d=64, n_clusters=30, rows=300, noise=1.0)
    given_metric, _ = run(batches)
    model = DMeans(random_state=0)
    labels = [model.partial_fit(X).labels_.tolist() for X in batches]
    assert labels == given_metric
    assert (model.metric_, model.parameters_.metric) == ("cosine", "cosine")
    assert identity_f1(truth, labels) > 0.95
    assert np.linalg.norm(model.cluster_centers_, axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "params",
    [{"birth_cost": 1.0}, {"motion": "velocity"}, {"exclusive": True}, {"reach": 2.0}, {"drift": 0.1}],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_parameters_of_distances_keep_the_euclidean_metric(params):
    X = unit(np.random.default_rng(0).normal(size=(40, 64)))
    one, other = DMeans(random_state=0, **params), DMeans(random_state=0, metric="euclidean", **params)
    assert one.fit(X).labels_.tolist() == other.fit(X).labels_.tolist()
    assert one.metric_ == "euclidean"


def test_the_metric_is_chosen_at_the_first_rows_and_kept(tmp_path):
    X = unit(np.random.default_rng(0).normal(size=(40, 64)))
    model = DMeans(random_state=0).partial_fit(np.empty((0, 64)))
    assert model.metric_ is None
    model.save(tmp_path / "empty.dynmeans")
    assert dynmeans.load(tmp_path / "empty.dynmeans").metric_ is None
    model.partial_fit(X)
    model.partial_fit(3 * X)
    assert model.metric_ == "cosine"
    model.save(tmp_path / "model.dynmeans")
    loaded = dynmeans.load(tmp_path / "model.dynmeans")
    assert loaded.metric_ == "cosine"
    assert loaded.predict(5 * X).tolist() == model.predict(X).tolist()
    assert model.fit(3 * X).metric_ == "euclidean"


def test_tune_chooses_the_metric_too():
    batches, _ = stream(0, d=40, n_clusters=6, rows=60, noise=1.0)
    found = dynmeans.tune(batches, motions=("walk", "velocity"), budget=8, n_jobs=1, random_state=0)
    assert found.best_estimator_.metric == "cosine"
    assert found.best_params_["metric"] == "cosine"
    assert set(np.asarray(found.table_["refine"]).tolist()) == {False, True}
