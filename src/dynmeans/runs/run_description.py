"""Description of a run, and the content of its run.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from dynmeans._files.run_format import FORMAT
from dynmeans.runs.progress import Progress, drop_unset


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


def run_info(description: RunDescription, progress: Progress) -> dict[str, Any]:
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
    return info
