"""The data of a report as one JSON-ready dictionary, thinned so that the page stays responsive."""

from __future__ import annotations

import base64
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynmeans._algorithms.estimation.joint_estimate import ONE_OBJECT
from dynmeans._files.run_folder.format import Run, Table
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.plots._lifetimes import (
    STATUS_NAMES,
    ClusterLifetimes,
    pack_lanes,
    tentative_ids,
    trace_lifetimes,
)
from dynmeans.plots._palette import PALETTE, assign_colors
from dynmeans.plots._thinning import even_subset, largest_subset, thin_groups
from dynmeans.plots._topics import describe_texts
from dynmeans.plots._views import make_views

MAX_POINTS = 60_000  # points over all steps, so that the page has a few megabytes
MAX_TEXTS = 15_000  # points, if they have texts, which are much longer
MAX_STEPS = 2_000  # steps of the slider
MIN_POINTS = 60  # minimum points per shown step, if available: steps are removed first
MAX_CLUSTERS = 5_000  # clusters in the timeline and the table, the largest ones
MAX_CENTERS = 150_000  # centers over all steps
TABLE_FEATURES = 8  # coordinates of a center in the table
MAX_NAMES = 6  # names of a list among the parameters
HIDDEN = 0xFFFF  # index of all clusters that are not shown
_GRID = 0xFFFF  # coordinates are rounded to this many intervals


class Shown(NamedTuple):
    """Thinned tables of a run."""

    steps: Table
    lifetimes: ClusterLifetimes
    centers: Table  # rows of clusters.csv
    points: Table  # rows of sample.csv


def build_payload(run: Run) -> dict[str, Any]:
    """Build the data of the page.

    Parameters
    ----------
    run : Run

    Returns
    -------
    dict
        Plain JSON values; long columns are little-endian arrays in base64, coordinates rounded to 1/65535 of
        their range.
    """
    n_steps = len(run.steps["step"])
    lifetimes = trace_lifetimes(run, blur=n_steps // MAX_STEPS)
    shown = _thin(run, lifetimes)
    views = make_views(run, lifetimes, shown.points, shown.centers)
    positions = (
        np.column_stack([view.points for view in views]),
        np.column_stack([view.centers for view in views]),
    )
    box = _bounding_box(np.concatenate(positions))
    return {
        "title": run.info["title"],
        "version": run.info["version"],
        "counts": {"rows": run.info["rows"], "steps": n_steps, "clusters": len(lifetimes.ids)},
        "notes": _warnings(run, lifetimes, shown),
        "parameters": _parameters(run.info),
        "birthCost": _birth_costs(run, shown.steps),
        "time": run.info["time"],
        "range": [int(run.steps["step"].min(initial=1)), int(run.steps["step"].max(initial=1))],
        "axes": {
            "labels": [view.label for view in views],
            "names": [view.name for view in views],
            "low": box[0].tolist(),
            "high": box[1].tolist(),
            "equal": bool(run.info.get("equal_axes", False)),
        },
        "palette": list(PALETTE),
        "other": HIDDEN,
        "steps": {name: _numbers(column) for name, column in shown.steps.items() if name != "birth_cost"}
        | {"time": shown.steps["time"].tolist()},
        "points": _encode_points(shown.points, positions[0], box, shown)
        | ({"text": shown.points["text"].tolist()} if "text" in shown.points else {}),
        "centers": _encode_points(shown.centers, positions[1], box, shown)
        | {"weight": _pack(shown.centers["weight"], "<f4")},
        "clusters": _describe(shown.lifetimes, run),
        "spans": {
            name: _pack(shown.lifetimes.spans[:, i], "<u4")
            for i, name in enumerate(("cluster", "first", "last"))
        },
    }


def _thin(run: Run, lifetimes: ClusterLifetimes) -> Shown:
    """Keep the largest clusters, evenly spaced steps, and evenly spaced points of those steps."""
    lifetimes = lifetimes.take(largest_subset(lifetimes.size, MAX_CLUSTERS))
    centers = _rows(run.clusters, np.isin(run.clusters["id"], lifetimes.ids))
    n_steps = len(run.steps["step"])
    chosen = even_subset(n_steps, _step_limit(n_steps, len(centers["step"]), len(run.sample["step"])))
    steps = _rows(run.steps, chosen)
    points = _of_steps(run.sample, steps["step"])
    return Shown(
        steps,
        lifetimes,
        _of_steps(centers, steps["step"]),
        _rows(points, thin_groups(points["step"], MAX_TEXTS if "text" in points else MAX_POINTS)),
    )


def _step_limit(n_steps: int, n_centers: int, n_points: int) -> int:
    """Compute how many steps can be shown with all centers and enough points."""
    centers_per_step = max(1.0, n_centers / max(n_steps, 1))
    points_per_step = min(float(MIN_POINTS), max(1.0, n_points / max(n_steps, 1)))
    return max(1, int(min(MAX_STEPS, MAX_CENTERS / centers_per_step, MAX_POINTS / points_per_step)))


def _rows(table: Table, which: Any) -> Table:
    return {name: column[which] for name, column in table.items()}


def _of_steps(table: Table, steps: IntArray) -> Table:
    """Return the rows of these steps, sorted by step."""
    kept = _rows(table, np.isin(table["step"], steps))
    return _rows(kept, np.argsort(kept["step"], kind="stable"))


def _bounding_box(positions: FloatArray) -> FloatArray:
    """Compute lowest and highest coordinates on each axis, shape (2, axes); never empty."""
    if not len(positions):
        return np.stack((np.zeros(positions.shape[1]), np.ones(positions.shape[1])))
    low, high = positions.min(axis=0), positions.max(axis=0)
    flat = high - low <= 1e-12 * np.maximum(np.abs(low), np.abs(high))
    pad = np.where(flat, np.where(low == 0, 0.5, 0.05 * np.abs(low)), 0.0)
    return np.stack((low - pad, high + pad))


def _encode_points(table: Table, positions: FloatArray, box: FloatArray, shown: Shown) -> dict[str, Any]:
    """Encode the first row of each step, and cluster and rounded position of every row on each axis."""
    ids = shown.lifetimes.ids
    slot = np.searchsorted(ids, table["id"])
    known = np.append(ids, -1)[slot] == table["id"]
    grid = np.rint((positions - box[0]) / (box[1] - box[0]) * _GRID)
    return {
        "offsets": _pack(np.searchsorted(table["step"], shown.steps["step"]), "<u4"),
        "cluster": _pack(np.where(known, slot, HIDDEN), "<u2"),
        "positions": [_pack(column, "<u2") for column in grid.T],
    }


def _birth_costs(run: Run, steps: Table) -> list[float | int | None]:
    """Return the birth cost that each of these steps used; in earlier versions, that of the last birth."""
    if "birth_cost" in steps:
        return _numbers(steps["birth_cost"], digits=6)
    births = [(event.step, event.cost) for event in run.events if event.kind == "birth"]
    if not births:
        return [None] * len(steps["step"])
    when, costs = map(np.array, zip(*births, strict=True))
    last = np.searchsorted(when, steps["step"], side="right") - 1
    costs = np.where(costs < ONE_OBJECT, costs, np.nan)  # above, the cost could not be estimated
    return _numbers(costs[np.maximum(last, 0)], digits=6)


def _describe(lifetimes: ClusterLifetimes, run: Run) -> dict[str, Any]:
    """Build the columns of the cluster table, with lane and color."""
    steps, times = run.steps["step"], run.steps["time"]
    gap = 1 + len(steps) // 100  # small gap between two lifetimes in one lane
    return {
        "id": lifetimes.ids.tolist(),
        "born": lifetimes.born.tolist(),
        "bornTime": times[np.searchsorted(steps, lifetimes.born)].tolist(),
        "seen": lifetimes.seen.tolist(),
        "seenTime": times[np.searchsorted(steps, lifetimes.seen)].tolist(),
        "end": lifetimes.end.tolist(),
        "stepsSeen": lifetimes.steps_seen.tolist(),
        "size": _numbers(lifetimes.size),
        "age": _numbers(lifetimes.age),
        "status": [STATUS_NAMES[status] for status in lifetimes.status],
        "center": [_numbers(center, digits=10) for center in lifetimes.centers[:, :TABLE_FEATURES]],
        "features": run.info["features"][:TABLE_FEATURES],
        "nFeatures": len(run.info["features"]),
        "tentative": np.isin(lifetimes.ids, tentative_ids(run.events)).tolist(),
        "lane": pack_lanes(lifetimes.born, lifetimes.end, gap=gap).tolist(),
        "color": assign_colors(lifetimes.born, lifetimes.end).tolist(),
    } | describe_texts(run.clusters, lifetimes.ids)


def _parameters(info: dict[str, Any]) -> list[list[str]]:
    """Return names and values of the parameters, with those that were estimated."""
    given, used = info["parameters"], info.get("used", {})
    values = {name: _plain(value) for name, value in given.items()}
    is_auto = given.get("birth_cost") == "auto"
    for name, value in used.items():
        if given.get(name) == "auto" or (is_auto and name not in given and value is not False):
            values[name] = f"{_plain(value)} (auto)"
    return [[name.replace("_", " "), value] for name, value in values.items()]


def _warnings(run: Run, lifetimes: ClusterLifetimes, shown: Shown) -> list[str]:
    """Describe what the page omits, and which clusters are tentative."""
    counts = (
        (len(shown.points["step"]), run.info["rows"], "points"),
        (len(shown.steps["step"]), len(run.steps["step"]), "steps"),
        (len(shown.lifetimes.ids), len(lifetimes.ids), "clusters (the largest)"),
    )
    thinned = [f"{part:,} of {whole:,} {what}" for part, whole, what in counts if part < whole]
    messages = [f"Showing {', '.join(thinned)}."] if thinned else []
    if not len(run.sample["step"]) and run.info["rows"]:
        messages = ["The report shows no points, only clusters: the rows stayed on the workers."]
    n_tentative = len(set(tentative_ids(run.events)) & set(lifetimes.ids.tolist()))
    if n_tentative:
        hits = run.info["parameters"].get("min_hits", 1)
        messages.append(
            f"{n_tentative:,} of {len(lifetimes.ids):,} clusters are tentative: they had points in fewer "
            f"than {hits} steps."
        )
    return messages if run.info["complete"] else [*messages, "The run is not finished."]


def _numbers(column: ArrayLike, digits: int = 7) -> list[float | int | None]:
    """Convert to JSON numbers, reals to `digits` digits; non-finite values become null."""
    values = np.asarray(column)
    if values.dtype.kind in "iu":
        return [int(value) for value in values]
    return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values]


def _plain(value: Any) -> str:
    """Format a parameter as text."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        shown = [str(entry) for entry in value[:MAX_NAMES]]
        return ", ".join(shown) + (f", ... ({len(value):,} in all)" if len(value) > MAX_NAMES else "")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _pack(column: ArrayLike, dtype: str) -> str:
    return base64.b64encode(np.asarray(column).astype(dtype).tobytes()).decode("ascii")
