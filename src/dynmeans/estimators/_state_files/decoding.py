"""Estimators from state files."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from os import PathLike, fspath
from typing import Any, TypeVar

import numpy as np

from dynmeans._algorithms.linking.link_spaces import LinkState
from dynmeans._files.snapshot import Snapshot, SnapshotError, read_snapshot
from dynmeans.estimators._parameters.estimates import Estimates
from dynmeans.estimators._parameters.feature_scales import scales_as_tuple, valid_feature_scales
from dynmeans.estimators._state_files.encoding import has_metric, saved_names
from dynmeans.estimators._state_files.first_batches_arrays import checked_first_batches
from dynmeans.estimators._state_files.history_arrays import history_events
from dynmeans.estimators._state_files.item_arrays import checked_items
from dynmeans.estimators._state_files.run_models import in_units_of_input
from dynmeans.estimators._state_files.state_checks import (
    LARGEST_WHOLE,
    Arrays,
    check_directions,
    checked_estimates,
    checked_kernel,
    checked_memory,
    checked_metric,
    checked_names,
    checked_scale,
    checked_state,
    checked_times,
    number,
    require,
    whole,
)
from dynmeans.estimators._validation import LARGEST_SEED

Result = TypeVar("Result")

KEYED = "KeyedDMeans"  # in the header of a state file that has one model per key

_LARGEST = {
    "n_restarts": 1_000_000,
    "max_iter": 2**31 - 1,
    "budget": 2**31 - 1,
    "min_hits": LARGEST_WHOLE - 1,
    "n_jobs": 4096,
    "history_size": sys.maxsize,
}


def load(path: str | PathLike[str], *, estimator: Any = None) -> Any:
    """Read a saved estimator, which continues the stream.

    Its labels are, bit for bit, those of a run without interruption.

    Parameters
    ----------
    path : str or path-like
        A file written by ``model.save``, or the state file of a run. The model of a run takes rows in the
        units of its input.
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
    model = restore_named(repr(fspath(path)), model_of, read_snapshot(path))
    return with_estimator(model, estimator)


def restore_named(name: str, restore: Callable[..., Result], *arguments: Any) -> Result:
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


def model_of(snapshot: Snapshot) -> Any:
    """Restore the estimator of any state file, that of a run in the units of its input."""
    return from_snapshot(restore_checked(in_units_of_input, snapshot))


def from_snapshot(snapshot: Snapshot) -> Any:
    """Restore the estimator; an inconsistent snapshot is refused."""
    return restore_checked(lambda: restored(unfitted(snapshot.header), *snapshot))


def unfitted(header: dict[str, Any]) -> Any:
    """Create the estimator from the shared entries of the header; only the names below are allowed."""
    from dynmeans.estimators import DMeans, KDMeans, PersistentIds, SDMeans

    classes = {cls.__name__: cls for cls in (DMeans, KDMeans, PersistentIds, SDMeans)}
    name, params = header["estimator"], header["params"]
    if name == KEYED:
        raise SnapshotError(f"holds the models of many keys; read them with dynmeans.streams.{KEYED}.load")
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
    scales = getattr(model, "feature_scales", None)
    valid_feature_scales(scales, model.n_features_in_)
    names = checked_names(header, model.n_features_in_)
    if names:
        model.feature_names_in_ = np.array(names, dtype=object)
    model._estimates = Estimates(
        metric=checked_metric(header, model.metric) if has_metric(type(model)) else None,
        feature_scales=scales_as_tuple(scales),
    )
    return model


def restored(template: Any, header: dict[str, Any], arrays: Arrays) -> Any:
    """Return a fitted estimator with the parameters of an unfitted one."""
    model = object.__new__(type(template))  # `copy` takes ten times as long
    model.__dict__ = vars(template).copy()
    kernel = checked_kernel(header["kernel"], model.kernel) if "kernel" in header else None
    n_columns = 0 if kernel is not None and kernel.is_pairwise() else model.n_features_in_
    state = checked_state(header, arrays, n_columns)
    metric = model._estimates.metric if has_metric(type(model)) else getattr(model, "metric", None)
    if metric == "cosine":
        check_directions(state)
    remembered = model._state = state if kernel is None else checked_memory(kernel, arrays, state)
    if header["estimator"] == "PersistentIds":
        scale = checked_scale(arrays, remembered, model.metric)
        model._state = LinkState(remembered, scale, checked_items(arrays, state.ids))
    births = checked_estimates(header)
    model._estimates = Estimates(
        births,
        model._estimates.metric,
        checked_first_batches(header, arrays, n_columns) if has_metric(type(model)) else None,
        model._estimates.feature_scales,
        checked_times(header, births) if metric == "cosine" else (),
    )
    model.birth_cost_ = number("birth_cost", header["birth_cost"], positive=True)
    model._history = deque(history_events(arrays, state), maxlen=model.history_size)
    return model


def _check_names(name: str, kind: Any, params: Any) -> None:
    if not isinstance(params, dict):
        raise SnapshotError(f"the state file has params={params!r}, where parameters by name belong")
    unknown = sorted(set(params).difference(saved_names(kind)))
    if unknown:
        raise SnapshotError(f"the state file has a parameter {unknown[0]!r} that {name} does not have")


def _check_params(model: Any) -> None:
    """Raise the errors of the next step now, and refuse counts beyond the range of the core."""
    for name, largest in _LARGEST.items():
        value = getattr(model, name, None)
        if isinstance(value, int) and value > largest:
            raise SnapshotError(f"the state file has {name}={value}, where at most {largest} belongs")
    for name in ("exclusive", "duplicates", "refine", "merge", "certify", "relative"):
        value = getattr(model, name, None)
        if value is not None and value not in (0, 1, "auto"):
            raise SnapshotError(f"the state file has {name}={value!r}, where true or false belongs")
    model._resolve(None, None, 0)
