"""Resumable runs over files: batches from tables, a state file, outputs and resume.

`cluster_files` is ``dynmeans cluster`` as a function; `read_run` reads the folder that it writes.
"""

from dynmeans._files.errors import InputError, InputWarning
from dynmeans._files.run_folder.format import Run
from dynmeans._files.run_folder.reader import read_key, read_run
from dynmeans.runs.clustering import cluster_files
from dynmeans.runs.parameters import RunParameters
from dynmeans.runs.result import RunInterrupted, RunResult, RunStatus

__all__ = [
    "InputError",
    "InputWarning",
    "Run",
    "RunInterrupted",
    "RunParameters",
    "RunResult",
    "RunStatus",
    "cluster_files",
    "read_key",
    "read_run",
]
