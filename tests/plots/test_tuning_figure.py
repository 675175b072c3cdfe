"""The figure of a search."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from dynmeans.plots._tuning import draw_tuning


@pytest.mark.parametrize(("drift", "scale"), [([0.0, 0.0], "linear"), ([0.0, 0.5], "log")])
def test_a_parameter_that_is_always_zero_has_a_linear_axis(drift: Any, scale: str) -> None:
    """With the cosine metric clusters do not drift, and Matplotlib gave a warning."""
    pytest.importorskip("matplotlib")
    table = {
        "birth_cost": np.array([0.5, 0.7]),
        "drift": np.array(drift),
        "score": np.array([0.1, 0.2]),
        "n_clusters": np.array([3.0, 4.0]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw_tuning(table)
        figure.draw_without_rendering()
    assert [axes.get_xscale() for axes in figure.axes[:2]] == ["log", scale]
