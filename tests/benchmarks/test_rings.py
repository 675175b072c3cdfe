from __future__ import annotations

import numpy as np
import pytest

from benchmarks import rings
from benchmarks.readings import RowsOnlyMST, gusty_rings
from benchmarks.rings import CASES, METHODS, REPORTED_SEEDS, STREAMS, run
from dynmeans.datasets import moving_rings
from dynmeans.kernels import MST, KernelInput, first_input


def test_every_case_has_a_row_and_every_target_is_checked() -> None:
    rows = run(quick=True)
    assert len(rows) == len(CASES)
    assert [row.target.value for row in rows if row.target] == [0.97, 0.88, 0.99, 0.95, 0.95, 0.95]
    assert all(0 <= row.ours <= 1 and 0 < row.peer <= 1 for row in rows)


def test_cases_name_known_methods_and_streams() -> None:
    assert {case.method for case in CASES} == set(METHODS)
    assert {case.stream for case in CASES} == set(STREAMS)


def test_twenty_streams_are_reported() -> None:
    assert list(REPORTED_SEEDS) == list(range(5000, 5020))


def test_all_of_our_cases_have_the_same_parameters() -> None:
    aligned, walking = (METHODS[name]().get_params() for name in ("align", "walk"))
    assert {name for name in aligned if aligned[name] != walking[name]} == {"motion"}


def test_case_is_evaluated_under_its_own_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, object]] = []

    def spy(n_steps: int, **condition: object) -> object:
        seen.append(condition)
        return moving_rings(n_steps, **condition)

    monkeypatch.setitem(rings.STREAMS, "rings", spy)
    for scores in rings.begin(CASES[3], seeds=[7], n_steps=2, each=map):
        assert len(list(scores)) == 1
    assert seen == [{"n_points": 200, "random_state": 7}] * 2


def test_gusts_are_gaussian_in_length_and_go_everywhere() -> None:
    still = moving_rings(20, noise=0.0, random_state=0)
    gusty = gusty_rings(20, random_state=0)
    off = np.concatenate(gusty.batches) - np.concatenate(still.batches)
    assert np.sqrt(np.mean(np.sum(off**2, axis=1))) == pytest.approx(0.03, rel=0.05)
    np.testing.assert_allclose(off.std(axis=0), 0.03 / np.sqrt(2), rtol=0.05)


def test_tree_of_the_rows_gives_the_kernel_of_the_library_before_anything_is_kept() -> None:
    scene = first_input(moving_rings(1, n_points=50, random_state=0).batches[0])
    whole = MST(0.07).compare(scene)
    np.testing.assert_allclose(
        RowsOnlyMST(0.07).compare(scene).matrix, whole.matrix[whole.group][:, whole.group]
    )


def test_kept_point_is_connected_to_its_nearest_row_by_an_edge_that_counts_if_long() -> None:
    rows, kept = np.array([[0.0], [3.0]]), np.array([[0.5], [5.0]])
    scene = KernelInput(rows, np.ones(2), kept, np.ones(2), np.array([0, 1]), 2)
    squared = -2.0 * np.log(RowsOnlyMST(1.0).compare(scene).y_phi)
    np.testing.assert_allclose(np.sqrt(np.abs(squared)), [[0.0, 5.0], [3.0, 2.0]], atol=1e-7)


def test_support_points_do_not_bridge_a_gap_between_rows() -> None:
    rows, kept = np.array([[0.0], [1.8]]), np.array([[0.9]])
    scene = KernelInput(rows, np.ones(2), kept, np.ones(1), np.array([0]), 1)
    assert len(MST(1.0).compare(scene).weights) == 1
    assert RowsOnlyMST(1.0).compare(scene).matrix[0, 1] == pytest.approx(np.exp(-(1.8**2) / 2))
