"""Tables of a run in the units in which it was clustered, for principal components and maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynmeans._files.run_folder.format import FEATURES, Run, Table
from dynmeans._model.types import FloatArray
from dynmeans.plots._projection import has_components


def clustered_scales(info: dict[str, Any]) -> FloatArray | None:
    """Return the numbers (d,) by which features were divided; None if they were not, or are the axes."""
    scales = info.get("scales", info["parameters"].get("feature_scales"))  # earlier versions lack "scales"
    if scales is None or not has_components(len(info["features"])):
        return None
    return np.array(scales, dtype=float)


def divide_features(table: Table, scales: FloatArray | None) -> Table:
    """Return a table with its features divided by their scales."""
    return table if scales is None else {**table, FEATURES: table[FEATURES] / scales}


def in_clustered_units(run: Run) -> Run:
    """Return a run with the features of its clusters and its sample divided by their scales."""
    scales = clustered_scales(run.info)
    return run._replace(
        clusters=divide_features(run.clusters, scales), sample=divide_features(run.sample, scales)
    )
