"""State files of `KeyedDMeans`: the clusters of all keys in common arrays, checked on load."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from dynmeans._files.snapshot import Snapshot, SnapshotError
from dynmeans._model.state import ClusterState, empty_state
from dynmeans._model.types import IntArray
from dynmeans.estimators import DMeans
from dynmeans.estimators._state_files.decoding import KEYED, from_snapshot, restore_checked
from dynmeans.estimators._state_files.encoding import saved_parameters, to_snapshot
from dynmeans.estimators._state_files.run_models import in_units_of_input
from dynmeans.estimators._state_files.state_checks import (
    LARGEST_WHOLE,
    STATE_ARRAYS,
    WHOLE,
    check_motion,
    checked_estimates,
    column,
    number,
    require,
    whole,
)
from dynmeans.estimators._validation import LARGEST_SEED, adopt_columns
from dynmeans.streams._common_parameters import BirthCosts
from dynmeans.streams._first_rows import MAX_STEPS, SAMPLE_KEYS, FirstRows
from dynmeans.streams._grouping import Key
from dynmeans.streams._packed import pack, unpack
from dynmeans.streams.keyed import KeyedDMeans
from dynmeans.streams.keyed_report import Clock


def keyed_to_snapshot(model: KeyedDMeans) -> Snapshot:
    """Collect the state that a model needs to continue."""
    if model.n_steps_ == 0:
        raise ValueError("this KeyedDMeans is not fitted yet: call partial_fit first")
    template = model._parameters.template
    header = {
        "estimator": KEYED,
        "params": saved_parameters(template) | {"birth_cost": model.birth_cost},
        "n_features": model.n_features_in_,
        "seed": template._seed,
        "guesses": list(model._estimates.of_steps),
        "first_rows": _first_rows_header(model._estimates.first_rows),
        "clock": model._now.clock,
        "n_steps": model.n_steps_,
        "feature_names": [str(name) for name in getattr(template, "feature_names_in_", [])],
        "keys": list(model._states),
    }
    first = model._estimates.first_rows
    pooled = {"first_rows": first.rows.reshape(-1, model.n_features_in_), "first_owners": first.owners}
    return Snapshot(header, _columns(model) | pooled)


def _first_rows_header(first: FirstRows) -> dict[str, Any]:
    return {"keys": list(first.keys), "n_steps": first.n_steps, "birth": first.birth}


def _columns(model: KeyedDMeans) -> dict[str, np.ndarray[Any, Any]]:
    """Return the clusters of all keys, one key after another, and the numbers of each key."""
    states = [unpack(packed, model.n_features_in_) for packed in model._states.values()]
    width = max((state.velocities.shape[1] for state in states), default=0)
    empty = empty_state(model.n_features_in_)._replace(velocities=np.empty((0, width)))
    filled = [state for state in states if len(state.ids)]  # a key without clusters may have no velocities
    arrays: dict[str, np.ndarray[Any, Any]] = {
        name: np.concatenate([getattr(state, name) for state in (empty, *filled)]) for name in STATE_ARRAYS
    }
    arrays["key_clusters"] = np.array([len(state.ids) for state in states], dtype=np.int64)
    arrays["key_next_id"] = np.array([state.next_id for state in states], dtype=np.int64)
    arrays["key_clock"] = np.array([state.clock for state in states], dtype=np.float64)
    arrays["key_n_steps"] = np.array([state.n_steps for state in states], dtype=np.int64)
    return arrays


def keyed_model_of(snapshot: Snapshot) -> KeyedDMeans:
    """Restore the model of any state file, that of a run in the units of its input."""
    return keyed_from_snapshot(restore_checked(in_units_of_input, snapshot))


def keyed_from_snapshot(snapshot: Snapshot) -> KeyedDMeans:
    """Restore the model; an inconsistent snapshot is refused."""
    return restore_checked(_restored, *snapshot)


def _restored(header: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> KeyedDMeans:
    if header["estimator"] != KEYED:
        raise SnapshotError(f"the state file holds a {header['estimator']!r}, not a {KEYED}")
    model = _unfitted(header)
    model.n_features_in_ = whole(header, "n_features", 1)
    model._now = Clock(number("clock", header["clock"]), whole(header, "n_steps", 1))
    estimates = checked_estimates(header)
    keys = _checked_keys(header)
    clusters = _checked_clusters(arrays, len(keys), model)
    model._estimates = BirthCosts(estimates, _checked_first_rows(header, arrays, model))
    model.birth_cost_ = model._parameters.resolve(model._estimates).resolved.costs.birth
    model._states = dict(zip(keys, map(pack, clusters), strict=True))
    model.n_clusters_ = len(arrays["ids"])
    return model


def _checked_keys(header: dict[str, Any]) -> list[Key]:
    keys = header["keys"]
    if not isinstance(keys, list) or not all(type(key) in (str, int) for key in keys):
        raise SnapshotError("the state file must list its keys, which are text or whole numbers")
    require(len(set(keys)) == len(keys), "a key is listed twice")
    return keys


def _checked_first_rows(header: dict[str, Any], arrays: Any, model: KeyedDMeans) -> FirstRows:
    """Return the rows of the first steps; older files have none."""
    if "first_rows" not in header:
        return FirstRows()
    saved = header["first_rows"]
    keys, birth = _checked_keys(saved), saved["birth"]
    n_steps = whole(saved, "n_steps", 0, MAX_STEPS + 1)
    n = len(arrays["first_owners"])
    rows = column(arrays, "first_rows", (n, model.n_features_in_))
    owners = column(arrays, "first_owners", (n,), WHOLE)
    require(len(keys) <= SAMPLE_KEYS, f"at most {SAMPLE_KEYS} keys have first rows")
    require(((owners >= 0) & (owners < len(keys))).all(), "each first row belongs to a key")
    require(n_steps <= model.n_steps_, f"there are no more than {model.n_steps_} first steps")
    if birth is not None:
        birth = number("an estimated birth cost", birth, positive=True)
    return FirstRows(rows, owners, tuple(keys), n_steps, birth)


def _unfitted(header: dict[str, Any]) -> KeyedDMeans:
    """Create the model; its parameters are checked as those of a fitted `DMeans` without clusters."""
    params = dict(header["params"])
    birth_cost = params["birth_cost"]
    own = 1.0 if birth_cost == "auto" else birth_cost
    seed = whole(header, "seed", 0, LARGEST_SEED + 1)
    n_features = whole(header, "n_features", 1)
    plain, arrays = to_snapshot(DMeans(1.0, random_state=seed).partial_fit(np.empty((0, n_features))))
    names = {"feature_names": header["feature_names"], "params": params | {"birth_cost": own}}
    checked = from_snapshot(Snapshot({**plain, **names}, arrays))
    kept = {
        name: value for name, value in params.items() if name not in ("birth_cost", "n_jobs", "history_size")
    }
    model = KeyedDMeans(birth_cost, random_state=seed, **kept)
    adopt_columns(model._parameters.template, checked)
    return model


def _checked_clusters(arrays: Any, n_keys: int, model: KeyedDMeans) -> list[ClusterState]:
    """Return the validated clusters of each key."""
    counts = column(arrays, "key_clusters", (n_keys,), WHOLE)
    n = len(arrays["ids"]) if arrays["ids"].ndim == 1 else -1
    require(
        (counts >= 0).all() and (counts <= n).all() and counts.sum() == n, f"{n} clusters do not fit the keys"
    )
    width = model.n_features_in_ if arrays["velocities"].shape != (n, 0) else 0
    columns: dict[str, Any] = {
        "centers": column(arrays, "centers", (n, model.n_features_in_)),
        "weights": column(arrays, "weights", (n,)),
        "velocities": column(arrays, "velocities", (n, width)),
        "velocity_cov": column(arrays, "velocity_cov", (n, 2)),
        "last_seen": column(arrays, "last_seen", (n,)),
        "ids": column(arrays, "ids", (n,), WHOLE),
        "hits": column(arrays, "hits", (n,), WHOLE),
    }
    next_id = _counts(arrays, "key_next_id", n_keys, 0)
    n_steps = _counts(arrays, "key_n_steps", n_keys, 1)
    clock = column(arrays, "key_clock", (n_keys,))
    require((clock <= model._now.clock).all(), f"no key may be seen after clock={model._now.clock!r}")
    require((n_steps <= model.n_steps_).all(), f"no key may have more than {model.n_steps_} steps")
    _check_ids(columns["ids"], counts, np.repeat(next_id, counts))
    _check_values(columns, np.repeat(clock, counts), np.repeat(n_steps, counts))
    check_motion(ClusterState(**columns, next_id=0, clock=0.0, n_steps=0))
    edges = [0, *np.cumsum(counts).tolist()]
    scalars = zip(next_id.tolist(), clock.tolist(), n_steps.tolist(), strict=True)
    parts = (slice(*edge) for edge in pairwise(edges))
    return [
        ClusterState(
            **{name: values[part] for name, values in columns.items()}, next_id=k, clock=t, n_steps=n
        )
        for part, (k, t, n) in zip(parts, scalars, strict=True)
    ]


def _counts(arrays: Any, name: str, n_keys: int, least: int) -> IntArray:
    values: IntArray = column(arrays, name, (n_keys,), WHOLE)
    require(((values >= least) & (values < LARGEST_WHOLE)).all(), f"{name} must be at least {least}")
    return values


def _check_ids(ids: IntArray, counts: IntArray, next_id: IntArray) -> None:
    first = np.zeros(len(ids) + 1, dtype=bool)
    first[np.cumsum(counts) - counts] = True  # of each key; of a key without clusters, that of the next
    require(((np.diff(ids) > 0) | first[1:-1]).all() if len(ids) else True, "ids must increase within a key")
    require(((ids >= 0) & (ids < next_id)).all(), "ids must be from 0 below next_id of their key")


def _check_values(columns: dict[str, Any], clock: Any, n_steps: IntArray) -> None:
    weights, hits = columns["weights"], columns["hits"]
    with np.errstate(over="ignore", divide="ignore"):
        require((weights > 0).all(), f"weights must be positive, got {weights.min(initial=1)}")
        require(np.isfinite(1 / weights).all(), "weights must have a finite inverse")
        require(np.isfinite(weights.sum()), "weights must have a finite sum")
        ages = clock - columns["last_seen"]
    require(((ages >= 0) & np.isfinite(ages)).all(), "no cluster may be seen after the clock of its key")
    require(
        ((hits >= 1) & (hits <= n_steps)).all(), "clusters must have rows in 1 .. n_steps steps of their key"
    )
