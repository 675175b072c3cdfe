"""Progress of a run over a dataset, kept in its state file beside the model."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans._files.atomic_write import remove_leftovers
from dynmeans._files.errors import InputError, InputWarning, reason
from dynmeans._files.run_folder.format import with_parameters
from dynmeans._files.snapshot import Snapshot, SnapshotError, read_snapshot, write_snapshot
from dynmeans._tables.standardize import Scale
from dynmeans.distributed._runs.job import DatasetJob
from dynmeans.distributed._runs.label_files import find_damage
from dynmeans.distributed.estimator import DMeans, to_distributed
from dynmeans.estimators._state_files.decoding import from_snapshot
from dynmeans.estimators._state_files.encoding import to_snapshot
from dynmeans.estimators._state_files.run_models import DATASET, check_scale
from dynmeans.estimators._state_files.state_checks import whole
from dynmeans.runs._setup.models import make_model


class DatasetProgress(NamedTuple):
    """Progress of a run, kept in the state file."""

    run: dict[str, Any]  # files and parameters, which must not change
    steps: int = 0  # windows with rows
    rows: int = 0
    is_complete: bool = False
    digest: str = ""  # checksum of all labels; state files of earlier versions have none
    lengths: dict[str, int] | None = None  # bytes of each table; None before the first step
    scale: dict[str, list[float]] | None = None  # mean and deviation of standardized features

    def read_scale(self) -> Scale | None:
        """Return the scale of the features, None if they are not standardized or before the first step."""
        if self.scale is None:
            return None
        return Scale(**{name: np.array(values, dtype=float) for name, values in self.scale.items()})

    def with_scale(self, scale: Scale) -> DatasetProgress:
        """Return the progress with a scale."""
        return self._replace(scale={name: values.tolist() for name, values in scale._asdict().items()})


def start_run(job: DatasetJob) -> tuple[DMeans, DatasetProgress]:
    """Return the model and the progress of a new or an interrupted run."""
    run = job.identify()
    new = to_distributed(make_model(job.parameters, 1)), DatasetProgress(run)
    if job.state is None or not job.state.exists():
        return new
    snapshot = read_snapshot(job.state)
    known = snapshot.header.get(DATASET)
    if not isinstance(known, dict) or not _is_same(known.get("run"), run):
        raise InputError(f"{job.state}: belongs to another run; use another --state")
    progress = _read_progress(known, job.state, len(job.data.columns.features))._replace(run=run)
    model = to_distributed(from_snapshot(snapshot))
    damaged = find_damage(job.labels, model.n_steps_, progress.digest) if progress.digest else None
    if damaged is None:
        return model, progress
    message = f"{damaged}: missing or damaged; the run is computed again"
    warnings.warn(message, InputWarning, stacklevel=4)  # the caller of `cluster_dataset`
    return new


def save_progress(state: Path, model: DMeans, progress: DatasetProgress) -> None:
    """Write the model and the progress; the file is also a state file of the estimators."""
    remove_leftovers(state.parent, state.name)
    header, arrays = to_snapshot(model)
    write_snapshot(state, Snapshot(header | {DATASET: progress._asdict()}, arrays))


def _is_same(known: Any, run: dict[str, Any]) -> bool:
    """Return whether a state file belongs to a run; an earlier version kept no times of the files."""
    older = {**run, "files": [file[:2] for file in run["files"]]}
    return with_parameters(known) in (run, older)


def _read_progress(known: dict[str, Any], state: Path, n_features: int) -> DatasetProgress:
    try:
        progress = DatasetProgress(**known)
        for name in ("steps", "rows"):
            whole(known, name)
        check_scale(progress.scale, n_features)
    except (TypeError, KeyError, SnapshotError) as error:
        raise SnapshotError(f"{state}: impossible progress of a dataset: {reason(error)}") from None
    tables = {} if progress.lengths is None else progress.lengths
    is_known = isinstance(tables, dict) and all(type(size) is int and size >= 0 for size in tables.values())
    if not (isinstance(progress.is_complete, bool) and isinstance(progress.digest, str) and is_known):
        raise SnapshotError(f"{state}: impossible progress of a dataset")
    return progress
