from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.metrics import (
    ObjectRun,
    clear_mot,
    hota,
    identity_f1,
    identity_switches,
    idf1,
    objects_from_rows,
)
from metrics.tracking_twins import object_runs, slow_clear, slow_hota, slow_idtp
from metrics.twins import NOISE, LabeledRun, renamed, runs

METRICS = (hota, idf1, clear_mot)


@settings(deadline=None)
@given(object_runs())
def test_hota_is_what_its_definition_gives(run: ObjectRun) -> None:
    curves = hota(*run).curves
    for i in (0, 9, 15):
        expected = slow_hota(run, float(curves.thresholds[i]))
        assert (curves.hota[i], curves.deta[i], curves.assa[i], curves.loca[i]) == pytest.approx(expected)


@settings(deadline=None)
@given(object_runs(), st.sampled_from([0.25, 0.5, 0.8]))
def test_idf1_is_the_best_of_all_pairings_of_ids(run: ObjectRun, threshold: float) -> None:
    result = idf1(*run, threshold=threshold)
    n_true, n_found = (sum(ids.size for ids in batches) for batches in run[:2])
    assert result.idtp == slow_idtp(run, threshold)
    assert (result.idfp, result.idfn) == (n_found - result.idtp, n_true - result.idtp)
    assert result.idf1 == pytest.approx(2 * result.idtp / (n_true + n_found))


@settings(deadline=None)
@given(object_runs(), st.sampled_from([0.25, 0.5, 0.8]))
def test_clear_mot_counts_what_enumeration_counts(run: ObjectRun, threshold: float) -> None:
    result = clear_mot(*run, threshold=threshold)
    tp, switches, total = slow_clear(run, threshold)
    n_true, n_found = (sum(ids.size for ids in batches) for batches in run[:2])
    assert (result.tp, result.idsw) == (tp, switches)
    assert (result.fn, result.fp) == (n_true - tp, n_found - tp)
    assert result.motp == pytest.approx(total / max(1, tp))
    if n_true:
        assert result.mota == pytest.approx(1 - (result.fn + result.fp + result.idsw) / n_true)


@given(object_runs(), st.permutations(range(-2, 3)))
def test_names_of_found_ids_change_no_tracking_metric(run: ObjectRun, names: list[int]) -> None:
    other = [np.array([names[i - 10] for i in ids], dtype=np.int64) for ids in run.found_batches]
    for metric in METRICS:
        result, expected = metric(*run._replace(found_batches=other)), metric(*run)
        assert result[:6] == expected[:6]


@given(runs(noise=False), st.permutations([3, 7, 10**12]))
def test_perfect_labels_have_the_best_scores(run: LabeledRun, names: list[int]) -> None:
    objects = objects_from_rows(run.true, renamed(run.true, dict(enumerate(names))))
    assert hota(*objects)[:8] == pytest.approx((1.0,) * 8)
    assert idf1(*objects)[:3] == (1.0, 1.0, 1.0)
    assert clear_mot(*objects)[:2] == (1.0, 1.0)


@st.composite
def detections(draw: st.DrawFn) -> LabeledRun:
    """Rows with at most one row per true id and found id in a step, with clutter and noise."""
    true, found = [], []
    for _ in range(draw(st.integers(1, 5))):
        n = draw(st.integers(0, 4))
        true.append([draw(st.sampled_from([i, NOISE])) for i in draw(st.permutations(range(4)))[:n]])
        found.append([draw(st.sampled_from([i, NOISE])) for i in draw(st.permutations(range(5)))[:n]])
    return LabeledRun(true, found)


@given(detections().filter(lambda run: any(i != NOISE for batch in (*run.true, *run.found) for i in batch)))
def test_with_one_row_per_object_idf1_and_switches_are_those_of_rows(run: LabeledRun) -> None:
    objects = objects_from_rows(*run)
    assert idf1(*objects).idf1 == pytest.approx(identity_f1(*run, clutter=NOISE))
    assert clear_mot(*objects).idsw == identity_switches(*run, clutter=NOISE)


def test_a_swap_by_hand() -> None:
    """Two objects for four steps; their ids are exchanged in the last step."""
    objects = objects_from_rows([[0, 1]] * 4, [[5, 6]] * 3 + [[6, 5]])
    # Six of eight matches have TPA = 3 and union 5, two have TPA = 1 and union 7.
    assert hota(*objects).assa == pytest.approx((6 * 3 / 5 + 2 * 1 / 7) / 8)
    assert hota(*objects).deta == 1.0
    assert idf1(*objects)[3:] == (6, 2, 2)
    assert clear_mot(*objects) == (1 - 2 / 8, 1.0, 8, 0, 0, 2)


def test_misses_and_false_positives_by_hand() -> None:
    """One object in four steps: found, missed, found with clutter beside it, and only clutter found."""
    objects = objects_from_rows([[0], [0], [0, -1], [0, -1]], [[5], [-1], [5, 6], [-1, 6]])
    result = hota(*objects)
    assert result.deta == pytest.approx(2 / 6)
    assert result.assa == pytest.approx(2 / 4)
    assert (result.detre, result.detpr, result.assre, result.asspr) == pytest.approx((0.5, 0.5, 0.5, 1.0))
    assert idf1(*objects) == (0.5, 0.5, 0.5, 2, 2, 2)
    assert clear_mot(*objects) == (0.0, 1.0, 2, 2, 2, 0)


def test_a_similarity_counts_at_the_thresholds_that_it_reaches() -> None:
    result = hota([[0]], [[5]], [[[0.5]]])
    assert result.curves.deta.tolist() == [1.0] * 10 + [0.0] * 9
    assert result.hota == pytest.approx(10 / 19)
    assert result.curves.loca.tolist() == [0.5] * 10 + [1.0] * 9
    assert idf1([[0]], [[5]], [[[0.5]]]).idtp == 1
    assert idf1([[0]], [[5]], [[[0.49]]]).idtp == 0


def test_clear_mot_keeps_the_match_of_the_previous_step_and_hota_does_not() -> None:
    true, found = [[0], [0]], [[5], [5, 6]]
    similarity = [[[0.9]], [[0.6, 0.9]]]
    assert clear_mot(true, found, similarity).idsw == 0
    assert clear_mot(true, [[5], [6]], [[[0.9]], [[0.9]]]).idsw == 1


@pytest.mark.parametrize("empty", [[], np.empty(0, dtype=int)])
def test_steps_without_objects_are_allowed(empty: Any) -> None:
    run = ObjectRun([[0], empty, empty, [0]], [[5], empty, [6], [5]], [[[1.0]], [], [[]], [[1.0]]])
    assert idf1(*run)[3:] == (2, 1, 0)
    assert clear_mot(*run)[2:] == (2, 0, 1, 0)
    assert hota(*run).deta == pytest.approx(2 / 3)


@pytest.mark.parametrize(("true", "found"), [([[0, 1]], [[]]), ([[]], [[0, 1]])])
def test_without_true_or_without_found_objects_scores_are_zero(true: Any, found: Any) -> None:
    similarity = [np.zeros((len(true[0]), len(found[0])))]
    result = hota(true, found, similarity)
    assert result[:8] == (0, 0, 0, 0, 0, 0, 0, 1)
    assert idf1(true, found, similarity) == (0, 0, 0, 0, len(found[0]), len(true[0]))
    assert clear_mot(true, found, similarity) == (0, 0, 0, len(true[0]), len(found[0]), 0)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("run", "message"),
    [
        (([], [], []), "no true and no found objects in 0 batches"),
        (([[]], [[]], [[]]), "no true and no found objects in 1 batches"),
        (([[0]], [[5]], [[[np.nan]]]), "value nan; similarities must be between 0 and 1"),
        (([[0]], [[5]], [[[1.5]]]), "value 1.5; similarities must be between 0 and 1"),
        (([[0]], [[5]], [[[0.5, 0.5]]]), r"shape \(1, 2\); 1 true and 1 found ids need \(1, 1\)"),
        (([[0]], [[5, 5]], [[[1.0, 0.0]]]), r"found_batches\[0\] has the id 5 more than once"),
        (([[0, 0]], [[5]], [[[1.0], [0.0]]]), r"true_batches\[0\] has the id 0 more than once"),
        (([[0]], [[5], [5]], [[[1.0]]]), "true_batches has 1 batches but found_batches has 2"),
        (([[0]], [[5]], []), "true_batches has 1 batches but similarity_batches has 0"),
    ],
)
def test_invalid_objects_are_refused_with_the_value_and_the_rule(metric: Any, run: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric(*run)


@pytest.mark.parametrize("metric", METRICS)
def test_ids_must_be_integers(metric: Any) -> None:
    with pytest.raises(TypeError, match=r"true_batches\[0\] has dtype float64"):
        metric([[0.5]], [[5]], [[[1.0]]])


@pytest.mark.parametrize("metric", [idf1, clear_mot])
@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.1, float("nan")])
def test_thresholds_out_of_range_are_refused(metric: Any, threshold: float) -> None:
    with pytest.raises(ValueError, match=f"threshold is {threshold}"):
        metric([[0]], [[5]], [[[1.0]]], threshold=threshold)
