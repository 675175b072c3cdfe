"""Distance up to which a sleeping cluster is revived: the formula of costs.md, its picture and its test."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynmeans._model.costs import drift_from_reach


def squared_radius(age: Any, lifetime: float, reach: float, weight: float = np.inf) -> Any:
    """Return the squared distance from the forecast up to which one point revives a cluster, in birth costs.

    Parameters
    ----------
    age : float or ndarray
        Time since the cluster was last seen, at least 1.
    lifetime, reach : float
        As in `DMeans`.
    weight : float
        Evidence for the position of the cluster, in points; infinite for a well-known one.
    """
    tau = drift_from_reach(lifetime, reach)
    return (1 - np.asarray(age) / lifetime) * (1 + 1 / weight + tau * np.asarray(age))
