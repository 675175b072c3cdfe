from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._experiments.drawing.tables import markdown, mean_difference, with_interval
from dynmeans._experiments.results import Group, Results, read_results, write_results
from dynmeans._experiments.trials import ExperimentTrial, Size, crossing

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(st.dictionaries(st.integers(0, 99), NUMBERS, min_size=1), st.sampled_from(["a", "b"]))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, column: dict[int, float], method: str
) -> None:
    results = Results("made up")
    for seed, value in column.items():
        results.add(ExperimentTrial("part", {"method": method}, seed), {"value": value, "list": np.arange(2)})
    path = tmp_path_factory.mktemp("results") / "made-up.json"
    write_results(results, path)
    (group,) = read_results(path)
    assert group.case == {"method": method}
    np.testing.assert_allclose(group.column("value"), [column[seed] for seed in sorted(column)], rtol=1e-5)
    assert group.first["list"] == [0, 1]


def test_part_gives_groups_with_the_wanted_cases_in_order() -> None:
    results = Results("made up")
    for part, method, size in (("a", "x", 1), ("b", "x", 1), ("a", "x", 2), ("a", "y", 1)):
        results.add(ExperimentTrial(part, {"method": method, "size": size}, 0), {"value": 1.0})
    assert [group.case["size"] for group in results.part("a", method="x")] == [1, 2]
    assert results.part("a", method="z") == []


def test_empty_groups_are_not_shown() -> None:
    plan = [ExperimentTrial("a", {"size": size}, 0) for size in (1, 2)]
    results = Results("made up").arranged(plan)
    results.add(plan[1], {"value": 1.0})
    assert [group.case["size"] for group in results] == [2]


def test_interval_is_that_of_students_t() -> None:
    group = Group("a", {}, {seed: {"value": float(seed)} for seed in range(3)})
    assert with_interval(group, "value") == "1.000 ± 2.484"  # 4.303 / sqrt(3)


def test_difference_is_taken_stream_by_stream() -> None:
    ours = Group("a", {}, {0: {"value": 1.0}, 1: {"value": 2.0}, 2: {"value": 9.0}})
    theirs = Group("a", {}, {0: {"value": 0.5}, 1: {"value": 1.5}})
    assert mean_difference(ours, theirs, "value") == "+0.500 ± 0.000"


def test_table_has_a_rule_below_its_header() -> None:
    assert markdown(("a", "b"), [("1", "2")]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"


def test_two_planes_cross_at_the_chosen_values_and_hold_each_point_once() -> None:
    grid, chosen = ((1.0, 2.0, 3.0), (1.0, 2.0), (5.0, 6.0, 7.0)), (2.0, 1.0, 6.0)
    grid_positions = crossing(grid, chosen, Size(1))
    assert len(grid_positions) == len(set(grid_positions)) == 3 * 2 + 3 * 3 - 3
    assert chosen in grid_positions
    assert all(y == 1.0 or z == 6.0 for _, y, z in grid_positions)


def test_quick_planes_have_the_ends_and_the_chosen_value_of_every_axis() -> None:
    grid, chosen = ((1.0, 2.0, 3.0, 4.0), (1.0, 2.0), (5.0, 6.0, 7.0)), (3.0, 1.0, 6.0)
    grid_positions = crossing(grid, chosen, Size(1, quick=True))
    assert {x for x, _, _ in grid_positions} == {1.0, 3.0, 4.0}
