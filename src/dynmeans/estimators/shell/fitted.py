"""Fitted attributes that are computed from the state of an estimator."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from typing import Any

from dynmeans._model.events import Event
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray, IntArray


class FittedAttributes:
    """Mixin with the attributes of the remembered clusters, sleeping ones included."""

    _state: Any  # everything that the next step needs, except the seed and the estimates
    _history: deque[Event]

    @abstractmethod
    def _clusters(self, state: Any) -> ClusterState:
        """Return the remembered clusters of a state."""

    @property
    def n_clusters_(self) -> int:
        """Number of remembered clusters, sleeping ones included."""
        return len(self._remembered.ids)

    @property
    def cluster_ids_(self) -> IntArray:
        """Ids of the remembered clusters (K,), ascending."""
        return self._remembered.ids

    @property
    def cluster_centers_(self) -> FloatArray:
        """Positions of the remembered clusters (K, n_features) when they were last seen."""
        return self._remembered.centers

    @property
    def cluster_weights_(self) -> FloatArray:
        """Evidence for each center (K,), in points."""
        return self._remembered.weights

    @property
    def cluster_ages_(self) -> FloatArray:
        """Time since each cluster was last seen (K,), 0 for active clusters."""
        return self._remembered.clock - self._remembered.last_seen

    @property
    def n_steps_(self) -> int:
        """Number of time steps so far."""
        return self._remembered.n_steps

    @property
    def history_(self) -> tuple[Event, ...]:
        """The latest events, at most ``history_size``, in order of time."""
        self._remembered  # noqa: B018
        return tuple(self._history)

    @property
    def _remembered(self) -> ClusterState:
        if not hasattr(self, "_state"):
            raise AttributeError(
                f"this {type(self).__name__} is not fitted yet: call fit or partial_fit first"
            )
        return self._clusters(self._state)
