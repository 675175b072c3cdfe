"""Estimators to state files."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from os import PathLike
from typing import Any

import numpy as np

from dynmeans._algorithms.kernel_space.kernel_state import KernelState
from dynmeans._algorithms.linking.link_spaces import LinkState
from dynmeans._files.snapshot import Snapshot, write_snapshot
from dynmeans._model.state import ClusterState
from dynmeans.estimators._state_files.first_batches_arrays import first_batches_arrays, first_batches_header
from dynmeans.estimators._state_files.history_arrays import history_arrays
from dynmeans.estimators._state_files.item_arrays import item_arrays
from dynmeans.estimators._state_files.state_checks import STATE_ARRAYS
from dynmeans.kernels import get_kernel, to_params

_NOT_SAVED = ("on_event", "random_state", "estimator")  # code of the caller; the seed replaces random_state


def save_model(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted estimator to one file."""
    write_snapshot(path, to_snapshot(model))


def to_snapshot(model: Any) -> Snapshot:
    """Collect all that a fitted estimator needs to continue."""
    return Snapshot({**shared_header(*shared_values(model)), **own_entries(model)}, state_arrays(model))


def shared_values(model: Any) -> tuple[Any, ...]:
    """Return the arguments of `shared_header`. Those of a model with a kernel have no hash."""
    kind: Any = type(model)
    attributes, memory = vars(model), _memory(model)
    names = attributes.get("feature_names_in_")
    return (
        kind,
        () if names is None else tuple([str(name) for name in names]),
        attributes["_estimates"].metric,
        to_params(memory.kernel) if isinstance(memory, KernelState) else None,
        *_saved_values(kind)(attributes),
    )


@lru_cache(maxsize=64)
def _saved_values(kind: Any) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    return itemgetter("n_features_in_", "_seed", *saved_names(kind))


def shared_header(
    kind: Any,
    feature_names: tuple[str, ...],
    metric: str | None,
    kernel: dict[str, Any] | None,
    n_features: int,
    seed: int,
    *values: Any,
) -> dict[str, Any]:
    """Return the entries of the header that the models of many streams share."""
    header = {
        "estimator": kind.__name__,
        "params": {name: _plain(value) for name, value in zip(saved_names(kind), values, strict=True)},
        "n_features": n_features,
        "seed": seed,
        "feature_names": list(feature_names),
    }
    if has_metric(kind):
        header["metric"] = metric
    if kernel is not None:
        header["kernel"] = kernel
    return header


def own_entries(model: Any) -> dict[str, Any]:
    """Return the other entries of the header."""
    state: ClusterState = model._remembered
    own = {
        "guesses": list(model._estimates.birth_costs),
        "birth_cost": model.birth_cost_,
        "next_id": state.next_id,
        "clock": state.clock,
        "n_steps": state.n_steps,
    }
    if model._estimates.times:
        own["times"] = list(model._estimates.times)
    if model._estimates.first_batches is not None:
        own["first_batches"] = first_batches_header(model._estimates.first_batches)
    return own


def state_arrays(model: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Return the clusters, the log of events, and what else an estimator remembers, as arrays."""
    state: ClusterState = model._remembered
    arrays = dict(zip(STATE_ARRAYS, state.columns, strict=False))
    arrays.update(history_arrays(model._history))
    if model._estimates.first_batches is not None:
        arrays |= first_batches_arrays(model._estimates.first_batches)
    if isinstance(model._state, LinkState):
        arrays["scale"] = np.hstack(model._state.scale)
        arrays |= item_arrays(model._state.memory)
    memory = _memory(model)
    if isinstance(memory, KernelState):
        arrays |= {f"support_{name}": column for name, column in memory.support._asdict().items()}
        arrays["origins"] = memory.origins
    return arrays


def _memory(model: Any) -> Any:
    """Return the remembered clusters, in the space of the kernel if there is one."""
    return model._state.remembered if isinstance(model._state, LinkState) else model._state


def saved_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that a state file holds, as JSON values."""
    kind: Any = type(model)
    values = vars(model)
    return {name: _plain(values[name]) for name in saved_names(kind)}


@lru_cache(maxsize=64)
def saved_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the saved parameters of a class, sorted; this takes 100 microseconds."""
    return tuple(sorted(set(inspect.signature(kind).parameters) - set(_NOT_SAVED)))


def _plain(value: Any) -> Any:
    """Convert NumPy scalars and kernels to JSON values."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | np.ndarray):
        return np.asarray(value).tolist()
    return to_params(get_kernel(value)) if hasattr(value, "compare") or callable(value) else value


def has_metric(kind: Any) -> bool:
    """Return whether a class chooses a metric and estimates parameters jointly, as `DMeans` does."""
    return hasattr(kind, "metric_")
