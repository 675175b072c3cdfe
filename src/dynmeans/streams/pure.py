"""One step of one stream as a pure function: bytes in, bytes out."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from copy import copy
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from dynmeans._files.snapshot import SnapshotError
from dynmeans._model.events import Event
from dynmeans._model.types import IntArray
from dynmeans.estimators import DMeans
from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.estimators._state_files.encoding import saved_parameters
from dynmeans.estimators._state_files.history_arrays import history_arrays, history_events
from dynmeans.estimators._state_files.model_bytes import DecodedModel, decode_model, encode_model
from dynmeans.estimators._state_files.state_checks import WHOLE, column, require
from dynmeans.estimators._validation import draw_seed, shown

KEY = "batch"  # in the header of a snapshot: what identifies the last batch
LABELS = "batch_labels"
_NUMBER = struct.Struct("<d")
_DEFAULTS = {"random_state": 0, "history_size": 0, "n_jobs": 1}


class StreamStep(NamedTuple):
    """Result of `step`.

    Attributes
    ----------
    state : bytes
        State after the step, which :func:`dynmeans.from_bytes` reads.
    labels : ndarray of shape (n,)
        Id of every row.
    events : tuple of Event
        Births, revivals, sleeps, deaths, splits, merges and confirmations of the step.
    """

    state: bytes
    labels: IntArray
    events: tuple[Event, ...]


def step(
    state: bytes | None,
    X: Any,
    t: float,
    params: Mapping[str, Any] | BatchClusterer,
    *,
    sample_weight: Any = None,
) -> StreamStep:
    """Run one step of one stream, for engines that keep the state of each key.

    The function is pure: equal arguments give equal results, in any process. It is idempotent: the state
    identifies its last batch, and a call with this batch again returns the same labels and events, and the
    same state.

    Parameters
    ----------
    state : bytes or None
        State after the previous step; None before the first one.
    X : array-like of shape (n, n_features)
        Rows of the step. There may be none, shape (0, n_features): time passes.
    t : float
        Event time. It must be after the time of the previous step, unless the batch is the same.
    params : mapping, or unfitted estimator
        Parameters of :class:`dynmeans.DMeans`, or a `DMeans`, `KDMeans` or `SDMeans`. They must be the same
        in all steps. Defaults in a mapping: ``random_state=0``, ``history_size=0`` and ``n_jobs=1``.
    sample_weight : array-like of shape (n,), optional
        As in :meth:`dynmeans.DMeans.partial_fit`.

    Returns
    -------
    StreamStep
        ``(state, labels, events)``.

    Raises
    ------
    ValueError
        If an argument is invalid, the time is not after that of the previous step, or the parameters are not
        those of the state.
    SnapshotError
        If the state is damaged. It is a `ValueError`.

    Examples
    --------
    >>> from dynmeans.streams import step
    >>> params = {"birth_cost": 1.0}
    >>> state, labels, events = step(None, [[0.0], [5.0]], 1.0, params)
    >>> state, labels, events = step(state, [[5.1], [9.0]], 2.0, params)
    >>> labels, [event.kind for event in events]
    (array([0, 2]), ['birth', 'sleep'])
    >>> again = step(state, [[5.1], [9.0]], 2.0, params)
    >>> again.state == state, again.labels
    (True, array([0, 2]))
    """
    time = _valid_time(t)
    given = _given(params)
    batch = _digest(X, sample_weight, time)
    if state is None:
        return _next(copy(given.template), X, time, sample_weight, batch)
    known = decode_model(bytes(state), "the state")
    model = known.model
    _check_parameters(given, known)
    clock = model._remembered.clock
    if time > clock:
        return _next(model, X, time, sample_weight, batch)
    if time == clock and _last_digest(known.header) == batch:
        return _replay(bytes(state), known)
    raise ValueError(f"t must be after t={clock!r} of the last step, or repeat its batch; got t={time!r}")


def _valid_time(t: Any) -> float:
    """Return a finite time; it identifies a batch, so it has no default."""
    is_number = isinstance(t, (int, float, np.integer, np.floating)) and not isinstance(t, bool)
    if not (is_number and math.isfinite(t)):
        raise ValueError(f"t must be a finite number, got {shown(t)}")
    return float(t)


class _Given(NamedTuple):
    """The parameters of a call."""

    template: BatchClusterer  # not fitted
    saved: dict[str, Any]  # its parameters in a state
    seed: int


def _given(params: Mapping[str, Any] | BatchClusterer) -> _Given:
    """Return the parameters; a mapping is read once, not in every step of every stream."""
    if isinstance(params, BatchClusterer):
        return _checked(clone(params))
    if not isinstance(params, Mapping):
        raise TypeError(f"params must be a mapping or an estimator of dynmeans, got {shown(params)}")
    try:
        return _from_mapping(tuple(params), *params.values())
    except TypeError:  # a value that has no hash, or a name that is not a parameter
        return _checked(DMeans(**{**_DEFAULTS, **params}))


@lru_cache(maxsize=256, typed=True)  # typed: True is not a valid number
def _from_mapping(names: tuple[str, ...], *values: Any) -> _Given:
    return _checked(DMeans(**{**_DEFAULTS, **dict(zip(names, values, strict=True))}))


def _checked(model: BatchClusterer) -> _Given:
    """Return an unfitted estimator whose results depend on its arguments only."""
    seed = model.random_state
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ValueError(f"random_state must be a whole number, so that steps are repeatable, got {seed!r}")
    if model.on_event is not None:
        raise ValueError("on_event must be None: the events are returned")
    if hasattr(model, "estimator"):
        raise ValueError("params must be of DMeans, KDMeans or SDMeans: a state holds no other clusterer")
    return _Given(model, saved_parameters(model), draw_seed(seed))


def _digest(X: Any, sample_weight: Any, time: float) -> str:
    """Return a checksum of a batch."""
    total = blake2b(digest_size=16)
    _add(total, X)
    total.update(b"<f8 () " + _NUMBER.pack(time))
    if sample_weight is not None:
        _add(total, sample_weight)
    return total.hexdigest()


def _add(total: Any, values: Any) -> None:
    array = np.asarray(values)
    array = array if array.dtype.kind == "f" else array.astype(np.float64)
    total.update(f"{array.dtype.str} {array.shape} ".encode() + array.tobytes())


def _check_parameters(given: _Given, known: DecodedModel) -> None:
    """Refuse parameters other than those of the state; the number of threads changes no result."""
    template, model = given.template, known.model
    if type(template) is not type(model):
        raise ValueError(
            f"params are of {type(template).__name__}, but the state is of {type(model).__name__}"
        )
    if given.saved == known.header["params"] and given.seed == model._seed:
        return
    made_with = {**saved_parameters(model), "random_state": model._seed}
    for name, value in {**given.saved, "random_state": given.seed}.items():
        if value != made_with[name] and name != "n_jobs":
            raise ValueError(f"params have {name}={value!r}, but the state was made with {made_with[name]!r}")


def _next(model: BatchClusterer, X: Any, time: float, sample_weight: Any, batch: str) -> StreamStep:
    events: list[Event] = []
    model.on_event = events.append
    labels = model.partial_fit(X, sample_weight=sample_weight, t=time).labels_
    # The events of the step are kept for a replay even if the history is shorter.
    history = events if len(events) > len(model._history) else model._history
    arrays = {**history_arrays(history), LABELS: labels}
    state = encode_model(model, {KEY: {"digest": batch}}, arrays)
    return StreamStep(state, labels, tuple(events))


def _last_digest(header: Mapping[str, Any]) -> str | None:
    """Return the checksum of the last batch; a file that ``save`` wrote has none."""
    batch = header.get(KEY)
    return batch.get("digest") if isinstance(batch, dict) else None


def _replay(state: bytes, known: DecodedModel) -> StreamStep:
    """Return the result of the last step again."""
    clusters, arrays = known.model._remembered, known.arrays
    if LABELS not in arrays:
        raise SnapshotError(f"the state lacks the array {LABELS!r}")
    labels = column(arrays, LABELS, (arrays[LABELS].size,), WHOLE)
    require(((labels >= -1) & (labels < clusters.next_id)).all(), "labels must be ids")
    events = history_events(arrays, clusters)
    return StreamStep(state, labels, tuple(event for event in events if event.step == clusters.n_steps))
