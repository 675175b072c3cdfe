"""Models in the state files of runs: in the units of the input, with the names of its columns.

A run with ``--standardize`` clusters rows (x - mean) / deviation, and the state file has its clusters in
these units. Distances do not depend on the origin. So the model is equal to one whose features are divided by
the deviation only, and whose positions are shifted by mean / deviation.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from dynmeans._files.snapshot import Snapshot, SnapshotError
from dynmeans._model.types import FloatArray
from dynmeans.estimators._diagnostics.caller import caller_level
from dynmeans.estimators._parameters.feature_scales import valid_feature_scales
from dynmeans.estimators._state_files.state_checks import Arrays, number, whole

RUN, DATASET = "run", "dataset"  # entries of the header: progress of a run on this machine, and on workers
_POSITIONS = (
    "centers",
    "first_rows",
    "window_rows",
    "window_center",
)  # arrays of rows in the units of the model


def in_units_of_input(snapshot: Snapshot) -> Snapshot:
    """Return the model of a run without the run; any other snapshot stays as it is.

    Its rows and its centers are in the units of the input, and it has the names of the columns. A model with
    a kernel has no scales of features: it stays in standardized units, with a warning.
    """
    header, arrays = snapshot
    run = header.get(RUN, header.get(DATASET))
    if run is None:
        return snapshot
    kept = {name: value for name, value in header.items() if name not in (RUN, DATASET)}
    if not kept.get("feature_names"):
        kept["feature_names"] = _column_names(run)
    n_features = whole(header, "n_features", 1)
    check_scale(run.get("scale"), n_features)
    if run.get("scale") is None:
        return Snapshot(kept, arrays)
    mean, deviation = (np.array(run["scale"][name], dtype=float) for name in ("mean", "deviation"))
    if "feature_scales" not in header["params"] or header.get("metric") == "cosine":
        _warn_of_scale(mean, deviation)
        return Snapshot(kept, arrays)
    given = valid_feature_scales(header["params"]["feature_scales"], n_features)
    scales = deviation if given is None else deviation * given
    kept["params"] = {**header["params"], "feature_scales": scales.tolist()}
    return Snapshot(kept, _shifted(arrays, mean / scales))


def check_scale(raw: Any, n_features: int) -> None:
    """Raise an error unless a scale is None, or has a mean and a positive deviation for each feature."""
    if raw is None:
        return
    if not isinstance(raw, dict) or set(raw) != {"mean", "deviation"}:
        raise SnapshotError(f"impossible scale: {str(raw)[:60]!r}")
    for name, values in raw.items():
        if not isinstance(values, list) or len(values) != n_features:
            raise SnapshotError(f"impossible {name}: {str(values)[:60]!r}")
        for value in values:
            number(name, value, positive=name == "deviation")


def _column_names(run: Mapping[str, Any]) -> list[str]:
    """Return the names of the features, unless they are invented: x1, x2, ... or parts of an embedding."""
    columns = run.get("columns", {})
    names = columns.get("features", [])
    is_embedding = columns.get("embedding") is not None or columns.get("array") is not None
    is_numbered = names == [f"x{i}" for i in range(1, len(names) + 1)]
    return [] if is_embedding or is_numbered else names


def _shifted(arrays: Arrays, shift: FloatArray) -> Arrays:
    moved = {name: arrays[name] + shift for name in _POSITIONS if name in arrays}
    return {**arrays, **moved}


def _warn_of_scale(mean: FloatArray, deviation: FloatArray) -> None:
    warnings.warn(
        "the model of a run with --standardize is in standardized units: pass rows as (X - mean) / "
        f"deviation, with mean={mean.tolist()} and deviation={deviation.tolist()}",
        UserWarning,
        stacklevel=caller_level(),
    )
