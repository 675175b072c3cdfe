from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans.metrics import identity_f1, per_step_accuracy, tracking_accuracy, weighted_accuracy
from metrics.twins import LabeledRun, concatenated, most_shared, possible_tracking_accuracies, renamed, runs


@given(runs())
def test_tracking_accuracy_is_a_value_that_the_definition_allows(run: LabeledRun) -> None:
    allowed = [float(value) for value in possible_tracking_accuracies(run)]
    assert any(tracking_accuracy(*run) == pytest.approx(value) for value in allowed)


@given(runs())
def test_per_step_accuracy_is_the_best_of_all_pairings_in_each_step(run: LabeledRun) -> None:
    steps = [(t, f) for t, f in zip(run.true, run.found, strict=True) if t]
    expected = sum(most_shared(t, f) / len(t) for t, f in steps) / len(steps)
    assert per_step_accuracy(*run) == pytest.approx(float(expected))


@given(runs(max_steps=3), st.data())
def test_weighted_accuracy_is_the_best_of_all_pairings_by_weight(
    run: LabeledRun, data: st.DataObject
) -> None:
    sizes = [len(batch) for batch in run.true]
    weights = [data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)) for n in sizes]
    weights[next(i for i, n in enumerate(sizes) if n)][0] = 1
    expected = most_shared(concatenated(run.true), concatenated(run.found), concatenated(weights)) / sum(
        concatenated(weights)
    )
    assert weighted_accuracy(*run, weights) == pytest.approx(float(expected))


@given(runs())
def test_tracking_accuracy_is_never_above_per_step_accuracy(run: LabeledRun) -> None:
    assert tracking_accuracy(*run) <= per_step_accuracy(*run) + 1e-12


@given(runs(), st.permutations([0, 7, 10**12, -(10**12)]))
def test_accuracies_do_not_depend_on_the_names_of_found_ids(run: LabeledRun, names: list[int]) -> None:
    found = renamed(run.found, dict(enumerate(names)))
    assert tracking_accuracy(run.true, found) == tracking_accuracy(*run)
    assert per_step_accuracy(run.true, found) == per_step_accuracy(*run)


@given(runs(), st.permutations([3, 7, 10**12]))
def test_perfect_labels_are_entirely_right_whatever_their_names(run: LabeledRun, names: list[int]) -> None:
    found = renamed(run.true, dict(enumerate(names)))
    assert tracking_accuracy(run.true, found) == 1.0
    assert per_step_accuracy(run.true, found) == 1.0
    assert weighted_accuracy(run.true, found, [np.full(len(b), 0.1) for b in found]) == pytest.approx(1.0)


def test_ids_swapped_for_one_of_three_steps_are_wrong_there_and_right_again_after() -> None:
    true = [[0, 0, 0, 1, 1]] * 3
    found = [[5, 5, 5, 6, 6], [6, 6, 6, 5, 5], [5, 5, 5, 6, 6]]
    assert tracking_accuracy(true, found) == pytest.approx(2 / 3)
    assert per_step_accuracy(true, found) == 1.0


def test_a_point_is_set_aside_when_its_found_id_is_paired_with_another() -> None:
    # Step 1 pairs 0 with 5. In step 2 the first point is set aside, and 1 is paired with 6.
    assert tracking_accuracy([[0, 0, 1], [1, 1, 0]], [[5, 5, 5], [5, 6, 5]]) == pytest.approx(2 / 3)


def test_a_pair_once_made_outlives_all_later_evidence() -> None:
    assert tracking_accuracy([[0], [0] * 9], [[5], [6] * 9]) == pytest.approx(1 / 2)


def test_ids_that_share_no_point_are_not_paired() -> None:
    # In step 1 only 0 and 5 become a pair; 1 and 6 stay free for the partners that they meet later.
    true = [[0, 0, 0, 0, 1], [1, 2]]
    assert tracking_accuracy(true, [[5, 5, 5, 6, 5], [7, 6]]) == pytest.approx((3 / 5 + 1) / 2)


def test_noise_is_never_right_even_where_the_truth_says_minus_one() -> None:
    assert tracking_accuracy([[-1, -1]], [[-1, -1]]) == 0.0
    assert per_step_accuracy([[0, 0, 1, 1]], [[4, 4, -1, -1]]) == 0.5
    assert weighted_accuracy([[0, 1]], [[4, -1]], [[1.0, 3.0]]) == 0.25


def test_steps_without_points_are_skipped_in_the_average() -> None:
    true, found = [[0, 0], [], [0, 0]], [[5, 5], [], [6, 6]]
    assert tracking_accuracy(true, found) == 0.5
    assert per_step_accuracy(true, found) == 1.0


@given(runs(noise=False))
def test_equal_weights_give_the_identity_f1(run: LabeledRun) -> None:
    assert weighted_accuracy(*run, [[0.3] * len(b) for b in run.true]) == pytest.approx(identity_f1(*run))


@given(runs(), st.sampled_from([1e-300, 1e-3, 1e308]))
def test_only_the_ratios_of_weights_matter(run: LabeledRun, scale: float) -> None:
    weights = [np.arange(1.0, len(batch) + 1) / 8 for batch in run.true]
    scaled = [weight * scale for weight in weights]
    assert weighted_accuracy(*run, scaled) == pytest.approx(weighted_accuracy(*run, weights))


def test_points_of_weight_zero_do_not_count() -> None:
    assert weighted_accuracy([[0, 1, 9]], [[5, 6, 5]], [[1.0, 1.0, 0.0]]) == 1.0


@pytest.mark.parametrize("bad", [-0.5, np.nan, np.inf])
def test_a_bad_weight_is_named_with_its_batch_and_row(bad: float) -> None:
    with pytest.raises(
        ValueError, match=rf"batch 1 has the weight {bad} in row 1; weights must be finite and >= 0"
    ):
        weighted_accuracy([[0], [0, 0]], [[5], [5, 5]], [[1.0], [1.0, bad]])


def test_weights_must_fit_the_labels_and_not_all_be_zero() -> None:
    with pytest.raises(ValueError, match="batch 0 has 2 rows in true_batches but 1 in weight_batches"):
        weighted_accuracy([[0, 0]], [[5, 5]], [[1.0]])
    with pytest.raises(ValueError, match="all 2 weights are zero"):
        weighted_accuracy([[0, 0]], [[5, 5]], [[0.0, 0.0]])
