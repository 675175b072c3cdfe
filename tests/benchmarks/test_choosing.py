from __future__ import annotations

import pytest

from benchmarks import tracking
from benchmarks.choosing import mean_over, product_of


def test_grid_holds_every_combination() -> None:
    assert list(product_of(dict, {"a": (1, 2), "b": ("x",)})) == [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]


def test_mean_is_taken_over_the_seeds() -> None:
    assert mean_over([1, 2, 6], float) == 3.0


def test_chosen_parameters_track_best_on_the_choosing_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tracking.GRIDS, tracking.OURS, {"birth_cost": (0.0001, 0.06), "lifetime": (3.0,)})
    assert tracking.choose(tracking.OURS, seeds=[0])["birth_cost"] == 0.06


def test_seeds_for_choosing_are_never_reported() -> None:
    assert not set(tracking.CHOOSING_SEEDS) & set(tracking.REPORTED_SEEDS)
    assert len(tracking.REPORTED_SEEDS) == 50


def test_the_parameters_of_every_method_are_in_its_grid() -> None:
    for name, grid in tracking.GRIDS.items():
        assert tracking.CHOSEN[name] in list(product_of(dict, grid))
