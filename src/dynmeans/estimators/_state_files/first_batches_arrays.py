"""The sample of the first batches to and from a state file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from dynmeans._algorithms.estimation.candidates import DRIFT, LIFETIME, DescentParameters
from dynmeans._algorithms.estimation.first_batches import MAX_BATCHES, MAX_ROWS, FirstBatches
from dynmeans._algorithms.estimation.window import MAX_WINDOW_ROWS, Window
from dynmeans._files.snapshot import SnapshotError
from dynmeans._model.costs import LARGEST_SPAN
from dynmeans._model.motion import MOTIONS
from dynmeans._model.types import FloatArray
from dynmeans.estimators._state_files.state_checks import (
    WHOLE,
    Arrays,
    check_coordinates,
    column,
    number,
    require,
    whole,
)


def first_batches_header(first: FirstBatches) -> dict[str, Any]:
    """Return the numbers of a sample."""
    return {
        "n_batches": first.n_batches,
        "interval": first.interval,
        "sizes": [len(rows) for rows in first.rows],
        "shares": list(first.shares),
        "clocks": list(first.clocks),
        "clock": first.clock,
        "weighted": first.weights is not None,
        **_window_header(first.window),
        **first.parameters._asdict(),
    }


def first_batches_arrays(first: FirstBatches) -> dict[str, np.ndarray[Any, Any]]:
    """Return the rows, times, weights and labels of a sample."""
    if not first.rows:
        return {}
    arrays = {"first_rows": np.concatenate(first.rows), "first_times": np.array(first.times)}
    if first.weights is not None:
        arrays["first_weights"] = np.concatenate(first.weights)
    if first.labels:
        arrays["first_labels"] = np.concatenate(first.labels)
    return arrays | _window_arrays(first.window)


def checked_first_batches(header: Mapping[str, Any], arrays: Arrays, n_features: int) -> FirstBatches | None:
    """Return the sample; a file of an earlier version has none."""
    known = header.get("first_batches")
    if known is None:
        return None
    if not isinstance(known, dict):
        raise SnapshotError(f"the state file has first_batches={known!r}, where parameters by name belong")
    n_batches, sizes = whole(known, "n_batches"), _checked_counts(known, "sizes", 1, MAX_ROWS)
    require(len(sizes) in (0, n_batches), f"a sample of {len(sizes)} of {n_batches} batches")
    weighted = known["weighted"] is True
    found = FirstBatches(
        (),
        None,
        (),
        n_batches,
        number("interval", known["interval"], positive=True),
        _checked_parameters(known),
        is_final=n_batches > 0 and not sizes,
    )
    if not sizes:
        return found
    n = sum(sizes)
    rows = column(arrays, "first_rows", (n, n_features))
    check_coordinates("first_rows", rows)
    times = column(arrays, "first_times", (len(sizes),))
    require((np.diff(times) >= 0).all(), "times of the first batches must not go backwards")
    weights = column(arrays, "first_weights", (n,)) if weighted else None
    require(weights is None or (weights > 0).all(), "weights of the first batches must be positive")
    labels = column(arrays, "first_labels", (n,), WHOLE) if "first_labels" in arrays else None
    require(labels is None or (labels >= 0).all(), "labels of the first batches must not be negative")
    spans = list(pairwise(np.cumsum([0, *sizes]).tolist()))
    return found._replace(
        rows=tuple(rows[a:b] for a, b in spans),
        weights=None if weights is None else tuple(weights[a:b] for a, b in spans),
        times=tuple(times.tolist()),
        shares=_checked_shares(known, len(sizes)),
        clocks=_checked_clocks(known, times),
        clock=_checked_clock(known, times),
        labels=() if labels is None else tuple(labels[a:b] for a, b in spans),
        window=_checked_window(known, arrays, n_features),
    )


def _window_header(window: Window | None) -> dict[str, Any]:
    if window is None:
        return {}
    sizes = [len(rows) for rows in window.rows]
    return {"window_radius": window.radius, "window_sizes": sizes, "window_weighted": _has_weights(window)}


def _window_arrays(window: Window | None) -> dict[str, np.ndarray[Any, Any]]:
    if window is None:
        return {}
    arrays = {"window_center": window.center, "window_rows": np.concatenate(window.rows)}
    if _has_weights(window):
        pairs = zip(window.weights, window.rows, strict=True)
        arrays["window_weights"] = np.concatenate(
            [np.ones(len(rows)) if w is None else w for w, rows in pairs]
        )
    return arrays


def _has_weights(window: Window) -> bool:
    return any(weights is not None for weights in window.weights)


def _checked_window(known: Mapping[str, Any], arrays: Arrays, n_features: int) -> Window | None:
    """Return the rows around one position; samples of small batches and of earlier versions have none."""
    if "window_sizes" not in known:
        return None
    sizes = _checked_counts(known, "window_sizes", 0, MAX_WINDOW_ROWS)
    require(len(sizes) == len(known["sizes"]), f"a window of {len(sizes)} of {len(known['sizes'])} batches")
    center = column(arrays, "window_center", (n_features,))
    rows = column(arrays, "window_rows", (sum(sizes), n_features))
    check_coordinates("window_center", center)
    check_coordinates("window_rows", rows)
    radius = number("window_radius", known["window_radius"])
    require(radius >= 0.0, "the radius of a window must not be negative")
    weights = column(arrays, "window_weights", (sum(sizes),)) if known["window_weighted"] is True else None
    require(weights is None or (weights > 0).all(), "weights of a window must be positive")
    spans = list(pairwise(np.cumsum([0, *sizes]).tolist()))
    return Window(
        center,
        radius,
        tuple(rows[a:b] for a, b in spans),
        tuple(None if weights is None else weights[a:b] for a, b in spans),
    )


def _checked_counts(known: Mapping[str, Any], name: str, least: int, most: int) -> list[int]:
    """Return the number of rows of each batch."""
    sizes = known[name]
    if not isinstance(sizes, list) or len(sizes) > MAX_BATCHES:
        raise SnapshotError(
            f"the state file has {name}={sizes!r}, where at most {MAX_BATCHES} numbers belong"
        )
    return [whole({name: size}, name, least, most + 1) for size in sizes]


def _checked_shares(known: Mapping[str, Any], n_batches: int) -> tuple[float, ...]:
    """Return how many rows a sampled row stands for; an earlier version did not save it."""
    shares = known.get("shares", [1.0] * n_batches)
    if not isinstance(shares, list) or len(shares) != n_batches:
        raise SnapshotError(f"the state file has shares={shares!r}, where {n_batches} numbers belong")
    found = tuple(number("shares", share) for share in shares)
    require(all(share >= 1.0 for share in found), "a sampled row must stand for one row or more")
    return found


def _checked_clocks(known: Mapping[str, Any], times: FloatArray) -> tuple[float, ...]:
    """Return the time of the batch before each batch; an earlier version saved those with rows only."""
    clocks = known.get("clocks", [times[0], *times[:-1]])
    if not isinstance(clocks, list) or len(clocks) != len(times):
        raise SnapshotError(f"the state file has clocks={clocks!r}, where {len(times)} times belong")
    found = tuple(number("clocks", clock) for clock in clocks)
    require((np.array(found) <= times).all(), "a batch must not be before the previous one")
    return found


def _checked_clock(known: Mapping[str, Any], times: FloatArray) -> float:
    """Return the time of the last batch."""
    clock = number("clock", known.get("clock", times[-1]))
    require(clock >= times[-1], "the last batch must not be before a batch with rows")
    return clock


def _checked_parameters(known: Mapping[str, Any]) -> DescentParameters:
    birth = number("birth", known["birth"], positive=True)
    motion, refine, exclusive = (known[name] for name in ("motion", "refine", "exclusive"))
    merge = known.get("merge", False)  # files of earlier versions have none
    require(motion in MOTIONS, f"motion {motion!r} of the first batches")
    require(
        all(isinstance(flag, bool) for flag in (refine, exclusive, merge)),
        "refine, exclusive and merge must be true or false",
    )
    drift = number("drift", known.get("drift", DRIFT))  # files of earlier versions have none
    require(0.0 <= drift <= LARGEST_SPAN, f"drift {drift!r} of the first batches")
    lifetime = number("lifetime", known.get("lifetime", LIFETIME))  # likewise
    require(1.0 < lifetime <= LARGEST_SPAN, f"lifetime {lifetime!r} of the first batches")
    return DescentParameters(birth, motion, refine, exclusive, drift, merge, lifetime)
