"""The arguments of a run over a dataset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from distributed import Client

from dynmeans._files.lock import real_path
from dynmeans._files.run_folder.format import FORMAT
from dynmeans.distributed._runs.dataset import Dataset
from dynmeans.distributed._runs.locations import is_url
from dynmeans.distributed._runs.run_log import DatasetLog
from dynmeans.runs._resume.progress import drop_unset
from dynmeans.runs._setup.job import describe_names
from dynmeans.runs._setup.time_steps import time_info, time_unit
from dynmeans.runs.parameters import RunParameters
from dynmeans.runs.result import RunStatus

LABELS = "labels"


class DatasetJob(NamedTuple):
    """Arguments of one call of `cluster_dataset`."""

    data: Dataset
    parameters: RunParameters
    client: Client
    out: Path
    state: Path | None
    force: bool
    report: bool
    on_step: Callable[[RunStatus], object]

    @property
    def labels(self) -> Path:
        """Folder of the labels."""
        return self.out / LABELS

    @property
    def local_inputs(self) -> list[Path]:
        """Inputs that are files of this machine."""
        return [Path(file.path) for file in self.data.files if not is_url(file.path)]

    def identify(self) -> dict[str, Any]:
        """Return the files, parameters and output folder, which must not change if a run is resumed."""
        return {
            "files": [list(file) for file in self.data.files],
            "parameters": {
                key: value for key, value in self.parameters._asdict().items() if value is not None
            },
            "out": str(real_path(self.out)),
        }

    def open_log(self, lengths: dict[str, int] | None) -> DatasetLog:
        """Open the tables of the run; `lengths` are those after the last step of an interrupted run."""
        info = {
            "format": FORMAT,
            "title": describe_names([Path(file.path).name for file in self.data.files]),
            "features": list(self.data.columns.features),
            "time": time_info(self.parameters, self.data.columns),
            "parameters": drop_unset(self.parameters._asdict()),
        }
        return DatasetLog(self.out, info, time_unit(self.parameters), lengths)
