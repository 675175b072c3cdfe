"""Candidates that every search tries: the defaults of `DMeans`, and one cluster for all rows.

A search of few candidates may miss both. The result of `tune` should not be worse than the defaults, which
are kept unless another candidate is clearly better. Data without separate clusters should be recognized.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynmeans._model.costs import drift_from_reach
from dynmeans._model.events import StepParameters
from dynmeans._model.types import FloatArray
from dynmeans.estimators import DMeans
from dynmeans.tuning._scorers import configure
from dynmeans.tuning._space import Space
from dynmeans.tuning._stream import TuningStream

ONE_CLUSTER = np.array([1.0, 1.0, 0.5])  # largest birth cost, longest lifetime, middle drift


def with_known_candidates(
    spaces: Sequence[Space], model: DMeans, stream: TuningStream, motions: Sequence[str] | None
) -> list[Space]:
    """Add the default and one cluster to the spaces of plain, refined and exclusive D-Means."""
    default = estimate_default(model, stream, motions)
    return [
        space._replace(
            estimate=_default_in(space, default),
            known=_one_cluster_in(space),
            default_lifetime=default.lifetime / space.interval,
            merges=default.merge,
        )
        for space in spaces
    ]


def estimate_default(model: DMeans, stream: TuningStream, motions: Sequence[str] | None) -> StepParameters:
    """Return the parameters that the model estimates from the first batches if none of them is set."""
    free: dict[str, Any] = {"birth_cost": "auto", "metric": "euclidean"}
    if motions is not None:
        free["motion"] = motions[0] if len(motions) == 1 else None
    default = configure(model, free, seed=0)
    default._is_silent = True
    for step in stream.steps:
        default.partial_fit(**step)
        if default.step_.birth_cost_final:
            break
    found: StepParameters = default.parameters_
    return found


def _default_in(space: Space, default: StepParameters) -> tuple[FloatArray, int] | None:
    """Return position and choice of the default; None if it is not in this space."""
    same = [
        i
        for i, choice in enumerate(space.choices)
        if all(getattr(default, name) == value for name, value in choice.items())
    ]
    if not same or default.reach is None:
        return None
    lifetime = default.lifetime / space.interval
    values = {
        "birth_cost": default.birth_cost,
        "lifetime": lifetime,
        "drift": drift_from_reach(lifetime, default.reach),
    }
    shares = [axis.share(values[axis.name]) for axis in space.axes]
    return np.clip(shares, 0.0, 1.0), same[0]


def _one_cluster_in(space: Space) -> tuple[tuple[FloatArray, int], ...]:
    return () if space.choices[0].get("exclusive") else ((ONE_CLUSTER, 0),)
