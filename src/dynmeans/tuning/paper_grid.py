"""The paper's procedure: the birth cost first, on single batches without time, then the two others."""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.birth_cost import estimate_birth_cost
from dynmeans.tuning.space import Space
from dynmeans.tuning.stream import TuningStream

BATCHES = 10  # single batches from which the birth cost comes


def paper_space(space: Space, stream: TuningStream, seed: int) -> Space:
    """The space with one birth cost: the middle of those that describe single batches best.

    For kernels there is no such description; their birth cost stays a share of the batch to be searched.
    """
    if any("relative" in choice for choice in space.choices):
        return space
    every = np.linspace(0, len(stream.batches) - 1, min(len(stream.batches), BATCHES)).astype(int)
    found = [estimate_birth_cost(stream.batches[i], None, seed) for i in every]
    births = [birth for birth in found if birth is not None]
    middle = float(np.exp(np.median(np.log(births))))
    axes = tuple(
        axis._replace(low=middle, high=middle) if axis.name == "birth_cost" else axis for axis in space.axes
    )
    return space._replace(axes=axes)
