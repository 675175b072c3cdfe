"""The radius of costs.md is that of the code."""

from __future__ import annotations

import numpy as np
import pytest
from catch_radius import squared_radius

from dynmeans import DMeans

LIFETIME, REACH = 30.0, 2.0
AGES = (1.0, 2.0, 5.0, 10.0, 20.0, 29.0)


def sighted(motion: str, steps: int, n_points: int = 50) -> DMeans:
    """A cluster that stands still at the origin, and that has been seen some times."""
    model = DMeans(1.0, LIFETIME, REACH, motion=motion, random_state=0)
    for _ in range(steps):
        model.partial_fit(np.zeros((n_points, 2)))
    return model


def is_revived(motion: str, steps: int, age: float, distance: float) -> bool:
    model = sighted(motion, steps)
    row = distance * np.array([[0.6, 0.8]])
    return model.partial_fit(row, t=steps + age).labels_.tolist() == [0]


@pytest.mark.parametrize("motion", ["walk", "velocity"])
@pytest.mark.parametrize("steps", [1, 2, 5, 40])
@pytest.mark.parametrize("age", AGES)
def test_a_cluster_is_revived_within_the_radius_and_not_beyond(motion: str, steps: int, age: float) -> None:
    weight = float(sighted(motion, steps).cluster_weights_[0])
    radius = np.sqrt(squared_radius(age, LIFETIME, REACH, weight))
    assert is_revived(motion, steps, age, 0.999 * radius)
    assert not is_revived(motion, steps, age, 1.001 * radius)


def test_the_radius_is_that_of_the_page() -> None:
    ages = np.array([1.0, 5.0, 10.0, 20.0])
    assert np.sqrt(squared_radius(ages, LIFETIME, REACH)).round(1).tolist() == [1.4, 2.3, 2.8, 2.7]
    assert squared_radius(LIFETIME, LIFETIME, REACH) == pytest.approx(0.0)
