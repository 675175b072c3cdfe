"""The paper's procedure: birth cost on single batches first, then lifetime and reach."""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.estimation.birth_cost import estimate_birth_cost
from dynmeans._sampling import evenly_spaced
from dynmeans.tuning._space import Space
from dynmeans.tuning._stream import TuningStream

BATCHES = 10  # single batches that determine the birth cost


def paper_space(space: Space, stream: TuningStream, seed: int) -> Space:
    """Fix the birth cost of a space at the median of the estimates from single batches.

    Kernels have no such estimate; their birth cost is a share of the batch and is searched. On the sphere,
    which has no reach, the default of the space is such an estimate.
    """
    if any("relative" in choice for choice in space.choices):
        return space
    if space.defaults is not None and all(axis.name != "reach" for axis in space.axes):
        return _with_birth_cost(space, space.axes[0].value(float(space.defaults[0])))
    some = evenly_spaced(len(stream.batches), BATCHES)
    found = [estimate_birth_cost(stream.batches[i], None, seed) for i in some]
    births = [birth for birth in found if birth is not None]
    middle = float(np.exp(np.median(np.log(births))))
    return _with_birth_cost(space, middle)


def _with_birth_cost(space: Space, middle: float) -> Space:
    axes = tuple(
        axis._replace(low=middle, high=middle) if axis.name == "birth_cost" else axis for axis in space.axes
    )
    return space._replace(axes=axes, estimate=None, known=())
