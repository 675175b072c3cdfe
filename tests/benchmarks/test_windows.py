from __future__ import annotations

import numpy as np

from benchmarks import windows


def test_seeds_for_choosing_are_not_those_reported() -> None:
    assert not set(windows.CHOOSING_SEEDS) & set(windows.REPORTED_SEEDS)


def test_windows_overlap_and_are_scored_by_their_newest_rows() -> None:
    found = windows.cluster(seed=7, n_steps=6)
    assert len(found.items) == 6 - windows.WIDTH + 1
    assert np.array_equal(
        found.items[0][-found.newest[0] :],
        found.items[1][-found.newest[0] - found.newest[1] : -found.newest[1]],
    )
    assert [len(y) for y in found.true] == found.newest
    perfect = [np.full(len(rows), -1) for rows in found.rows]
    for labels, y in zip(perfect, found.true, strict=True):
        labels[-len(y) :] = y
    assert windows.score(found, perfect) == 1.0
