"""Progress of a run: the part of a state file beside the model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.digest import Content
from dynmeans._files.run_folder.format import with_parameters
from dynmeans._files.snapshot import SnapshotError
from dynmeans._model.events import StepReport
from dynmeans._tables.columns import Columns
from dynmeans._tables.inputs import Position
from dynmeans._tables.standardize import Scale
from dynmeans._tables.time_steps.batches import WindowBatch
from dynmeans.estimators._state_files.run_models import RUN
from dynmeans.runs._resume.progress_checks import check_progress


class Progress(NamedTuple):
    """Everything that a run needs, beside the model, to resume without a difference."""

    out: str  # folder of the run
    inputs: list[dict[str, Any]]  # fingerprints
    parameters: dict[str, Any]  # by option
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
    left_out: int = 0  # rows with missing cells

    def after(self, report: StepReport, batch: WindowBatch) -> Progress:
        """Return the progress after one more step."""
        return self.after_rows(batch)._replace(
            steps=self.steps + 1,
            born=self.born + len(report.born),
            revived=self.revived + len(report.revived),
            died=self.died + len(report.died),
            confirmed=self.confirmed + len(report.confirmed),
            clock=float(report.time),
        )

    def after_rows(self, batch: WindowBatch) -> Progress:
        """Return the progress after the rows of one more step, without its events."""
        return self._replace(
            position=batch.after,
            rows=self.rows + len(batch.X),
            left_out=self.left_out + (0 if batch.left_out is None else int(batch.left_out.sum())),
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
    if RUN not in header:
        raise SnapshotError(f"{state}: holds a model, but no run of `dynmeans cluster`")
    try:
        return _parse(with_parameters(header[RUN]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = " ".join(str(error).split())  # names in the file may have line breaks
        raise SnapshotError(f"{state}: the progress of the run is damaged ({message})") from None


def _parse(raw: dict[str, Any]) -> Progress:
    check_progress(raw)
    columns = Columns(**raw["columns"])
    columns = columns._replace(
        features=tuple(columns.features), names=tuple(columns.names), left_out=tuple(columns.left_out)
    )
    scale = raw["scale"] and Scale(
        **{key: np.array(value, dtype=float) for key, value in raw["scale"].items()}
    )
    return Progress(**raw)._replace(columns=columns, scale=scale, position=Position(*raw["position"]))
