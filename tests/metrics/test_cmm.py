from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.metrics import cmm
from metrics.twins import NOISE

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
TRUE = [0, 0, 0, 1, 1, 1]


def slow_window(
    X: np.ndarray, true: list[int], found: list[int], weight: list[float], k: int, order: list[int]
) -> float:
    """CMM of one window, point by point; `order` has the true ids of the run by first appearance."""

    def neighbor_distance(i: int, id_: int) -> float:
        others = sorted(
            float(np.linalg.norm(X[i] - X[j])) for j in range(len(X)) if true[j] == id_ and j != i
        )[:k]
        return sum(others) / len(others) if others else 0.0

    def connectivity(i: int, id_: int) -> float:
        members = [j for j in range(len(X)) if true[j] == id_]
        usual = sum(neighbor_distance(j, id_) for j in members) / len(members)
        own = neighbor_distance(i, id_)
        return 1.0 if own <= usual * (1 + 1e-12) else usual / own

    def target(cluster: int) -> int | None:
        inside = [t for t, f in zip(true, found, strict=True) if f == cluster and t != NOISE]
        return max(order, key=inside.count) if inside else None

    def penalty(i: int) -> float:
        own = 1.0 if true[i] == NOISE else connectivity(i, true[i])
        if found[i] == NOISE:
            return 0.0 if true[i] == NOISE else own
        mapped = target(found[i])
        if mapped == true[i]:
            return 0.0
        return own * (1.0 - (0.0 if mapped is None else connectivity(i, mapped)))

    lost = sum(w * penalty(i) for i, w in enumerate(weight))
    whole = sum(
        w * (1.0 if t == NOISE else connectivity(i, t))
        for i, (w, t) in enumerate(zip(weight, true, strict=True))
    )
    return 1.0 - lost / whole


@st.composite
def labeled_points(draw: st.DrawFn) -> tuple[list[np.ndarray], list[list[int]], list[list[int]]]:
    """Points in general position, so that no comparison of distances is a tie."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    sizes = draw(st.lists(st.integers(0, 8), min_size=1, max_size=4).filter(any))
    true = [rng.integers(-1, 3, n).tolist() for n in sizes]
    found = [rng.integers(-1, 3, n).tolist() for n in sizes]
    return [rng.normal(size=(n, 2)) for n in sizes], true, found


@settings(deadline=None)
@given(labeled_points(), st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.0, 0.5, 2.0]))
def test_cmm_is_the_mean_of_windows_computed_point_by_point(
    run: Any, horizon: int, k: int, decay: float
) -> None:
    points, true, found = run
    scores, order = [], list(dict.fromkeys(t for batch in true for t in batch))
    for step in range(len(points)):
        steps = range(max(0, step + 1 - horizon), step + 1)
        X = np.concatenate([points[s] for s in steps])
        weight = [2 ** (-decay * (step - s)) for s in steps for _ in points[s]]
        labels = ([label for s in steps for label in batches[s]] for batches in (true, found))
        if len(X):
            scores.append(slow_window(X, *labels, weight, k, order))
    result = cmm(points, true, found, horizon=horizon, decay=decay, n_neighbors=k)
    assert result == pytest.approx(np.mean(scores))
    assert -1e-12 <= result <= 1


@given(labeled_points(), st.permutations([4, 7, 9]))
def test_true_labels_under_any_names_have_cmm_of_one(run: Any, names: list[int]) -> None:
    points, true, _ = run
    found = [[names[t] if t != NOISE else NOISE for t in batch] for batch in true]
    assert cmm(points, true, found, horizon=3) == pytest.approx(1.0)


def test_a_missed_point_costs_its_connectivity() -> None:
    # Mean distances are 1.5, 1, 1.5 with mean 4/3: connectivities 8/9, 1, 8/9, in sum 25/9 per cluster.
    whole = 2 * 25 / 9
    assert cmm([LINE], [TRUE], [[5, 5, 5, 8, 8, NOISE]]) == pytest.approx(1 - (8 / 9) / whole)
    assert cmm([LINE], [TRUE], [[5, 5, 5, 8, NOISE, 8]]) == pytest.approx(1 - 1 / whole)


def test_a_misplaced_point_costs_more_the_farther_it_is() -> None:
    # Point 12 in cluster 0: its nearest there are at 10 and 11, connectivity (4/3) / 10.5.
    whole = 2 * 25 / 9
    far = cmm([LINE], [TRUE], [[5, 5, 5, 8, 8, 5]])
    assert far == pytest.approx(1 - (8 / 9) * (1 - (4 / 3) / 10.5) / whole)
    near = cmm([LINE], [TRUE], [[5, 5, 5, 5, 8, 8]])
    assert near > far


def test_clutter_in_a_cluster_costs_by_its_distance_and_in_a_cluster_of_its_own_all() -> None:
    X = np.array([[0.0], [1.0], [2.0], [4.0]])
    whole = 25 / 9 + 1
    # The nearest two are at 2 and 3: connectivity (4/3) / 2.5.
    assert cmm([X], [[0, 0, 0, -1]], [[5, 5, 5, 5]]) == pytest.approx(1 - (1 - (4 / 3) / 2.5) / whole)
    assert cmm([X], [[0, 0, 0, -1]], [[5, 5, 5, 6]]) == pytest.approx(1 - 1 / whole)
    assert cmm([X], [[0, 0, 0, -1]], [[5, 5, 5, -1]]) == 1.0


def test_splitting_a_true_cluster_has_no_penalty() -> None:
    assert cmm([LINE], [TRUE], [[5, 6, 6, 8, 8, 9]]) == 1.0


def test_clusters_of_one_point_and_of_equal_points_are_evaluated() -> None:
    X = [[[0.0], [5.0], [5.0], [5.0]]]
    assert cmm(X, [[0, 1, 1, 1]], [[7, 8, 8, 8]]) == 1.0
    assert cmm(X, [[0, 1, 1, 1]], [[8, 8, 8, 8]]) == pytest.approx(1 - 1 / 4)


def test_steps_without_points_are_skipped() -> None:
    X = [np.empty((0, 1)), LINE, []]
    assert cmm(X, [[], TRUE, []], [[], TRUE, []]) == 1.0


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        ([[[0.0], [np.nan]]], {}, r"point_batches\[0\] has the value nan"),
        ([[[0.0]]], {}, "batch 0 has 2 rows in true_batches but 1 in point_batches"),
        ([[0.0, 1.0]], {}, r"point_batches\[0\] has shape \(2,\)"),
        ([[[0.0], [1.0]]], {"horizon": 0}, "horizon is 0"),
        ([[[0.0], [1.0]]], {"decay": -1.0}, "decay is -1.0"),
        ([[[0.0], [1.0]]], {"decay": float("nan")}, "decay is nan"),
        ([[[0.0], [1.0]]], {"n_neighbors": 0}, "n_neighbors is 0"),
    ],
)
def test_invalid_input_is_refused_with_the_value_and_the_rule(
    points: Any, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cmm(points, [[0, 1]], [[0, 1]], **options)
