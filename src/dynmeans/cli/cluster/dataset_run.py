"""`dynmeans cluster` on a Dask cluster: start the workers, show the progress, print the result."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from dynmeans._files.errors import InputError
from dynmeans._files.extras import require
from dynmeans.cli import INTERRUPTED
from dynmeans.cli.console import amount, print_error, print_lines, print_summary, progress_bar
from dynmeans.cli.descriptions import describe_columns, describe_model, print_warnings
from dynmeans.estimators._diagnostics.result_checks import ClusteringWarning
from dynmeans.runs import RunParameters

if TYPE_CHECKING:
    from dynmeans.distributed._runs import DatasetRun

CONNECT_SECONDS = 20  # to wait for a scheduler
_LOGGERS = ("asyncio", "distributed", "distributed.client")  # after Ctrl-C, Dask logs many tracebacks
_WORKER_OPTIONS = {
    "distributed.scheduler.work-stealing": False,  # it moves chunks between workers that are equally fast
    "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
    "distributed.worker.preload": ["import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"],
}
_URL = re.compile(r"[a-z][a-z0-9+.-]+:[/\\]")  # a path of "s3://bucket" has one slash


class Machines(NamedTuple):
    """Where a run takes place: a scheduler, or worker processes on this machine."""

    scheduler: str | None
    workers: int | None


def run_dataset(
    inputs: list[str],
    parameters: RunParameters,
    out: Path,
    state: Path | None,
    machines: Machines,
    *,
    force: bool,
    report: bool,
) -> None:
    """Cluster a dataset with a progress bar, and print a summary."""
    require("distributed", "dask")
    from dynmeans.distributed._runs import cluster_dataset
    from dynmeans.distributed._runs.unsupported_options import refuse_unsupported

    refuse_unsupported(parameters)
    _check_options(inputs, out, state, machines)
    try:
        with _client(*machines) as client, progress_bar() as show, warnings.catch_warnings():
            warnings.simplefilter("ignore", ClusteringWarning)  # printed after the summary
            result = cluster_dataset(
                inputs,
                parameters,
                client,
                out=out,
                state=state,
                force=force,
                report=report,
                on_step=lambda status: show(*status),
            )
    except KeyboardInterrupt:
        hint = "; run the same command again to resume" if state is not None else ""
        print_error(f"interrupted; complete steps are in {out}{hint}", kind="")
        raise typer.Exit(INTERRUPTED) from None
    _print_result(result, standardize=parameters.standardize)


def _check_options(inputs: list[str], out: Path, state: Path | None, machines: Machines) -> None:
    """Validate the options and find the inputs, before workers are started."""
    from dynmeans.distributed._runs.locations import find_files

    if machines.scheduler is not None and machines.workers is not None:
        raise InputError("--scheduler and --workers exclude each other")
    for option, path in (("--out", out), ("--state", state)):
        if path is not None and _URL.match(str(path)):
            raise InputError(f"{option} is {path}: only inputs may be URLs; use a local or shared folder")
    find_files(inputs)


def _print_result(result: DatasetRun, *, standardize: bool) -> None:
    size = f"{amount(result.rows, 'row')} in {amount(result.steps, 'step')}"
    if result.was_complete:
        print_lines(f"already complete: {size}, in {result.labels}")
        return
    n_active = int((result.model.cluster_ages_ == 0).sum())
    print_summary(
        {
            "input": size,
            **describe_columns(result.features, result.unused_columns),
            "clusters": f"{n_active} active, {result.model.n_clusters_ - n_active} asleep at the end",
            **describe_model(result.model),
            "written": ", ".join(map(str, filter(None, (result.labels, result.report)))),
        }
    )
    print_warnings(result.model, result.features, standardize=standardize)


@contextmanager
def _client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """Connect to a scheduler, or start worker processes on this machine."""
    dask, distributed = require("dask", "dask"), require("distributed", "dask")
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError):
            raise InputError(f"--scheduler {scheduler}: no answer from a Dask scheduler") from None
        with client:
            yield client
        return
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set(_WORKER_OPTIONS),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
