"""Status of a run after each step, its result, and its interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.streams import KeyedDMeans


class RunStatus(NamedTuple):
    """Status of a run after one step.

    Attributes
    ----------
    rows, steps : int
        Rows read and steps made since the first start of the run.
    n_clusters : int
        Number of remembered clusters, active or asleep.
    fraction : float or None
        Fraction of the input that has been read; None if the size of an input is unknown.
    """

    rows: int
    steps: int
    n_clusters: int
    fraction: float | None


class RunResult(NamedTuple):
    """Result of a complete run.

    Attributes
    ----------
    action : {"begin", "resume", "continue", "done"}
        How the call started: a new run, an interrupted run, a new run with the model of an earlier one, or
        a run that was complete already, of which only the files were verified.
    out : Path
        Folder of the run; `read_run` reads it.
    labels : Path
        File with the id of each row.
    report : Path or None
        HTML report.
    model : BatchClusterer or KeyedDMeans
        Fitted estimator after the last step; in a run by key, the models of all keys. It takes rows in the
        units of the input, except with ``standardize`` and a kernel: then it takes standardized rows.
    title : str
        Name of the first input, and the number of other inputs.
    features : tuple of str
        Columns that were clustered.
    rows, steps, born, revived, died : int
        Totals of the run.
    confirmed : int
        Number of tentative ids that were confirmed; 0 if ``min_hits`` is 1.
    n_active, n_asleep : int
        Remembered clusters after the last step, with and without rows in it.
    n_keys : int or None
        Number of keys; None without keys.
    n_left_out : int
        Number of rows with empty cells, which were left out.
    unused_columns : tuple of str
        Columns that were not clustered because they are text, row numbers and the like, with the reasons.
    in_seconds : bool
        Lifetimes are in seconds: the time column has dates, and there are no windows.
    step_interval : float or None
        Mean time between two steps of this call, in the unit of lifetimes; None for fewer than two steps.
    warnings : dict
        Warnings about the rows, by kind, beside those of the model.
    rows_per_second : float
        Speed of this call.
    """

    action: Literal["begin", "resume", "continue", "done"]
    out: Path
    labels: Path
    report: Path | None
    model: BatchClusterer | KeyedDMeans
    title: str
    features: tuple[str, ...]
    rows: int
    steps: int
    born: int
    revived: int
    died: int
    confirmed: int
    n_active: int
    n_asleep: int
    n_keys: int | None
    n_left_out: int
    unused_columns: tuple[str, ...]
    in_seconds: bool
    step_interval: float | None
    warnings: dict[str, str]
    rows_per_second: float


class RunInterrupted(KeyboardInterrupt):
    """Interruption of a run by Ctrl-C; all complete steps are on disk.

    Attributes
    ----------
    rows : int
        Rows clustered so far.
    out : Path
        Folder of the run.
    resumable : bool
        Whether the same call resumes the run, because it has a state file.
    """

    def __init__(self, rows: int, out: Path, *, resumable: bool) -> None:
        super().__init__(f"interrupted after {rows:,} rows, which are in {out}")
        self.rows, self.out, self.resumable = rows, out, resumable
