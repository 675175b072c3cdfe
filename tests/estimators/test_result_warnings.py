from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dynmeans import ClusteringWarning, DMeans, tune
from dynmeans.estimators._diagnostics import result_warnings
from dynmeans.tuning import _diagnostics as diagnostics
from dynmeans.tuning._stream import read_stream

RNG = np.random.default_rng(0)
POSITIONS = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
CLOUDS = [np.repeat(POSITIONS, 10, axis=0) + RNG.normal(size=(30, 2)) for _ in range(40)]


def run(batches: Any, **params: Any) -> tuple[DMeans, list[str]]:
    model = DMeans(**{"lifetime": 3.0, "reach": 1.5, "random_state": 0, **params})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for X in batches:
            model.partial_fit(X)
    return model, [str(w.message) for w in caught if w.category is ClusteringWarning]


def test_suitable_parameters_give_no_warning() -> None:
    model, found = run(CLOUDS, birth_cost=20.0)
    assert not found
    assert model.warnings_ == {}


def test_a_birth_that_is_impossible_is_reported_once() -> None:
    def pair(distance: float) -> np.ndarray:
        return np.repeat([[0.0, 0.0], [distance, 0.0]], 10, axis=0) + 0.1 * RNG.normal(size=(20, 2))

    closer = [pair(max(10.0 - t, 5.0)) for t in range(40)]
    model, found = run(closer, birth_cost=60.0)
    assert len(model.step_.active) == 2
    assert found == [model.warnings_["birth"]]
    assert "birth_cost=60 makes births impossible" in found[0]


def visits(steps: set[int]) -> list[np.ndarray]:
    """Return 40 batches with two clusters at a distance of 7, and visitors far away in some steps."""
    pair = np.repeat([[0.0, 0.0], [7.0, 0.0]], 10, axis=0)
    first = np.repeat([[0.0, 0.0], [10.0, 0.0]], 10, axis=0)
    far = np.array([[0.0, 30.0]])
    batches = [first, *(pair + [max(3.0 - t, 0.0), 0.0] * (pair[:, :1] > 0) for t in range(1, 40))]
    return [np.concatenate([X, far]) if t in steps else X for t, X in enumerate(batches, start=1)]


def test_a_birth_that_happened_is_not_reported_as_impossible() -> None:
    model, found = run(visits(set()), birth_cost=60.0)
    assert found == [model.warnings_["birth"]]
    model, found = run(visits({6, 12, 24}), birth_cost=60.0)
    assert (found, model.warnings_) == ([], {})


@pytest.mark.parametrize(("steps", "expected"), [(set(), True), ({30}, False)])
def test_tune_reports_no_birth_that_happened_as_impossible(steps: set[int], expected: bool) -> None:
    stream, model = read_stream(visits(steps)), DMeans(60.0, 3.0, 1.5, random_state=0)
    labels = [report.labels for report in model.stream(stream.batches)]
    found = diagnostics._result_warnings(stream, labels, model)
    assert any("births impossible" in text for text in found.values()) == expected


def test_a_later_birth_ends_the_warning_that_births_are_impossible() -> None:
    model, found = run(visits({35}), birth_cost=60.0)
    assert len(found) == 1
    assert model.warnings_ == {}


def test_a_birth_cost_beyond_the_data_is_reported() -> None:
    model, found = run(CLOUDS, birth_cost=1000.0)
    assert found == [model.warnings_["one"]]
    assert "birth_cost=1000 exceeds the squared spread of the data" in found[0]
    _, found = run([X[:10] for X in CLOUDS])
    assert not found


def test_single_rows_are_reported() -> None:
    _, found = run(CLOUDS, birth_cost=1e-6)
    assert any("nearly every row is a cluster of its own (30 clusters for 30 rows)" in text for text in found)
    _, found = run([POSITIONS + 0.01 * t for t in range(20)], birth_cost=1.0, exclusive=True)
    assert not found


def test_a_reach_beyond_the_data_is_reported() -> None:
    hidden = [X if t % 2 else X[:20] for t, X in enumerate(CLOUDS, start=1)]
    _, found = run(hidden, birth_cost=20.0, reach=50.0)
    assert any("exceeds the squared spread of the data" in text for text in found)


def test_ids_that_break_are_reported() -> None:
    _, found = run([5.0 * t + POSITIONS for t in range(20)], birth_cost=1.0, reach=1.0)
    assert any("steps per id" in text for text in found)


def test_ids_of_provisional_parameters_do_not_break() -> None:
    """The first estimates may give every row an id, and the final one a single id for all."""
    rng = np.random.default_rng(3)
    batches = [np.c_[rng.normal(40, 8, 14), rng.integers(0, 360, 14)] for _ in range(80)]
    model, found = run(batches, birth_cost="auto", lifetime=None, reach=None)
    assert model.step_.active.tolist() == [0]
    assert max(event.id for event in model.history_) >= 9  # provisional ids
    assert not any("ids break" in text for text in found)


def test_ids_that_break_later_are_reported() -> None:
    quiet, jumping = [POSITIONS] * 16, [5.0 * t + POSITIONS for t in range(1, 17)]
    _, found = run([*quiet, *jumping], birth_cost=1.0, reach=1.0)
    assert any("ids break: 48 new ids in 16 steps, 3 at a time" in text for text in found)


def test_tune_reports_the_same() -> None:
    jumps = [30.0 * RNG.normal(size=2) * t + X for t, X in enumerate(CLOUDS[:10])]
    found = tune(jumps, DMeans(exclusive=False, refine=False, motion="walk"), budget=8, random_state=0)
    assert isinstance(found.notes_, tuple)


@pytest.mark.parametrize("n", [2, 7])
def test_short_streams_give_no_warning(n: int) -> None:
    assert run(CLOUDS[:n], birth_cost=1e-6)[1] == []


def test_the_checks_ignore_rows_of_weight_zero() -> None:
    rows = np.array([[0.0, 0.0], [5.0, 5.0], [9.0, 0.0]])
    model = DMeans(1.0, lifetime=20.0, random_state=0).partial_fit(rows)
    asleep = model.labels_ == 2
    for _ in range(6):
        model.partial_fit(rows[~asleep])
    model.partial_fit(rows, sample_weight=~asleep)  # the eighth step is checked
    assert model.labels_[asleep] == [2]


def test_a_warning_points_to_the_code_that_called_the_library() -> None:
    model = DMeans(birth_cost=1000.0, lifetime=3.0, reach=1.5)
    with pytest.warns(ClusteringWarning) as caught:
        list(model.stream(CLOUDS[:8]))
    rows = np.eye(40)
    with pytest.warns(UserWarning, match="unit vectors") as also:
        DMeans(birth_cost=0.5, metric="euclidean").partial_fit(rows)
    assert {warning.filename for warning in [*caught, *also]} == {__file__}


@pytest.mark.parametrize("columns", [None, ["age", "income"]])
def test_features_of_different_scale_are_reported(columns: list[str] | None) -> None:
    X = np.repeat(POSITIONS, 20, axis=0) + RNG.normal(size=(60, 2))
    model, found = run(
        [X * [1.0, 1e4]] if columns is None else [pd.DataFrame(X * [1.0, 1e4], columns=columns)]
    )
    small = "X[:, 0]" if columns is None else "'age'"
    assert found == [model.warnings_["scale"]]
    assert f"so {small} has no effect on the clusters" in found[0]
    assert "--standardize" in found[0]


@pytest.mark.parametrize(
    ("n_small", "words"),
    [
        (2, "X[:, 0] and X[:, 1] have"),
        (3, "X[:, 0], X[:, 1] and X[:, 2] have"),
        (4, "X[:, 0], X[:, 1], X[:, 2] and 1 other have"),
        (6, "X[:, 0], X[:, 1], X[:, 2] and 3 others have"),
    ],
)
def test_several_features_without_effect_are_named(n_small: int, words: str) -> None:
    X = np.repeat(POSITIONS, 20, axis=0) + RNG.normal(size=(60, 2))
    small = RNG.normal(size=(60, n_small))
    _, found = run([np.column_stack([small, X * 1e4])])
    assert f"so {words} no effect on the clusters" in found[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X,
        lambda X: np.column_stack([X, np.full(60, 7.0)]),  # a constant feature
        lambda X: np.vstack([X[1:], [1e100, 0.0]]),  # an outlier
        lambda X: X[::3] * [1.0, 1e4],  # few rows
    ],
)
def test_features_of_the_same_scale_are_not_reported(change: Any) -> None:
    X = np.repeat(POSITIONS, 20, axis=0) + RNG.normal(size=(60, 2))
    assert run([change(X)], birth_cost=20.0)[1] == []


def embeddings(scale: float) -> np.ndarray:
    """Draw 20 directions of 64 features, with rows of random length around them."""
    rng = np.random.default_rng(1)
    centers = rng.normal(size=(20, 64)) / 8.0
    rows = np.repeat(centers, 10, axis=0) + scale * rng.normal(size=(200, 64)) / 8.0
    return rows * rng.uniform(0.5, 2.0, (200, 1))


def test_embeddings_of_any_length_are_reported() -> None:
    unset = {"lifetime": "auto", "reach": "auto"}
    model, found = run([embeddings(1.0)], **unset)
    assert found == [model.warnings_["embeddings"]]
    assert "64 features" in found[0]
    assert "use metric='cosine'" in found[0]
    assert run([embeddings(1.0)], metric="euclidean", **unset)[1] == []
    shifted, _ = run([embeddings(1.0) + 2.0], **unset)
    assert "subtract the mean row" in shifted.warnings_["embeddings"]


def texts(n_topics: int) -> list[np.ndarray]:
    """Return 8 batches of 100 texts as counts of words: eight common words and eight of the topic."""
    rng = np.random.default_rng(3)
    topics = np.array([rng.permutation(1000)[:40] for _ in range(n_topics)])
    batches = [np.zeros((100, 1000)) for _ in range(8)]
    for row in (row for X in batches for row in X):
        words = topics[rng.integers(n_topics)][rng.integers(40, size=8)]
        np.add.at(row, [*rng.integers(20, size=8), *words], 1.0)
    return batches


def test_one_cluster_of_texts_that_are_not_similar_is_reported_once() -> None:
    unset = {"lifetime": None, "reach": None, "metric": "cosine"}
    model, found = run(texts(6) * 2, **unset)
    assert model.cluster_ids_.tolist() == [0]
    assert found == [model.warnings_["one"]]
    assert "all rows are in one cluster: birth_cost=0.9684 merges them" in found[0]
    assert "subtract the mean row" in found[0]
    assert len(run(texts(6), **unset, birth_cost=0.73)[0].cluster_ids_) > 1  # the advice
    assert run(texts(6) * 2, **unset, birth_cost=1.0)[1] == []  # given
    one_topic = [np.eye(64)[0] + RNG.normal(size=(60, 64)) / 8.0 for _ in range(8)]
    model, found = run(one_topic, **unset)
    assert (model.cluster_ids_.tolist(), found) == ([0], [])


def test_a_birth_cost_that_cannot_be_estimated_is_reported() -> None:
    walk = [np.array([[0.1 * t, 0.0]]) for t in range(20)]
    unset = {"lifetime": None, "reach": None}
    model, found = run(walk, **unset)
    assert found == [model.warnings_["estimate"]]
    assert "not estimated: no step has two different rows; all rows are one cluster" in found[0]
    assert run(walk, **unset, birth_cost=1.0)[1] == []
    later, _ = run([*walk, *CLOUDS], **unset)
    assert later.warnings_ == {}


def test_separated_clusters_of_many_features_are_not_reported() -> None:
    centers = np.random.default_rng(2).normal(size=(10, 64))
    X = np.repeat(centers, 20, axis=0) + 0.1 * RNG.normal(size=(200, 64))
    assert run([X], lifetime="auto", reach="auto")[1] == []


def test_a_warning_about_the_result_ends_when_a_later_check_does_not_find_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = {8: {"ids": "ids break"}, 16: {}, 32: {"ids": "ids break again"}}
    monkeypatch.setattr(
        result_warnings, "check_result", lambda rows, report, *_, **__: dict(found[report.step])
    )
    model, given = run(CLOUDS[:15], birth_cost=20.0)
    assert (model.warnings_, given) == ({"ids": "ids break"}, ["ids break"])
    model, given = run(CLOUDS[:16], birth_cost=20.0)
    assert (model.warnings_, given) == ({}, ["ids break"])
    model, given = run(CLOUDS[:32], birth_cost=20.0)
    assert (model.warnings_, given) == ({"ids": "ids break again"}, ["ids break"])  # each is given once


def with_clutter(n_clutter: int) -> list[np.ndarray]:
    """Three objects that are always seen, and rows anywhere."""
    rng = np.random.default_rng(1)
    objects = [POSITIONS + 0.1 * rng.normal(size=(3, 2)) for _ in range(40)]
    return [np.vstack([X, rng.uniform(-100, 100, (n_clutter, 2))]) for X in objects]


def test_ids_that_are_seen_once_are_reported_as_clutter() -> None:
    _, found = run(with_clutter(6), birth_cost=9.0)
    assert [text for text in found if "had rows in a single step" in text and "min_hits=3" in text]


@pytest.mark.parametrize(("n_clutter", "params"), [(0, {}), (1, {}), (6, {"min_hits": 3})])
def test_few_or_tentative_ids_are_not_reported_as_clutter(n_clutter: int, params: dict[str, Any]) -> None:
    model, _ = run(with_clutter(n_clutter), birth_cost=9.0, **params)
    assert "hits" not in model.warnings_
