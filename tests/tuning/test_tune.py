from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from threadpoolctl import threadpool_info, threadpool_limits

from dynmeans import DMeans, PersistentIds, SDMeans, tune
from dynmeans.datasets import moving_gaussians
from dynmeans.kernels import RBF
from dynmeans.metrics import tracking_accuracy
from dynmeans.tuning._diagnostics import comoving_clusters


@pytest.fixture(scope="module")
def stream() -> Any:
    return moving_gaussians(3, 24, noise=0.03, motion=0.03, death=0.02, random_state=2)


@pytest.fixture(scope="module")
def found(stream: Any) -> Any:
    return tune(stream.batches[:12], budget=24, random_state=0, n_jobs=1)


@pytest.mark.filterwarnings("ignore::dynmeans.ClusteringWarning")
def test_a_tuned_model_follows_the_rest_of_the_stream(stream: Any, found: Any) -> None:
    model = deepcopy(found.best_estimator_)
    assert model.n_steps_ == 12
    rest = [step.labels for step in model.stream(stream.batches[12:])]
    assert tracking_accuracy(stream.labels[12:], rest) > 0.8


def test_best_params_reproduce_the_best_estimator(stream: Any, found: Any) -> None:
    again = DMeans(**found.best_params_, random_state=found.best_estimator_.random_state)
    fresh = tune(stream.batches[:12], budget=24, random_state=0, n_jobs=1).best_estimator_
    for X in stream.batches[:12]:
        again.partial_fit(X)
    np.testing.assert_array_equal(again.cluster_centers_, fresh.cluster_centers_)


def test_threads_change_nothing(stream: Any, found: Any) -> None:
    side_by_side = tune(stream.batches[:12], budget=24, random_state=0, n_jobs=3)
    for name, column in found.table_.items():
        np.testing.assert_array_equal(column, side_by_side.table_[name])


def test_trials_have_one_blas_thread_each_and_the_limit_ends_with_the_search(stream: Any) -> None:
    def threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        seen: list[set[int]] = []
        tune(stream.batches[:2], budget=2, random_state=0, on_trial=lambda trial: seen.append(threads()))
        assert seen
        assert all(each == {1} for each in seen)
        assert threads() == {2}


def test_the_table_has_every_trial_and_the_best_first(found: Any) -> None:
    table = found.table_
    assert {len(column) for column in table.values()} == {24}
    assert table["birth_cost"][0] == found.best_params_["birth_cost"]
    assert (np.diff(table["score"][8:]) >= 0).all()
    assert found.runner_up_["birth_cost"] == table["birth_cost"][1]
    assert "24 trials" in repr(found)


@pytest.mark.parametrize("change", [lambda X: 1000 * X, lambda X: X + 1e6])
def test_scale_and_translation_change_no_label(stream: Any, found: Any, change: Any) -> None:
    moved = tune([change(X) for X in stream.batches[:12]], budget=24, random_state=0)
    for X in stream.batches[12:]:
        np.testing.assert_array_equal(
            moved.best_estimator_.predict(change(X)), found.best_estimator_.predict(X)
        )


def test_with_labels_the_score_is_one_minus_accuracy(stream: Any) -> None:
    found = tune(stream.batches[:12], budget=16, random_state=0, labels=stream.labels[:12])
    assert 0 <= found.best_score_ < 0.1


def test_motion_is_chosen_on_request() -> None:
    rng = np.random.default_rng(0)
    starts = np.array([[0.0, 0.0], [0.0, 1.0], [20.0, 0.5]])
    speeds = np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    batches = [np.repeat(starts + t * speeds, 12, axis=0) + 0.1 * rng.normal(size=(36, 2)) for t in range(14)]
    found = tune(batches, budget=40, motions=("walk", "velocity"), random_state=0)
    assert set(found.table_["motion"]) == {"walk", "velocity"}
    assert "motion" in found.best_params_


def test_time_in_other_units_gives_the_same_labels(stream: Any, found: Any) -> None:
    seconds = [{"X": X, "t": 0.04 * t} for t, X in enumerate(stream.batches[:12])]
    timed = tune(seconds, budget=24, random_state=0)
    modes = {"motion", "refine", "exclusive"}
    assert set(timed.best_params_) == {"birth_cost", "lifetime", "reach", "interval", *modes}
    np.testing.assert_array_equal(timed.best_estimator_.labels_, found.best_estimator_.labels_)


@pytest.mark.parametrize("strategy", ["grid", "paper"])
def test_other_strategies_stay_within_the_budget(stream: Any, strategy: Any) -> None:
    found = tune(stream.batches[:8], budget=20, strategy=strategy, random_state=0)
    births = set(found.table_["birth_cost"])
    assert 8 <= len(found.table_["score"]) <= 20
    assert len(births) == 1 if strategy == "paper" else len(births) > 2


def test_a_study_is_resumed(stream: Any, tmp_path: Path) -> None:
    pytest.importorskip("optuna", reason='pip install "dynmeans[tune]"')
    storage = tmp_path / "study.log"
    arguments: dict[str, Any] = {"strategy": "optuna", "storage": storage, "random_state": 0}
    begun = tune(stream.batches[:6], budget=9, **arguments)
    tried: list[Any] = []
    done = tune(stream.batches[:6], budget=12, **arguments, on_trial=tried.append)
    # Three trials, eight finalists, and perhaps the estimate and one with another motion.
    assert 3 + 8 <= len(tried) <= 3 + 10
    assert set(begun.table_["birth_cost"]) < set(done.table_["birth_cost"])
    with pytest.raises(ValueError, match="other data"):
        tune([2 * X for X in stream.batches[:6]], budget=12, **arguments)


@pytest.mark.parametrize("text", ["not a study\n", '{"a": 1}\n', "[1, 2]\n"])
def test_a_file_that_is_not_a_study_is_rejected_and_unchanged(stream: Any, tmp_path: Path, text: str) -> None:
    pytest.importorskip("optuna", reason='pip install "dynmeans[tune]"')
    storage = tmp_path / "notes.txt"
    storage.write_text(text)
    with pytest.raises(ValueError, match=r"notes\.txt: not a study of dynmeans"):
        tune(stream.batches[:6], budget=9, strategy="optuna", storage=storage)
    assert storage.read_text() == text


@pytest.mark.parametrize("strategy", ["refine", "grid"])
def test_the_defaults_and_one_cluster_are_always_tried(stream: Any, strategy: Any) -> None:
    model = DMeans(random_state=0)
    for batch in stream.batches:
        model.partial_fit(batch)
    tried: list[Any] = []
    tune(stream.batches, budget=8, strategy=strategy, random_state=0, on_trial=tried.append)
    default = model.parameters_
    names = ("birth_cost", "lifetime", "reach", "motion", "refine", "exclusive")
    wanted = {name: getattr(default, name) for name in names}
    assert any(trial.params == pytest.approx(wanted) for trial in tried)
    assert any(trial.n_ids == 1 for trial in tried)


def test_one_cluster_gives_a_warning() -> None:
    rng = np.random.default_rng(0)
    found = tune([rng.normal(size=(60, 2)) for _ in range(6)], budget=24, random_state=0)
    assert found.table_["n_clusters"][0] == 1
    assert "one cluster" in found.notes_[0]


def test_batches_without_motion_give_a_warning(found: Any) -> None:
    rng = np.random.default_rng(0)
    positions = np.repeat([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], 20, axis=0)
    plain = DMeans(motion="walk", refine=False, exclusive=False)
    still = tune([positions + rng.normal(size=(60, 2)) for _ in range(6)], plain, budget=40, random_state=0)
    assert "make no difference" in still.notes_[0]
    assert not found.notes_


def test_parts_of_one_shape_that_move_together_are_found() -> None:
    rng = np.random.default_rng(0)
    path = np.cumsum(rng.normal(size=(12, 2)), axis=0)
    batches, labels = [], []
    for center in path:
        along = rng.uniform(0, 4, 80)
        batches.append(center + np.stack([along, 0.1 * rng.normal(size=80)], axis=1))
        labels.append(along.astype(int))
    assert comoving_clusters(batches, labels) == ({0, 1, 2, 3}, 4)
    apart = [X + 3.0 * ids[:, None] * rng.normal(size=2) for X, ids in zip(batches, labels, strict=True)]
    assert comoving_clusters(apart, labels)[0] == set()


def test_the_figure_is_drawn(found: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason='pip install "dynmeans[plot]"')
    figure = found.plot(tmp_path / "tuning.png")
    assert (tmp_path / "tuning.png").read_bytes().startswith(b"\x89PNG")
    assert len(figure.axes) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batches": []}, "batches is empty"),
        ({"budget": 0}, "budget must be"),
        ({"strategy": "magic"}, "strategy must be one of"),
        ({"storage": "file"}, "storage needs"),
        ({"kernels": [RBF(1.0)]}, "kernels are for KDMeans"),
        ({"batches": [np.ones((3, 2)), np.ones((3, 3))]}, "same number of features"),
        ({"batches": [np.ones((3, 2))] * 3}, "all rows of each batch are equal"),
        ({"batches": [np.ones((1, 2)), np.zeros((1, 2))]}, "put several rows into a batch"),
        ({"batches": [1e-200 * np.eye(3)] * 3}, "too small for floats; use larger units"),
        ({"estimator": SDMeans("precomputed")}, "precomputed"),
        ({"estimator": []}, "list of estimators is empty"),
        ({"estimator": [DMeans(), KMeans()]}, "wrap other clusterers in PersistentIds"),
        ({"estimator": PersistentIds()}, "without an estimator"),
        ({"estimator": PersistentIds(DBSCAN(), kernel="rbf")}, "kernel=None"),
    ],
)
def test_invalid_arguments_are_rejected(stream: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tune(**{"batches": stream.batches[:3], "budget": 2, **arguments})


def walkers(n_steps: int = 20) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Eight people in a wide hall, one row each."""
    rng = np.random.default_rng(4)
    start, speed = 30 * rng.random((8, 2)), 0.6 * rng.normal(size=(8, 2))
    batches = [start + t * speed + 0.05 * rng.normal(size=(8, 2)) for t in range(n_steps)]
    return batches, [np.arange(8)] * n_steps


def test_one_table_is_not_a_list_of_batches(stream: Any) -> None:
    with pytest.raises(ValueError, match=r"batches is one table of shape \(\d+, 2\); pass a list"):
        tune(stream.batches[0])


def test_one_row_per_object_is_found() -> None:
    batches, truth = walkers()
    found = tune(batches, budget=40, random_state=0)
    assert found.criterion_ == "forest code"
    assert found.best_params_["exclusive"]
    model = DMeans(**found.best_params_, random_state=0)
    assert tracking_accuracy(truth, [step.labels for step in model.stream(batches)]) > 0.95


def test_parameters_that_are_set_are_kept(stream: Any) -> None:
    model = DMeans(motion="walk", refine=True, merge=False, exclusive=False)
    found = tune(stream.batches[:8], model, budget=8, random_state=0)
    assert set(found.best_params_) == {"birth_cost", "lifetime", "reach"}
    assert found.best_estimator_.refine is True


@pytest.mark.parametrize(
    ("clusterer", "names"),
    [
        (DBSCAN(), {"estimator__eps", "estimator__min_samples"}),
        (HDBSCAN(copy=True), {"estimator__min_cluster_size"}),
        (KMeans(3, n_init=1), set()),
    ],
)
def test_a_wrapped_clusterer_is_tuned(stream: Any, clusterer: Any, names: set[str]) -> None:
    found = tune(stream.batches[:8], PersistentIds(clusterer, motion="walk"), budget=12, random_state=0)
    assert set(found.best_params_) == {"birth_cost", "lifetime", "reach"} | names
    assert found.best_estimator_.n_steps_ == 8
    assert np.isfinite(found.best_score_)


def test_the_best_of_several_estimators_is_chosen(stream: Any) -> None:
    known = PersistentIds(KMeans(3, n_init=3))
    useless = PersistentIds(KMeans(1, n_init=1))
    found = tune(stream.batches[:10], [useless, known], budget=16, random_state=0)
    assert found.best_estimator_.estimator.n_clusters == 3
    both = tune(stream.batches[:10], [DMeans(), known], budget=20, random_state=0)
    assert set(both.table_["estimator"]) == {"DMeans", "PersistentIds(KMeans)"}
    assert both.finalists_[0]["params"] == both.best_params_
    assert all(both.finalists_[0]["score"] <= other["score"] + 0.1 for other in both.finalists_)


def test_a_clusterer_that_rejects_a_batch_loses() -> None:
    batches, _ = walkers(6)
    few = [batches[0], *(X[:3] for X in batches[1:])]
    found = tune(few, [DMeans(), PersistentIds(HDBSCAN(min_samples=5, copy=True))], budget=12, random_state=0)
    assert type(found.best_estimator_) is DMeans


def test_batches_without_rows_are_accepted(stream: Any) -> None:
    batches = [stream.batches[0], np.empty((0, 2)), *stream.batches[1:6]]
    assert tune(batches, budget=8, random_state=0).best_estimator_.n_steps_ == 7


def test_objects_that_return_after_long_absences_keep_their_ids() -> None:
    """A camera shows one of two groups of objects, and turns away for longer than the search remembers."""
    rng = np.random.default_rng(0)
    positions = rng.uniform(0.0, 15.0, (12, 2))
    is_left = positions[:, 0] < 7.5
    turns = np.repeat(np.arange(12) % 2 == 0, 25)
    shown = [np.flatnonzero((is_left == turn) & (rng.random(12) > 0.05)) for turn in turns]
    batches = [positions[some] + 0.1 * rng.normal(size=(len(some), 2)) for some in shown]
    found = tune(batches, budget=40, random_state=0)
    assert found.best_params_["lifetime"] > 25
    model = clone(found.best_estimator_)
    assert tracking_accuracy(shown, [step.labels for step in model.stream(batches)]) > 0.95
