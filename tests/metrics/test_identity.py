from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans.metrics import identity_f1, identity_switches
from metrics.twins import NOISE, LabeledRun, concatenated, most_shared, renamed, runs, slow_switches


@given(runs(max_steps=3))
def test_identity_f1_is_the_best_of_all_pairings_of_the_whole_run(run: LabeledRun) -> None:
    true, found = concatenated(run.true), concatenated(run.found)
    n_found = sum(label != NOISE for label in found)
    assert identity_f1(*run) == pytest.approx(float(2 * most_shared(true, found) / (len(true) + n_found)))


@given(runs())
def test_identity_switches_are_those_counted_one_by_one(run: LabeledRun) -> None:
    assert identity_switches(*run) == slow_switches(run)


@given(runs(noise=False))
def test_identity_f1_is_symmetric_without_noise(run: LabeledRun) -> None:
    assert identity_f1(run.true, run.found) == pytest.approx(identity_f1(run.found, run.true))


@given(runs(), st.permutations([0, 7, 10**12, -(10**12)]))
def test_identity_does_not_depend_on_the_names_of_found_ids(run: LabeledRun, names: list[int]) -> None:
    found = renamed(run.found, dict(enumerate(names)))
    assert identity_f1(run.true, found) == identity_f1(*run)
    assert identity_switches(run.true, found) == identity_switches(*run)


@given(runs(), st.permutations([3, 7, 10**12]))
def test_perfect_labels_have_identity_f1_of_one_and_never_switch(run: LabeledRun, names: list[int]) -> None:
    found = renamed(run.true, dict(enumerate(names)))
    assert identity_f1(run.true, found) == 1.0
    assert identity_switches(run.true, found) == 0


def test_one_swap_and_back_is_two_switches_for_each_id() -> None:
    true = [[0, 0, 0, 1, 1]] * 3
    found = [[5, 5, 5, 6, 6], [6, 6, 6, 5, 5], [5, 5, 5, 6, 6]]
    assert identity_f1(true, found) == pytest.approx(2 / 3)
    assert identity_switches(true, found) == 4


def test_noise_costs_recall_but_not_precision() -> None:
    # 3 of 4 points are right and all 3 found ones are: 2 * 3 / (4 + 3).
    assert identity_f1([[0, 0, 1, 1]], [[5, 5, 6, NOISE]]) == pytest.approx(6 / 7)


def test_a_true_id_that_was_away_is_compared_with_when_it_was_last_seen() -> None:
    assert identity_switches([[0], [1], [0]], [[5], [6], [5]]) == 0
    assert identity_switches([[0], [1], [0]], [[5], [6], [7]]) == 1


def test_a_step_of_noise_only_neither_makes_nor_hides_a_switch() -> None:
    assert identity_switches([[0]] * 3, [[5], [NOISE], [5]]) == 0
    assert identity_switches([[0]] * 3, [[5], [NOISE], [6]]) == 1


def test_a_tie_with_the_id_it_had_is_no_switch() -> None:
    assert identity_switches([[1], [0, 0], [0, 0]], [[6], [5, 5], [5, 6]]) == 0
