"""Progress of a run: the part of a state file beside the model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.digest import Content
from dynmeans._files.snapshot import SnapshotError
from dynmeans._model.events import StepReport
from dynmeans._tables.columns import Columns
from dynmeans._tables.inputs import Position
from dynmeans._tables.standardize import Scale

KEY = "run"  # in the header of a snapshot


class Progress(NamedTuple):
    """Everything that a run needs, beside the model, to resume without a difference."""

    out: str  # folder of the run
    inputs: list[dict[str, Any]]  # fingerprints
    settings: dict[str, Any]  # parameters, by option; the key in state files
    columns: Columns
    scale: Scale | None = None
    position: Position = Position()
    windows: dict[str, Any] = {}  # noqa: RUF012  saved state of the windowing
    lengths: dict[str, int] = {}  # noqa: RUF012  bytes of each appended file
    rows: int = 0
    steps: int = 0
    born: int = 0
    revived: int = 0
    died: int = 0
    confirmed: int = 0
    clock: float | None = None  # event time of the last step
    complete: bool = False
    outputs: dict[str, Content] = {}  # noqa: RUF012  files of a complete run, by name

    def after(self, report: StepReport, rows: int, position: Position) -> Progress:
        """Return the progress after one more step."""
        return self._replace(
            position=position,
            rows=self.rows + rows,
            steps=self.steps + 1,
            born=self.born + len(report.born),
            revived=self.revived + len(report.revived),
            died=self.died + len(report.died),
            confirmed=self.confirmed + len(report.confirmed),
            clock=float(report.time),
        )


def drop_unset(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that are set, for run.json."""
    return {name: value for name, value in parameters.items() if value is not None and value is not False}


def to_json(progress: Progress) -> dict[str, Any]:
    """Return the progress as JSON values."""
    scale = progress.scale and {key: value.tolist() for key, value in progress.scale._asdict().items()}
    return {**progress._asdict(), "columns": progress.columns._asdict(), "scale": scale}


def from_json(header: dict[str, Any], state: str) -> Progress:
    """Parse progress from the header of a snapshot; errors name the file `state`."""
    if KEY not in header:
        raise SnapshotError(f"{state}: holds a model, but no run of `dynmeans cluster`")
    try:
        return _parse(header[KEY])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SnapshotError(f"{state}: the progress of the run is damaged ({error})") from None


def _parse(raw: dict[str, Any]) -> Progress:
    columns = Columns(**raw["columns"])
    features, names = tuple(map(str, columns.features)), tuple(map(str, columns.names))
    scale = raw["scale"] and Scale(
        **{key: np.array(value, dtype=float) for key, value in raw["scale"].items()}
    )
    file, row = map(int, raw["position"])
    progress = Progress(**raw)._replace(
        columns=columns._replace(features=features, names=names), scale=scale, position=Position(file, row)
    )
    if not (isinstance(progress.settings, dict) and isinstance(progress.inputs, list)):
        raise ValueError("parameters or inputs are missing")
    if not all(isinstance(length, int) for length in progress.lengths.values()) or min(file, row) < 0:
        raise ValueError("lengths and positions must be whole numbers")
    if not all(set(content) == {"size", "hash"} for content in progress.outputs.values()):
        raise ValueError("outputs must have a size and a hash")
    return progress
