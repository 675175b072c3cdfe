"""Estimators to and from state files."""

from __future__ import annotations

import math
from collections import deque
from os import PathLike
from typing import Any, get_args

import numpy as np

from dynmeans.algorithms.kernel_step import KernelMemory
from dynmeans.algorithms.link_scale import KernelScale, LinkMemory, PlaceScale
from dynmeans.algorithms.scale import LOOKS
from dynmeans.algorithms.support import Support
from dynmeans.io.snapshot import Snapshot, SnapshotError, read_snapshot, write_snapshot
from dynmeans.kernels import Precomputed, kernel_from_params, kernel_named, to_params
from dynmeans.model.events import Event, EventKind
from dynmeans.model.state import ClusterState

KINDS: tuple[EventKind, ...] = get_args(EventKind)
_NOT_SAVED = ("on_event", "random_state", "estimator")  # code of others, and what the seed stands for
_STATE_ARRAYS = ("centers", "weights", "velocities", "velocity_cov", "last_seen", "ids")


def save_model(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted estimator to one file."""
    write_snapshot(path, to_snapshot(model))


def load(path: str | PathLike[str], *, estimator: Any = None) -> Any:
    """Read an estimator that was saved, ready to go on with the stream.

    Going on gives, bit for bit, the labels of a run that never stopped.

    Parameters
    ----------
    path : str or path-like
        A file written by ``model.save``.
    estimator : clusterer, optional
        For a saved :class:`PersistentIds`: the clusterer to go on with. A file holds no code, so this one is
        not in it; without it the model goes on by ``update``, or when its ``estimator`` is set.

    Returns
    -------
    The estimator.

    Examples
    --------
    >>> import dynmeans, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.dynmeans")
    >>> dynmeans.DMeans(birth_cost=1.0).fit([[0.0], [0.1], [5.0]]).save(path)
    >>> dynmeans.load(path).predict([[4.0]])
    array([1])
    """
    model = from_snapshot(read_snapshot(path))
    if estimator is not None:
        if not hasattr(model, "estimator"):
            raise ValueError(f"the state file holds a {type(model).__name__}, which takes no estimator")
        model.estimator = estimator
    return model


def to_snapshot(model: Any) -> Snapshot:
    """Gather all that a fitted estimator needs to go on."""
    state: ClusterState = model._remembered
    params = {k: v for k, v in model.get_params(deep=False).items() if k not in _NOT_SAVED}
    header = {
        "estimator": type(model).__name__,
        "params": {name: _plain(value) for name, value in params.items()},
        "n_features": model.n_features_in_,
        "seed": model._seed,
        "guesses": list(model._guesses),
        "birth_cost": model.birth_cost_,
        "next_id": state.next_id,
        "clock": state.clock,
        "n_steps": state.n_steps,
        "feature_names": [str(name) for name in getattr(model, "feature_names_in_", [])],
    }
    arrays = {name: getattr(state, name) for name in _STATE_ARRAYS} | _history_arrays(model.history_)
    memory = model._state
    if isinstance(memory, LinkMemory):
        arrays["scale"] = np.hstack(memory.scale)
        memory = memory.past
    if isinstance(memory, KernelMemory):
        header["kernel"] = to_params(memory.kernel)
        arrays |= {f"support_{name}": column for name, column in memory.support._asdict().items()}
        arrays["origins"] = memory.origins
    return Snapshot(header, arrays)


def from_snapshot(snapshot: Snapshot) -> Any:
    """Build the estimator again; a snapshot that contradicts itself is refused."""
    header, arrays = snapshot
    try:
        model = _unfitted(header)
        state = _checked_state(header, arrays)
        past = _checked_memory(header, arrays, state) if "kernel" in header else state
        model._state = LinkMemory(past, _checked_scale(arrays, past)) if _is_linking(header) else past
        model._seed = _whole(header["seed"])
        model._guesses = _guesses(header)
        model.birth_cost_ = float(header["birth_cost"])
        model._history = deque(_history_events(arrays), maxlen=_whole(header["params"]["history_size"]))
        model.n_features_in_ = _whole(header["n_features"])
        if header["feature_names"]:
            model.feature_names_in_ = np.array(header["feature_names"], dtype=object)
    except SnapshotError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise SnapshotError(f"the state file lacks or garbles a part: {error}") from error
    return model


def _unfitted(header: dict[str, Any]) -> Any:
    """The estimator with its parameters; only the names below can be built, whatever the file says."""
    from dynmeans.estimators import DMeans, KDMeans, PersistentIds, SDMeans

    classes = {cls.__name__: cls for cls in (DMeans, KDMeans, PersistentIds, SDMeans)}
    name, params = header["estimator"], dict(header["params"])
    if name not in classes:
        raise SnapshotError(f"the state file holds an unknown estimator {name!r}")
    has_kernel = "kernel" in params and params["kernel"] is not None
    if has_kernel != ("kernel" in header):
        raise SnapshotError(
            f"the state file contradicts itself: {name} {'without' if has_kernel else 'with'} a kernel"
        )
    if isinstance(params.get("kernel"), dict):
        params["kernel"] = kernel_from_params(params["kernel"])
    return classes[name](**params, random_state=header["seed"])


def _plain(value: Any) -> Any:
    """NumPy scalars and kernels as JSON has them."""
    if isinstance(value, np.generic):
        return value.item()
    return to_params(kernel_named(value)) if hasattr(value, "compare") or callable(value) else value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SnapshotError(f"the state file has {value!r} where a whole number belongs")
    return value


def _guesses(header: dict[str, Any]) -> tuple[float, ...]:
    """Birth costs that were estimated; a file from before they were refined holds one, which was settled."""
    if "guesses" in header:
        found = tuple(float(guess) for guess in header["guesses"])
    else:
        found = () if header["estimate"] is None else (float(header["estimate"]),) * LOOKS
    if not all(math.isfinite(guess) and guess > 0 for guess in found):
        raise SnapshotError(f"the state file has estimated birth costs that are not positive: {found}")
    return found


def _checked_state(header: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> ClusterState:
    columns = {name: arrays[name] for name in _STATE_ARRAYS}
    state = ClusterState(
        **columns,
        next_id=_whole(header["next_id"]),
        clock=float(header["clock"]),
        n_steps=_whole(header["n_steps"]),
    )
    n, d = state.centers.shape if state.centers.ndim == 2 else (-1, -1)
    shapes = {"centers": (n, d), "velocities": (n, d), "velocity_cov": (n, 2)}
    if state.velocities.shape == (n, 0):  # the motion knows none
        shapes["velocities"] = (n, 0)
    for name, column in columns.items():
        wanted = np.int64 if name == "ids" else np.float64
        if column.shape != shapes.get(name, (n,)) or column.dtype != wanted or not np.isfinite(column).all():
            raise SnapshotError(f"the state file has a wrong array {name!r}: {column.dtype} {column.shape}")
    sound = (
        n >= (0 if _is_linking(header) else 1)  # all rows may have been noise
        and (d >= 1 or "kernel" in header)
        and bool((state.weights > 0).all())
        and bool((np.diff(state.ids) > 0).all())
        and bool((state.ids >= 0).all())
        and bool((state.ids < state.next_id).all())
        and math.isfinite(state.clock)
        and bool((state.last_seen <= state.clock).all())
    )
    if not sound:
        raise SnapshotError("the state file contradicts itself: weights, ids or times are out of order")
    return state


def _is_linking(header: dict[str, Any]) -> bool:
    return bool(header["estimator"] == "PersistentIds")


def _checked_scale(
    arrays: dict[str, np.ndarray[Any, Any]], past: ClusterState | KernelMemory
) -> PlaceScale | KernelScale:
    scale = arrays["scale"]
    d = 0 if isinstance(past, KernelMemory) else past.centers.shape[1]
    n_numbers = len(KernelScale._fields) if d == 0 else d + len(PlaceScale._fields) - 1
    if scale.shape != (n_numbers,) or scale.dtype != np.float64 or not np.isfinite(scale).all():
        raise SnapshotError(f"the state file has a wrong array 'scale': {scale.dtype} {scale.shape}")
    numbers = scale[d:].tolist()
    return KernelScale(*numbers) if d == 0 else PlaceScale(scale[:d].copy(), *numbers)


def _checked_memory(
    header: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]], clusters: ClusterState
) -> KernelMemory:
    support = Support(*(arrays[f"support_{name}"] for name in Support._fields))
    m, kernel = len(support.ids), kernel_from_params(header["kernel"])
    columns = m if isinstance(kernel, Precomputed) else clusters.centers.shape[1]
    shapes = [(m, columns), (m,), (m,)]
    for name, column, shape in zip(Support._fields, support, shapes, strict=True):
        wanted = np.int64 if name == "ids" else np.float64
        if column.shape != shape or column.dtype != wanted or not np.isfinite(column).all():
            raise SnapshotError(
                f"the state file has a wrong array 'support_{name}': {column.dtype} {column.shape}"
            )
    if not np.array_equal(np.unique(support.ids), clusters.ids) or (np.diff(support.ids) < 0).any():
        raise SnapshotError("the state file contradicts itself: kept points and clusters do not match")
    origins = arrays["origins"]
    if origins.shape != (m if isinstance(kernel, Precomputed) else 0, 2) or origins.dtype != np.int64:
        raise SnapshotError(f"the state file has a wrong array 'origins': {origins.dtype} {origins.shape}")
    return KernelMemory(clusters, support, kernel, origins)


def _history_arrays(history: tuple[Event, ...]) -> dict[str, np.ndarray[Any, Any]]:
    return {
        "event_kind": np.array([KINDS.index(e.kind) for e in history], dtype=np.uint8),
        "event_id": np.array([e.id for e in history], dtype=np.int64),
        "event_step": np.array([e.step for e in history], dtype=np.int64),
        "event_time": np.array([e.time for e in history], dtype=np.float64),
        "event_cost": np.array([e.cost for e in history], dtype=np.float64),
        "event_n_others": np.array([len(e.others) for e in history], dtype=np.int64),
        "event_others": np.array([k for e in history for k in e.others], dtype=np.int64),
    }


def _history_events(arrays: dict[str, np.ndarray[Any, Any]]) -> list[Event]:
    columns = [arrays[f"event_{name}"].tolist() for name in ("kind", "id", "step", "time", "cost")]
    if "event_others" not in arrays:  # a file from before splits and merges were told
        columns.append([()] * len(columns[0]))
    else:
        others = np.split(arrays["event_others"], np.cumsum(arrays["event_n_others"]))[:-1]
        columns.append([tuple(ids.tolist()) for ids in others])
    if len({len(column) for column in columns}) != 1:
        raise SnapshotError("the state file has event columns of different lengths")
    return [Event(KINDS[kind], *rest) for kind, *rest in zip(*columns, strict=True)]
