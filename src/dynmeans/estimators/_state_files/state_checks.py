"""Checks of a state file before an estimator is built from it: a well-formed file may have invalid content.

The compiled core does not validate its arguments, so every shape, type, range and relation is checked here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeAlias, cast

import numpy as np

from dynmeans._algorithms.batch import LARGEST_COORDINATE
from dynmeans._algorithms.estimation.birth_cost import N_ESTIMATION_BATCHES
from dynmeans._algorithms.kernel_space.kernel_state import KernelState
from dynmeans._algorithms.kernel_space.support import Support
from dynmeans._algorithms.linking.link_birth_cost import KernelScale, RowScale
from dynmeans._algorithms.linking.link_spaces import Scale
from dynmeans._algorithms.linking.sphere_linking import AngleScale
from dynmeans._core import broken_cluster_rule, broken_motion_rule, wrong_column
from dynmeans._files.snapshot import SnapshotError
from dynmeans._model.state import ClusterState, Columns
from dynmeans.kernels import Kernel, get_kernel, kernel_from_params

FLOAT, WHOLE, BYTE = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.uint8)  # of columns

Arrays: TypeAlias = dict[str, np.ndarray[Any, Any]]

STATE_ARRAYS = ("centers", "weights", "velocities", "velocity_cov", "last_seen", "ids", "hits")
LARGEST_WHOLE = 2**62  # ids and counts stay below it: no sum of two overflows
LARGEST_CENTER = 100 * LARGEST_COORDINATE  # a forecast may leave the range of the rows, its square may not
ROUNDING = 1e-6  # tolerance of the squared length of a unit vector


def whole(header: Mapping[str, Any], name: str, least: int = 0, below: int = LARGEST_WHOLE) -> int:
    """Return a whole number of the header."""
    value = header[name]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < below:
        raise SnapshotError(
            f"the state file has {name}={value!r}, where a whole number from {least} below {below} belongs"
        )
    return value


def number(name: str, value: Any, *, positive: bool = False) -> float:
    """Return a finite number."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and math.isfinite(value) and (value > 0 or not positive)):
        kind = "finite positive" if positive else "finite"
        raise SnapshotError(f"the state file has {name}={value!r}, where a {kind} number belongs")
    return float(value)


def columns(arrays: Arrays, *wanted: tuple[str, tuple[int, ...], np.dtype[Any]]) -> list[Any]:
    """Return arrays of exactly these names, shapes and types, whose numbers are finite."""
    wrong = wrong_column(arrays, wanted)
    if wrong >= 0:
        raise SnapshotError(_column_error(arrays, *wanted[wrong]))
    return [arrays[name] for name, _, _ in wanted]


def column(arrays: Arrays, name: str, shape: tuple[int, ...], kind: np.dtype[Any] = FLOAT) -> Any:
    """Return one array of exactly this shape and type, whose numbers are finite."""
    return columns(arrays, (name, shape, kind))[0]


def _column_error(arrays: Arrays, name: str, shape: tuple[int, ...], kind: np.dtype[Any]) -> str:
    found = arrays.get(name)
    if found is None:
        return f"the state file lacks the array {name!r}"
    is_other = found.shape != shape or found.dtype != kind
    what = f"{found.dtype} {found.shape}" if is_other else "numbers that are not finite"
    return f"the state file has a wrong array {name!r}: {what} instead of {kind} {shape}"


def require(holds: Any, rule: str | None) -> None:
    """Raise unless a relation between parts of the file holds."""
    if not holds:
        raise SnapshotError(f"the state file is inconsistent: {rule}")


def refuse(broken: str | None) -> None:
    """Raise if a compiled check has found a rule that does not hold."""
    require(broken is None, broken)


def checked_estimates(header: Mapping[str, Any]) -> tuple[float, ...]:
    """Return the estimated birth costs; the oldest files have a single one, which is final."""
    if "guesses" not in header:
        estimate = header["estimate"]
        return (
            () if estimate is None else (number("estimate", estimate, positive=True),) * N_ESTIMATION_BATCHES
        )
    estimates = header["guesses"]
    if not isinstance(estimates, list) or len(estimates) > N_ESTIMATION_BATCHES:
        raise SnapshotError(
            f"the state file has estimates={estimates!r}, where at most {N_ESTIMATION_BATCHES} numbers belong"
        )
    return tuple(number("an estimated birth cost", estimate, positive=True) for estimate in estimates)


def checked_times(header: Mapping[str, Any], births: tuple[float, ...]) -> tuple[float, ...]:
    """Return the times of the batches with estimates; other metrics and earlier versions have none."""
    times = header.get("times", [])
    if not isinstance(times, list) or len(times) not in (0, len(births)):
        raise SnapshotError(f"the state file has times={times!r}, where {len(births)} numbers belong")
    found = tuple(number("a time", time) for time in times)
    if list(found) != sorted(found) or (found and found[-1] > number("clock", header["clock"])):
        raise SnapshotError(f"the state file has times={times!r}, which must be in order")
    return found


def checked_names(header: Mapping[str, Any], n_features: int) -> list[str]:
    """Return the names of the features, or none."""
    names = header["feature_names"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SnapshotError(f"the state file has feature_names={names!r}, where a list of names belongs")
    require(len(names) in (0, n_features), f"{len(names)} feature names for {n_features} features")
    return names


def checked_state(header: Mapping[str, Any], arrays: Arrays, n_columns: int) -> ClusterState:
    """Return the clusters, of which all may have died, with ``n_columns`` coordinates."""
    n = len(arrays["ids"]) if "ids" in arrays and arrays["ids"].ndim == 1 else -1
    moves = "velocities" not in arrays or arrays["velocities"].shape != (n, 0)  # the motion may have none
    n_steps = whole(header, "n_steps", 1)
    if "hits" not in arrays:  # in files from before this count, all clusters are confirmed
        arrays = {**arrays, "hits": np.full(max(n, 0), n_steps)}
    found = columns(
        arrays,
        ("centers", (n, n_columns), FLOAT),
        ("weights", (n,), FLOAT),
        ("velocities", (n, n_columns if moves else 0), FLOAT),
        ("velocity_cov", (n, 2), FLOAT),
        ("last_seen", (n,), FLOAT),
        ("ids", (n,), WHOLE),
        ("hits", (n,), WHOLE),
    )
    next_id, clock = whole(header, "next_id"), number("clock", header["clock"])
    state = ClusterState(*cast(Columns, found), next_id, clock, n_steps)
    _check_clusters(state)
    check_motion(state)
    return state


def _check_clusters(state: ClusterState) -> None:
    refuse(
        broken_cluster_rule(
            ids=state.ids,
            weights=state.weights,
            last_seen=state.last_seen,
            hits=state.hits,
            next_id=state.next_id,
            clock=state.clock,
            n_steps=state.n_steps,
        )
    )


def check_motion(state: ClusterState) -> None:
    """Check that positions, also after one unit of time, and covariances with the velocity are valid."""
    refuse(
        broken_motion_rule(state.centers, state.weights, state.velocities, state.velocity_cov, LARGEST_CENTER)
    )


def check_directions(state: ClusterState) -> None:
    """Refuse centers that are not unit vectors, and velocities, which directions do not have."""
    squared = np.einsum("ij,ij->i", state.centers, state.centers)
    require((np.abs(squared - 1.0) < ROUNDING).all(), "centers must be unit vectors with metric='cosine'")
    require(state.velocities.size == 0, "metric='cosine' has no velocities")


def check_coordinates(name: str, values: Any) -> None:
    """Refuse numbers whose squared differences are not finite."""
    largest = float(np.abs(values).max(initial=0.0))
    require(largest <= LARGEST_CENTER, f"{name} must lie within ±{LARGEST_CENTER:g}, got {largest!r}")


def checked_metric(header: dict[str, Any], given: str) -> str | None:
    """Return the metric of a saved `DMeans`; files of versions without a choice lack it."""
    metric = header.get("metric", "cosine" if given == "cosine" else "euclidean")
    require(metric in (None, "euclidean", "cosine"), f"metric_ is {metric!r}")
    require(given in ("auto", metric), f"metric_ is {metric!r}, and metric is {given!r}")
    return None if metric is None else str(metric)


def checked_scale(arrays: Arrays, remembered: ClusterState | KernelState, metric: str) -> Scale:
    """Return the statistics of the stream that a `PersistentIds` has collected."""
    kind = (
        KernelScale if isinstance(remembered, KernelState) else AngleScale if metric == "cosine" else RowScale
    )
    state = remembered.clusters if isinstance(remembered, KernelState) else remembered
    d = state.centers.shape[1] if kind is RowScale else 0
    raw = column(arrays, "scale", (d + len(kind._fields) - (kind is RowScale),))
    check_coordinates("the mean of all rows", raw[:d])
    numbers = raw[d:].tolist()
    require(min(numbers) >= 0, f"sums of squares must not be negative, got {min(numbers)!r}")
    n_batches = numbers[-1]
    require(n_batches.is_integer() and n_batches <= state.n_steps, f"{n_batches!r} batches were counted")
    require(numbers[0] == 0 or n_batches > 0 or kind is RowScale, "distances of no batch")
    scale = RowScale(raw[:d].copy(), *numbers) if kind is RowScale else kind(*numbers)
    cost = scale.birth_cost()
    require(cost is None or (math.isfinite(cost) and cost > 0), f"the scale gives a birth cost of {cost!r}")
    return scale


def checked_kernel(params: Any, given: Any = None) -> Kernel:
    """Return the kernel with these parameters.

    ``given`` is the parameter of the estimator that it was estimated from, if it was.
    """
    if not isinstance(params, dict):
        raise SnapshotError(f"the state file has kernel={params!r}, where parameters by name belong")
    for name, value in params.items():
        if name != "kernel" and value is not None:
            number(f"kernel parameter {name!r}", value)
    kernel: Any = kernel_from_params(params)
    for field in fields(kernel):
        value = getattr(kernel, field.name)
        kinds = str(field.type).split(" | ")  # the annotation, "float | None"
        allowed = "None" in kinds if value is None else isinstance(value, int) or "float" in kinds
        require(allowed, f"kernel parameter {field.name}={value!r} must be {field.type}")
    if given is not None:
        named = type(get_kernel(given))
        require(type(kernel) is named, f"{type(kernel).__name__} was estimated from {named.__name__}")
    return cast(Kernel, kernel)


def checked_memory(kernel: Kernel, arrays: Arrays, clusters: ClusterState) -> KernelState:
    """Return the support points of all clusters, in the space of the kernel."""
    ids = arrays.get("support_ids")
    m = len(ids) if ids is not None and ids.ndim == 1 else -1
    is_matrix = kernel.is_pairwise()
    support = Support(
        column(arrays, "support_rows", (m, m if is_matrix else clusters.centers.shape[1])),
        column(arrays, "support_coefficients", (m,)),
        column(arrays, "support_ids", (m,), WHOLE),
    )
    require((np.diff(support.ids) >= 0).all(), "ids of support points must not decrease")
    require(np.array_equal(np.unique(support.ids), clusters.ids), "support points and clusters must match")
    check_coordinates("support points", support.rows)
    check_coordinates("coefficients", support.coefficients)
    origins = column(arrays, "origins", (m if is_matrix else 0, 2), WHOLE)
    if is_matrix:
        require((support.rows == support.rows.T).all(), "similarities of support points must be symmetric")
        _check_origins(origins, clusters.n_steps)
    return KernelState(clusters, support, kernel, origins)


def _check_origins(origins: Any, n_steps: int) -> None:
    steps, rows = origins.T
    require(((steps >= 1) & (steps <= n_steps)).all(), f"support points must come from steps 1 .. {n_steps}")
    require(((rows >= 0) & (rows < LARGEST_WHOLE)).all(), "support points must have row numbers")
    require(len(np.unique(origins, axis=0)) == len(origins), "no point may be kept twice")
