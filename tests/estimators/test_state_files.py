"""State files of version 0.1.0, and files that are well-formed but false."""

import json

import numpy as np
import pytest

import dynmeans
from dynmeans._files.snapshot import SnapshotError, read_snapshot
from dynmeans.estimators import from_snapshot, to_snapshot
from saved_models import FOLDER, SAVED

LABELS = json.loads((FOLDER / "labels.json").read_text())


def path_of(name):
    return FOLDER / f"{name}.dynmeans"


@pytest.mark.parametrize("name", SAVED)
def test_a_file_of_version_0_1_continues_with_the_same_labels(name):
    saved = SAVED[name]
    clusterer = getattr(saved.make(), "estimator", None)
    model = dynmeans.load(path_of(name), estimator=clusterer)
    assert saved.continued(model) == LABELS[name]


@pytest.mark.parametrize("name", SAVED)
def test_a_file_of_version_0_1_is_written_again_as_it_was(name):
    snapshot = read_snapshot(path_of(name))
    again = to_snapshot(from_snapshot(snapshot))
    kept = {key: value for key, value in snapshot.header.items() if key not in ("kind", "format", "arrays")}
    added = set(again.header["params"]) - set(kept["params"])  # parameters of later versions
    default = type(from_snapshot(snapshot))().get_params(deep=False)
    assert {name: again.header["params"].pop(name) for name in added} == {
        name: default[name] for name in added
    }
    known = again.header.pop("metric", None)  # of later versions, for D-Means
    assert known in (None, "euclidean")
    assert again.header == kept
    assert set(again.arrays) - set(snapshot.arrays) <= {"hits", "event_tentative"}
    assert set(again.arrays) >= set(snapshot.arrays)
    for key, values in snapshot.arrays.items():
        np.testing.assert_array_equal(again.arrays[key], values)


def changed(name, header=None, arrays=None):
    snapshot = read_snapshot(path_of(name))
    arrays = {key: change(snapshot.arrays[key].copy()) for key, change in (arrays or {}).items()}
    return snapshot._replace(header=snapshot.header | (header or {}), arrays=snapshot.arrays | arrays)


def param(name, **values):
    return {"params": read_snapshot(path_of(name)).header["params"] | values}


def with_entry(index, value):
    def change(array):
        array[index] = value
        return array

    return change


WALK, MOVES, RBF, MATRIX, IDS = (
    "dmeans-walk",
    "dmeans-velocity",
    "kdmeans-rbf",
    "kdmeans-precomputed",
    "ids-dbscan",
)
FALSE_HEADERS = [
    (WALK, {"n_features": 3}, r"wrong array 'centers': float64 \(3, 2\) instead of float64 \(3, 3\)"),
    (WALK, {"n_features": 1}, "wrong array 'centers'"),
    (WALK, {"n_features": 2.0}, "n_features=2.0"),
    (RBF, {"n_features": 500}, "wrong array 'centers'"),
    (IDS, {"n_features": 1}, "wrong array 'centers'"),
    (WALK, {"next_id": 2**62}, "next_id=4611686018427387904"),
    (WALK, {"next_id": 2}, "ids must be below next_id=2, got 2"),
    (WALK, {"n_steps": 0}, "n_steps=0"),
    (WALK, {"clock": "noon"}, "clock='noon'"),
    (WALK, {"clock": -9.0}, "no cluster may be seen after clock=-9.0"),
    (WALK, {"seed": 2**64}, "seed=18446744073709551616"),
    (WALK, {"seed": True}, "seed=True"),
    (WALK, {"guesses": [1.0] * 6}, "at most 5 numbers"),
    (WALK, {"guesses": "11"}, "estimates='11'"),
    (WALK, {"birth_cost": 0}, "birth_cost=0"),
    (WALK, {"feature_names": ["a"]}, "1 feature names for 2 features"),
    (WALK, {"feature_names": [1, 2]}, "list of names"),
    (WALK, {"params": [1]}, r"params=\[1\]"),
    (WALK, {"kernel": {"kernel": "rbf"}}, "DMeans with a kernel"),
    (WALK, param(WALK, lifetime=-0.5), "lifetime must be a finite number > 0, got -0.5"),
    (WALK, param(WALK, reach=-1), "reach must be a finite number >= 1"),
    (WALK, param(WALK, motion="fly"), "motion must be one of"),
    (WALK, param(WALK, n_restarts=0), "n_restarts must be a whole number >= 1, got 0"),
    (WALK, param(WALK, n_restarts=10**9), "n_restarts.*1000000000"),
    (WALK, param(WALK, n_jobs=10**6), "n_jobs.*1000000"),
    (WALK, param(WALK, max_iter=2**40), "max_iter.*1099511627776"),
    (WALK, param(WALK, history_size=2**70), "history_size"),
    (WALK, param(WALK, refine="yes"), "refine='yes'"),
    (WALK, param(WALK, exclusive="yes"), "exclusive='yes'"),
    (WALK, param(WALK, duplicates=2, exclusive=True), "duplicates=2"),
    (WALK, param(WALK, duplicates=True), "duplicates=True needs exclusive=True"),
    (WALK, param(WALK, min_hits=0), "min_hits must be a whole number >= 1"),
    (WALK, param(WALK, min_hits=2**62), "min_hits=4611686018427387904"),
    (WALK, param(WALK, birth_cost=[1.0]), "birth_cost"),
    (RBF, param(RBF, budget=0), "budget must be a whole number >= 1"),
    (RBF, param(RBF, selection="luck"), "selection must be one of"),
    (RBF, param(RBF, kernel="mst"), "RBF was estimated from MST"),
    (RBF, param(RBF, kernel=None), "KDMeans with a kernel"),
    (RBF, param(RBF, kernel={"kernel": "rbf", "bandwidth": "wide"}), "'bandwidth'='wide'"),
    (RBF, {"kernel": {"kernel": "rbf", "bandwidth": -1.0}}, "bandwidth is -1.0"),
    (RBF, {"kernel": {"kernel": "rbf", "max_dense": 0.5}}, "max_dense is 0.5; it must be an integer from 1"),
    (RBF, {"kernel": {"kernel": "rbf", "max_dense": None}}, "max_dense"),
    (RBF, {"kernel": {"kernel": "rbf", "width": 1.0}}, "no parameter 'width'"),
    (RBF, {"kernel": "rbf"}, "kernel='rbf'"),
    (
        "kdmeans-gp",
        {"kernel": {"kernel": "gaussian_process", "signal": 1e-160}},
        "noise / signal is 2",
    ),
]
FALSE_ARRAYS = [
    (WALK, {"ids": with_entry(0, -1)}, "ids must not be negative, got -1"),
    (WALK, {"ids": with_entry(0, 1)}, "ids must increase"),
    (WALK, {"ids": lambda a: a.astype(np.int32)}, "wrong array 'ids': int32"),
    (WALK, {"ids": lambda a: a[:-1]}, "wrong array 'centers'"),
    (WALK, {"ids": lambda a: a[:, None]}, "wrong array"),
    (WALK, {"weights": with_entry(1, 5e-324)}, "finite inverse"),
    (WALK, {"weights": with_entry(slice(None), 1.7e308)}, "finite sum"),
    (WALK, {"weights": with_entry(0, np.inf)}, "'weights': numbers that are not finite"),
    (WALK, {"last_seen": with_entry(0, 9.0)}, "no cluster may be seen after clock=4.0"),
    (WALK, {"centers": with_entry((0, 0), 1e200)}, r"centers must lie within ±1e\+152, got 1e\+200"),
    (WALK, {"velocity_cov": with_entry((0, 0), 1.0)}, "velocity_cov must be a covariance"),
    (MOVES, {"velocity_cov": with_entry((0, 1), -1.0)}, "variances must not be negative, got -1.0"),
    (MOVES, {"velocities": with_entry((0, 1), 1e300)}, "centers that move by velocities"),
    (MOVES, {"velocities": lambda a: a[:, :1]}, "wrong array 'velocities'"),
    (WALK, {"event_kind": with_entry(0, 200)}, "kinds of events must be below 7"),
    (WALK, {"event_id": with_entry(0, 99)}, "events must be of ids below 3"),
    (WALK, {"event_step": with_entry(0, 99)}, "events must be in order of time"),
    (WALK, {"event_step": with_entry(slice(None), 99)}, "events must be of steps 1 .. 4"),
    (WALK, {"event_time": with_entry(-1, 99.0)}, "no event may be after clock=4.0"),
    (WALK, {"event_cost": with_entry(0, -1.0)}, "costs of events must not be negative"),
    (WALK, {"event_n_others": with_entry(0, -1)}, "numbers of other clusters"),
    (WALK, {"event_n_others": with_entry(0, 1)}, "numbers of other clusters|other clusters, events have"),
    (RBF, {"support_ids": with_entry(0, 2)}, "ids of support points must not decrease"),
    (RBF, {"support_ids": with_entry(slice(None), 0)}, "support points and clusters must match"),
    (RBF, {"support_rows": lambda a: a[:, :1]}, "wrong array 'support_rows'"),
    (RBF, {"support_coefficients": with_entry(0, 1e300)}, "coefficients must lie within"),
    (RBF, {"origins": lambda a: np.zeros((1, 2), dtype=np.int64)}, "wrong array 'origins'"),
    (MATRIX, {"origins": with_entry((0, 0), 99)}, "support points must come from steps 1 .. 4"),
    (MATRIX, {"origins": with_entry((0, 1), -1)}, "must have row numbers"),
    (MATRIX, {"origins": lambda a: np.repeat(a[:1], len(a), axis=0)}, "no point may be kept twice"),
    (MATRIX, {"support_rows": with_entry((0, 1), 9.0)}, "must be symmetric"),
    (IDS, {"scale": with_entry(-1, 0.5)}, "0.5 batches were counted"),
    (IDS, {"scale": with_entry(-1, 99.0)}, "99.0 batches were counted"),
    (IDS, {"scale": with_entry(3, -1.0)}, "must not be negative, got -1.0"),
    (IDS, {"scale": with_entry(0, 1e300)}, "the mean of all rows must lie within"),
    (IDS, {"scale": lambda a: a[1:]}, "wrong array 'scale'"),
    ("ids-kernel", {"scale": lambda a: np.array([1.0, 0.0])}, "distances of no batch"),
]


@pytest.mark.parametrize(("name", "header", "message"), FALSE_HEADERS)
def test_false_headers_are_refused_in_one_line(name, header, message):
    with pytest.raises(SnapshotError, match=message) as caught:
        from_snapshot(changed(name, header))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "arrays", "message"), FALSE_ARRAYS)
def test_false_arrays_are_refused_in_one_line(name, arrays, message):
    with pytest.raises(SnapshotError, match=message) as caught:
        from_snapshot(changed(name, None, arrays))
    assert "\n" not in str(caught.value)


def test_an_estimator_that_needs_a_kernel_has_one():
    snapshot = read_snapshot(path_of(RBF))
    del snapshot.header["kernel"]
    del snapshot.header["params"]["kernel"]
    with pytest.raises(SnapshotError, match="KDMeans without a kernel"):
        from_snapshot(snapshot)


def test_ages_must_be_finite():
    false = changed(WALK, {"clock": 1.7e308}, {"last_seen": with_entry(0, -1.7e308)})
    with pytest.raises(SnapshotError, match="ages of clusters must be finite"):
        from_snapshot(false)


@pytest.mark.parametrize("part", ["ids", "weights", "event_kind", "event_id", "velocities"])
def test_missing_arrays_are_named(part):
    snapshot = read_snapshot(path_of(WALK))
    del snapshot.arrays[part]
    with pytest.raises(SnapshotError, match=f"lacks .*'{part}'|wrong array"):
        from_snapshot(snapshot)


def test_the_file_is_named(tmp_path):
    path = tmp_path / "false"
    model = from_snapshot(read_snapshot(path_of(WALK)))
    model.n_features_in_ = 3
    model.save(path)
    with pytest.raises(SnapshotError, match="'.*false': the state file has a wrong array 'centers'"):
        dynmeans.load(path)
