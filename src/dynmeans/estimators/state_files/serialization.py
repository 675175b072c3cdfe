"""Estimators to and from state files."""

from __future__ import annotations

import inspect
import sys
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from os import PathLike, fspath
from typing import Any, TypeVar

import numpy as np

from dynmeans._algorithms.kernel_space.kernel_step import KernelState
from dynmeans._algorithms.link_spaces import LinkState
from dynmeans._files.snapshot import (
    Snapshot,
    SnapshotError,
    read_snapshot,
    write_snapshot,
)
from dynmeans._model.state import ClusterState
from dynmeans.estimators.parameters.automatic import AutomaticParameters
from dynmeans.estimators.parameters.metric_choice import MetricChoice
from dynmeans.estimators.state_files.first_batches_arrays import (
    checked_first_batches,
    first_batches_arrays,
    first_batches_header,
)
from dynmeans.estimators.state_files.history_arrays import history_arrays, history_events
from dynmeans.estimators.state_files.item_arrays import checked_items, item_arrays
from dynmeans.estimators.state_files.state_checks import (
    LARGEST_WHOLE,
    STATE_ARRAYS,
    Arrays,
    check_directions,
    checked_estimates,
    checked_kernel,
    checked_memory,
    checked_metric,
    checked_names,
    checked_scale,
    checked_state,
    number,
    require,
    whole,
)
from dynmeans.estimators.validation import LARGEST_SEED, valid_count
from dynmeans.kernels import get_kernel, to_params

Result = TypeVar("Result")

_NOT_SAVED = ("on_event", "random_state", "estimator")  # code of the caller; the seed replaces random_state
_LARGEST = {
    "n_restarts": 1_000_000,
    "max_iter": 2**31 - 1,
    "budget": 2**31 - 1,
    "min_hits": LARGEST_WHOLE - 1,
    "n_jobs": 4096,
    "history_size": sys.maxsize,
}


def save_model(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted estimator to one file."""
    write_snapshot(path, to_snapshot(model))


def load(path: str | PathLike[str], *, estimator: Any = None) -> Any:
    """Read a saved estimator, which continues the stream.

    Its labels are, bit for bit, those of a run without interruption.

    Parameters
    ----------
    path : str or path-like
        A file written by ``model.save``.
    estimator : clusterer, optional
        For a saved :class:`PersistentIds`: the clusterer of later batches. A state file has no code, so it is
        not saved; without it, use ``update``, or set ``estimator`` later.

    Returns
    -------
    The estimator.

    Raises
    ------
    SnapshotError
        If the file is damaged, or inconsistent.

    Examples
    --------
    >>> import dynmeans, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.dynmeans")
    >>> dynmeans.DMeans(birth_cost=1.0).fit([[0.0], [0.1], [5.0]]).save(path)
    >>> dynmeans.load(path).predict([[4.0]])
    array([1])
    """
    model = naming(repr(fspath(path)), from_snapshot, read_snapshot(path))
    return with_estimator(model, estimator)


def naming(name: str, restore: Callable[..., Result], *arguments: Any) -> Result:
    """Restore a model, and put the name of its file into errors."""
    try:
        return restore_checked(restore, *arguments)
    except SnapshotError as error:
        raise SnapshotError(f"{name}: {error}") from error


def restore_checked(restore: Callable[..., Result], *arguments: Any) -> Result:
    """Restore a model; any error means an invalid file."""
    try:
        return restore(*arguments)
    except SnapshotError:
        raise
    except KeyError as error:
        raise SnapshotError(f"the state file lacks a part: {error}") from error
    except Exception as error:  # any error of a parameter check means an invalid file
        message = " ".join(str(error).split())
        raise SnapshotError(f"the state file has an impossible part: {message}") from error


def with_estimator(model: Any, estimator: Any) -> Any:
    """Return a `PersistentIds` with its clusterer, which a state file does not hold."""
    if estimator is not None:
        if not hasattr(model, "estimator"):
            raise ValueError(f"the state file holds a {type(model).__name__}, which takes no estimator")
        model.estimator = estimator
    return model


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
        attributes.get("metric_"),
        to_params(memory.kernel) if isinstance(memory, KernelState) else None,
        *_saved_values(kind)(attributes),
    )


@lru_cache(maxsize=64)
def _saved_values(kind: Any) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    return itemgetter("n_features_in_", "_seed", *_saved_names(kind))


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
        "params": {name: _plain(value) for name, value in zip(_saved_names(kind), values, strict=True)},
        "n_features": n_features,
        "seed": seed,
        "feature_names": list(feature_names),
    }
    if issubclass(kind, MetricChoice):
        header["metric"] = metric
    if kernel is not None:
        header["kernel"] = kernel
    return header


def own_entries(model: Any) -> dict[str, Any]:
    """Return the other entries of the header."""
    state: ClusterState = model._remembered
    own = {
        "guesses": list(model._birth_cost_estimates),
        "birth_cost": model.birth_cost_,
        "next_id": state.next_id,
        "clock": state.clock,
        "n_steps": state.n_steps,
    }
    if isinstance(model, AutomaticParameters) and model._first_batches is not None:
        own["first_batches"] = first_batches_header(model._first_batches)
    return own


def state_arrays(model: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Return the clusters, the log of events, and what else an estimator remembers, as arrays."""
    state: ClusterState = model._remembered
    arrays = dict(zip(STATE_ARRAYS, state.columns, strict=False))
    arrays.update(history_arrays(model._history))
    if isinstance(model, AutomaticParameters) and model._first_batches is not None:
        arrays |= first_batches_arrays(model._first_batches)
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
    return model._state.past if isinstance(model._state, LinkState) else model._state


def saved_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that a state file holds, as JSON values."""
    kind: Any = type(model)
    values = vars(model)
    return {name: _plain(values[name]) for name in _saved_names(kind)}


def from_snapshot(snapshot: Snapshot) -> Any:
    """Restore the estimator; an inconsistent snapshot is refused."""
    return restore_checked(lambda: restored(unfitted(snapshot.header), *snapshot))


def unfitted(header: dict[str, Any]) -> Any:
    """Create the estimator from the shared entries of the header; only the names below are allowed."""
    from dynmeans.estimators import DMeans, KDMeans, PersistentIds, SDMeans

    classes = {cls.__name__: cls for cls in (DMeans, KDMeans, PersistentIds, SDMeans)}
    name, params = header["estimator"], header["params"]
    if not isinstance(name, str) or name not in classes:
        raise SnapshotError(f"the state file holds an unknown estimator {name!r}")
    _check_names(name, classes[name], params)
    if isinstance(params.get("kernel"), dict):
        params = params | {"kernel": checked_kernel(params["kernel"])}
    seed = whole(header, "seed", 0, LARGEST_SEED + 1)
    model = classes[name](**params, random_state=seed)
    has_kernel = getattr(model, "kernel", None) is not None
    require(has_kernel == ("kernel" in header), f"{name} {'without' if has_kernel else 'with'} a kernel")
    _check_params(model)
    model._seed = seed
    model.n_features_in_ = whole(header, "n_features", 1)
    names = checked_names(header, model.n_features_in_)
    if names:
        model.feature_names_in_ = np.array(names, dtype=object)
    if isinstance(model, MetricChoice):
        model.metric_ = checked_metric(header, model.metric)
    return model


def restored(template: Any, header: dict[str, Any], arrays: Arrays) -> Any:
    """Return a fitted estimator with the parameters of an unfitted one."""
    model = object.__new__(type(template))  # `copy` takes ten times as long
    model.__dict__ = vars(template).copy()
    kernel = checked_kernel(header["kernel"], model.kernel) if "kernel" in header else None
    n_columns = 0 if kernel is not None and kernel.is_pairwise() else model.n_features_in_
    state = checked_state(header, arrays, n_columns)
    if getattr(model, "metric_", getattr(model, "metric", None)) == "cosine":
        check_directions(state)
    past = model._state = state if kernel is None else checked_memory(kernel, arrays, state)
    if header["estimator"] == "PersistentIds":
        scale = checked_scale(arrays, past, model.metric)
        model._state = LinkState(past, scale, checked_items(arrays, state.ids))
    model._birth_cost_estimates = checked_estimates(header)
    if isinstance(model, AutomaticParameters):
        model._first_batches = checked_first_batches(header, arrays, n_columns)
    model.birth_cost_ = number("birth_cost", header["birth_cost"], positive=True)
    model._history = deque(history_events(arrays, state), maxlen=model.history_size)
    return model


def _check_names(name: str, kind: Any, params: Any) -> None:
    if not isinstance(params, dict):
        raise SnapshotError(f"the state file has params={params!r}, where parameters by name belong")
    unknown = sorted(set(params).difference(_saved_names(kind)))
    if unknown:
        raise SnapshotError(f"the state file has a parameter {unknown[0]!r} that {name} does not have")


def _check_params(model: Any) -> None:
    """Raise the errors of the next step now, and refuse counts beyond the range of the core."""
    valid_count("history_size", model.history_size, 0)
    for name, most in _LARGEST.items():
        value = getattr(model, name, None)
        if isinstance(value, int) and value > most:
            raise SnapshotError(f"the state file has {name}={value}, where at most {most} belongs")
    for name in ("exclusive", "duplicates", "refine", "certify", "relative"):
        value = getattr(model, name, None)
        if value is not None and value not in (0, 1, "auto"):
            raise SnapshotError(f"the state file has {name}={value!r}, where true or false belongs")
    model._check_parameters()
    model._search_options(0)
    model._costs(1.0)


@lru_cache(maxsize=64)
def _saved_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the saved parameters of a class, sorted; this takes 100 microseconds."""
    return tuple(sorted(set(inspect.signature(kind).parameters) - set(_NOT_SAVED)))


def _plain(value: Any) -> Any:
    """Convert NumPy scalars and kernels to JSON values."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    return to_params(get_kernel(value)) if hasattr(value, "compare") or callable(value) else value
