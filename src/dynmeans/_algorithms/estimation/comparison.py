"""Comparison of parameters: each clusters the sample of the first batches, and the results are encoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from dynmeans._algorithms.estimation.candidates import DescentParameters
from dynmeans._algorithms.estimation.first_batches import MAX_ROWS, FirstBatches, cluster_sample
from dynmeans._codes.two_codes import CodeLengths, TwoCodes
from dynmeans._model.costs import Costs
from dynmeans._model.types import IntArray

CostsOf = Callable[[DescentParameters, float], Costs]  # (parameters, median interval) -> costs


class Attempt(NamedTuple):
    """Parameters with the code lengths of their result."""

    parameters: DescentParameters
    lengths: CodeLengths


class Comparison:
    """Results of parameters on one sample, each computed once.

    Parameters
    ----------
    sample : FirstBatches
    costs_of : callable
        Returns the costs for parameters and the median interval.
    """

    def __init__(self, sample: FirstBatches, costs_of: CostsOf) -> None:
        self.sample = sample
        self.codes = TwoCodes(sample.rows, np.array(sample.times), sample.weights, max_rows=MAX_ROWS)
        self.by_forest = False  # whether the forest code is used
        self._costs_of = costs_of
        self._labels: dict[DescentParameters, list[IntArray]] = {}

    def labels(self, parameters: DescentParameters) -> list[IntArray]:
        """Return the ids of the rows of each batch."""
        if parameters not in self._labels:
            costs = self._costs_of(parameters, self.sample.interval)
            self._labels[parameters] = cluster_sample(self.sample, parameters, costs)[1]
        return self._labels[parameters]

    def lengths(self, parameters: DescentParameters) -> CodeLengths:
        """Return both code lengths of the result."""
        return self.codes.lengths(self.labels(parameters), exclusive=parameters.exclusive)

    def length(self, parameters: DescentParameters) -> float:
        """Return the length of the result in the code that is used, in nats per row."""
        return self.lengths(parameters).of(self.by_forest)

    def shortest(self, by_forest: bool) -> CodeLengths:
        """Return the lengths of the best of all results so far by one of the codes."""
        return min(map(self.lengths, self._labels), key=lambda lengths: lengths.of(by_forest))

    def attempts(self, some: Sequence[DescentParameters]) -> list[Attempt]:
        """Return parameters with the code lengths of their results."""
        return [Attempt(each, self.lengths(each)) for each in some]
