from __future__ import annotations

import pytest

from benchmarks import processes
from benchmarks.choosing import product_of
from benchmarks.processes import BASELINE, CHOOSING_SEEDS, CHOSEN, GRIDS, OURS, REPORTED_SEEDS, TrialScore


def test_number_accuracy_and_time_have_targets() -> None:
    rows = processes.run(quick=True)
    assert sum(row.target is not None for row in rows) == 3
    assert all(row.ours is not None and row.peer is not None for row in rows)


def test_share_of_four_counts_streams_with_exactly_four_clusters() -> None:
    scores = [TrialScore(0.7, 0.7, n, 0.1) for n in (3, 4, 4, 5)]
    assert processes.share_of_four(scores) == 0.5


def test_seeds_for_choosing_are_never_reported() -> None:
    assert not set(CHOOSING_SEEDS) & set(REPORTED_SEEDS)


@pytest.mark.parametrize("name", [OURS, BASELINE])
def test_parameters_are_in_their_grid(name: str) -> None:
    assert CHOSEN[name] in list(product_of(dict, GRIDS[name]))


def test_the_baseline_gets_the_parameters_that_track_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GRIDS, BASELINE, {"birth_cost": (0.01, 20.0), "lifetime": (3.0,)})
    assert processes.choose(BASELINE, seeds=[0])["birth_cost"] == 20.0
