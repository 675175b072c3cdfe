"""Axes that the report offers: a map or two axes at first, and others to choose from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._files.run_folder.format import FEATURES, Run, Table
from dynmeans._model.types import FloatArray
from dynmeans.plots._cluster_map import fit_cluster_map
from dynmeans.plots._clustered_units import clustered_scales, divide_features, in_clustered_units
from dynmeans.plots._lifetimes import ClusterLifetimes
from dynmeans.plots._projection import fit_projection, has_components, principal_axes, variance_shares

FEW_FEATURES = 8  # up to this many, the report begins with two features or components; beyond, with a map
MAX_FEATURES = 16  # up to this many features are offered as axes
N_COMPONENTS = 4  # principal components that are offered as axes


class View(NamedTuple):
    """One axis, with the coordinates of all shown points and centers."""

    label: str
    name: str  # short, for a menu
    points: FloatArray  # (n,)
    centers: FloatArray  # (m,)


def make_views(run: Run, lifetimes: ClusterLifetimes, points: Table, centers: Table) -> list[View]:
    """Return the axes of the report; the first two are shown at first.

    Maps and components are those of the units in which the rows were clustered, features those of the input.
    """
    names = run.info["features"]
    is_map = len(names) > FEW_FEATURES and len(lifetimes.ids) > 2
    features = _feature_views(names, points, centers)
    scales = clustered_scales(run.info)
    if scales is not None:
        run, lifetimes = in_clustered_units(run), lifetimes._replace(centers=lifetimes.centers / scales)
        points, centers = (divide_features(table, scales) for table in (points, centers))
    first = _map_views(run, lifetimes, points, centers) if is_map else _plane_views(run, points, centers)
    return [*first, *_component_views(run, lifetimes, points, centers, is_map), *features]


def _rows(run: Run) -> FloatArray:
    """Return the rows that determine the axes: the sample, or the centers of a run without a sample."""
    return run.sample[FEATURES] if len(run.sample[FEATURES]) else run.clusters[FEATURES]


def _plane_views(run: Run, points: Table, centers: Table) -> list[View]:
    projection = fit_projection(_rows(run), run.info["features"])
    mapped = projection.apply(points[FEATURES], points["row"]), projection.apply(centers[FEATURES])
    names = projection.labels if len(run.info["features"]) <= 2 else ("component 1", "component 2")
    pairs = zip(projection.labels, names, strict=True)
    return [View(*pair, mapped[0][:, i], mapped[1][:, i]) for i, pair in enumerate(pairs)]


def _map_views(run: Run, lifetimes: ClusterLifetimes, points: Table, centers: Table) -> list[View]:
    """Return both axes of the map, whose positions do not change from step to step."""
    means = _lifetime_means(run.clusters, lifetimes)
    sample = run.sample
    fitted = fit_cluster_map(lifetimes.ids, means, lifetimes.size, sample[FEATURES], sample["id"])
    mapped = fitted.apply(points[FEATURES], points["id"]), fitted.positions_of(centers["id"])
    labels = (
        f"map: similar clusters are near each other (rank correlation of distances {fitted.agreement:.2f})",
        "map, second direction (no unit)",
    )
    names = ("map, first direction", "map, second direction")
    pairs = zip(labels, names, strict=True)
    return [View(*pair, mapped[0][:, i], mapped[1][:, i]) for i, pair in enumerate(pairs)]


def _lifetime_means(table: Table, lifetimes: ClusterLifetimes) -> FloatArray:
    """Return the mean center of each cluster over its lifetime."""
    slot = np.minimum(np.searchsorted(lifetimes.ids, table["id"]), len(lifetimes.ids) - 1)
    known = lifetimes.ids[slot] == table["id"]
    sums = np.zeros_like(lifetimes.centers)
    np.add.at(sums, slot[known], table[FEATURES][known])
    return sums / np.bincount(slot[known], minlength=len(lifetimes.ids))[:, None]


def _component_views(
    run: Run, lifetimes: ClusterLifetimes, points: Table, centers: Table, is_map: bool
) -> list[View]:
    """Return principal components; with a map those of the centers, so that they separate clusters."""
    d = len(run.info["features"])
    if not has_components(d):
        return []
    source = lifetimes.centers if is_map else _rows(run)
    origin, axes, _ = principal_axes(source, min(N_COMPONENTS, d))
    shares = variance_shares(_rows(run), axes)
    what = " of the centers" if is_map else ""
    return [
        View(
            f"component {i + 1}{what} ({100 * share:.0f}% of the variance)",
            f"component {i + 1}",
            (points[FEATURES] - origin) @ axes[:, i],
            (centers[FEATURES] - origin) @ axes[:, i],
        )
        for i, share in enumerate(shares)
        if is_map or i >= 2  # the first two are shown already
    ]


def _feature_views(names: list[str], points: Table, centers: Table) -> list[View]:
    if not 2 < len(names) <= MAX_FEATURES:
        return []
    return [View(name, name, points[FEATURES][:, i], centers[FEATURES][:, i]) for i, name in enumerate(names)]
