from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dynmeans.metrics import identity_f1, identity_switches, objects_from_positions, objects_from_rows
from metrics.twins import NOISE, LabeledRun, runs


@given(runs())
def test_similarity_of_rows_is_intersection_over_union(run: LabeledRun) -> None:
    objects = objects_from_rows(*run, clutter=0)
    for step, (true, found) in enumerate(zip(*run, strict=True)):
        true_ids, found_ids = objects.true_batches[step].tolist(), objects.found_batches[step].tolist()
        assert set(true_ids) == set(true) - {0}
        assert set(found_ids) == set(found) - {NOISE}
        for i, t in enumerate(true_ids):
            for j, f in enumerate(found_ids):
                a, b = ({r for r, x in enumerate(rows) if x == id_} for rows, id_ in ((true, t), (found, f)))
                assert objects.similarity_batches[step][i, j] == len(a & b) / len(a | b)


def test_clutter_may_be_an_ordinary_id() -> None:
    assert objects_from_rows([[-1, 0]], [[5, 6]]).true_batches[0].tolist() == [0]
    assert objects_from_rows([[-1, 0]], [[5, 6]], clutter=None).true_batches[0].tolist() == [-1, 0]


def test_rows_of_runs_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="batch 0 has 2 rows in true_batches but 1 in found_batches"):
        objects_from_rows([[0, 1]], [[5]])


def test_similarity_of_positions_falls_linearly_to_zero() -> None:
    run = objects_from_positions(
        [[0], []],
        [[[0.0, 0.0]], []],
        [[5, 6, 7], [5]],
        [[[3.0, 4.0], [0, 0], [30, 0]], [[1, 1]]],
        zero_distance=10,
    )
    assert run.similarity_batches[0].tolist() == [[0.5, 1.0, 0.0]]
    assert run.similarity_batches[1].shape == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0]], [[[np.nan]]], [[5]], [[[0.0]]], 1.0), r"true_positions\[0\] has the value nan"),
        (([[0]], [[[0.0]]], [[5]], [[[np.inf]]], 1.0), r"found_positions\[0\] has the value inf"),
        (
            ([[0]], [[[0.0]]], [[5]], [[[0.0, 0.0]]], 1.0),
            "1 features in true_positions but 2 in found_positions",
        ),
        (
            ([[0]], [[[0.0]]], [[5, 6]], [[[0.0]]], 1.0),
            "2 ids in found_batches but 1 rows in found_positions",
        ),
        (([[0]], [[0.0]], [[5]], [[[0.0]]], 1.0), r"true_positions\[0\] has shape \(1,\)"),
        (([[0]], [], [[5]], [[[0.0]]], 1.0), "true_batches has 1 batches but true_positions has 0"),
        (([[0]], [[[0.0]]], [], [], 1.0), "true_batches has 1 batches but found_batches has 0"),
        (([[0]], [[[0.0]]], [[5]], [[[0.0]]], 0.0), "zero_distance is 0.0; it must be a positive"),
        (([[0]], [[[0.0]]], [[5]], [[[0.0]]], np.nan), "zero_distance is nan; it must be a positive"),
    ],
)
def test_invalid_positions_are_refused_with_the_value_and_the_rule(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        objects_from_positions(*arguments[:4], zero_distance=arguments[4])


@given(runs())
def test_identity_f1_with_clutter_is_the_formula_of_the_rows(run: LabeledRun) -> None:
    """Without the clutter rows, plus a false positive for each of them that has a found id."""
    rows = [(t, f) for step in zip(*run, strict=True) for t, f in zip(*step, strict=True)]
    kept = [(t, f) for t, f in rows if t != 0]
    n_found = sum(f != NOISE for _, f in rows)
    if not kept:
        if n_found == 0:
            with pytest.raises(ValueError, match="clutter and noise"):
                identity_f1(*run, clutter=0)
        else:
            assert identity_f1(*run, clutter=0) == 0.0
        return
    alone = identity_f1([[t for t, _ in kept]], [[f for _, f in kept]])
    n_kept = len(kept) + sum(f != NOISE for _, f in kept)
    assert identity_f1(*run, clutter=0) == pytest.approx(alone * n_kept / (len(kept) + n_found))


def test_clutter_makes_no_identity_switch() -> None:
    true, found = [[-1, 0], [-1, 0]], [[5, 6], [7, 6]]
    assert identity_switches(true, found) == 1
    assert identity_switches(true, found, clutter=-1) == 0
