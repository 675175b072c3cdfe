"""The description of a run, which is fixed before its first step, and the content of run.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans._algorithms.estimation.joint_estimate import ONE_OBJECT
from dynmeans._files.run_folder.format import FORMAT
from dynmeans._tables.standardize import Scale
from dynmeans.runs._resume.progress import Progress, drop_unset


class RunDescription(NamedTuple):
    """Description of a run before its first step."""

    folder: Path
    title: str
    version: str
    time: dict[str, str]  # name and kind, as in run.json
    unit: float  # length of the model's unit of time, in the units of the time column
    label_format: str
    standardize: bool
    state: Path | None


def run_info(description: RunDescription, progress: Progress, model: Any) -> dict[str, Any]:
    """Return the content of run.json."""
    info = {
        "format": FORMAT,
        "title": description.title,
        "features": list(progress.columns.features),
        "time": description.time,
        "parameters": drop_unset(progress.parameters),
        "rows": progress.rows,
        "steps": progress.steps,
        "complete": progress.complete,
        "version": description.version,
    }
    if progress.columns.text is not None:
        info["text"] = progress.columns.text
    scales = scales_as_json(progress.scale, progress.parameters.get("feature_scales"))
    if scales is not None:
        info["scales"] = scales
    used = parameters_as_json(model) if progress.steps else {}
    return {**info, "used": used} if used else info


def scales_as_json(scale: Scale | None, given: Sequence[float] | None) -> list[float] | None:
    """Return the numbers by which features are divided before they are clustered, or None."""
    if scale is None:
        return None if given is None else list(given)
    scales: list[float] = (scale.deviation * (1.0 if given is None else np.array(given))).tolist()
    return scales


def parameters_as_json(model: Any) -> dict[str, Any]:
    """Return the parameters of the last step, given or estimated, as JSON values.

    Models with a kernel or by key report the birth cost only. One that is not estimated is left out, and so
    is an interval of one unit of time.
    """
    others = model.parameters_._asdict() if hasattr(model, "parameters_") else {}
    if others.get("interval") == 1.0:
        del others["interval"]
    used = {**others, "birth_cost": float(model.birth_cost_)}
    if used["birth_cost"] >= ONE_OBJECT:
        del used["birth_cost"]
    return {name: value for name, value in used.items() if value not in (None, np.inf)}
