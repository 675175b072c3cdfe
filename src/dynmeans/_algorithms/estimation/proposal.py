"""A change of the features that the user may make."""

from __future__ import annotations

from typing import NamedTuple


class Proposal(NamedTuple):
    """Features that have clearly better clusters than those that were given: either scales or logarithms."""

    scales: tuple[float, ...] = ()  # by which each feature is divided
    logarithms: tuple[int, ...] = ()  # numbers of the features, from 0, that are replaced by their logarithms
