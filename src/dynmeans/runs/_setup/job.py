"""One call of `cluster_files`: its inputs, its rows and its model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dynmeans._files.errors import InputError
from dynmeans._files.limits import FileLimits
from dynmeans._files.patterns import expand_pattern
from dynmeans._files.snapshot import SnapshotError
from dynmeans._tables.chunk import name_list
from dynmeans._tables.fingerprint import check_unchanged
from dynmeans._tables.inputs import RowBlock, open_inputs, reopen_inputs
from dynmeans._tables.missing import MissingRows
from dynmeans._tables.sources import STDIN, Source, find_source
from dynmeans._tables.vectors import ARRAY_SUFFIX
from dynmeans.estimators import from_snapshot
from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.runs._resume.progress import Progress
from dynmeans.runs._resume.start import RunStart
from dynmeans.runs._setup.models import make_keyed_model, make_model
from dynmeans.runs.parameters import RunParameters
from dynmeans.runs.result import RunStatus
from dynmeans.streams._keyed_files import keyed_from_snapshot

StepCallback = Callable[[RunStatus], object]


class Job(NamedTuple):
    """Arguments of one call."""

    sources: list[Source]
    parameters: RunParameters
    out: Path
    state: Path | None
    n_jobs: int | None
    force: bool
    report: bool
    on_step: StepCallback


def find_sources(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], format: str | None, limits: FileLimits
) -> list[Source]:
    """Return the inputs with their formats, and check that there are any."""
    paths = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    names = [name for path in paths for name in expand_pattern(os.fspath(path))]
    if not names:
        raise InputError("no inputs; give at least one file")
    if names.count(STDIN) > 1:
        raise InputError("standard input (-) can be read only once")
    return [find_source(name, format, limits) for name in names]


def read_files(job: Job) -> list[Source]:
    """Return all files to read: the inputs, and the file of embeddings if there is one."""
    embedding = job.parameters.embedding
    if embedding is None or not embedding.endswith(ARRAY_SUFFIX):
        return job.sources
    return [*job.sources, find_source(embedding, "npy")]


def title(sources: Sequence[Source]) -> str:
    """Return the title of the run: the name of the first input, and how many follow."""
    return describe_names([source.name if source.path is None else source.path.name for source in sources])


def describe_names(names: Sequence[str]) -> str:
    """Return the first name, and how many follow."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"


def open_rows(job: Job, start: RunStart, missing: MissingRows) -> tuple[Progress, Iterator[RowBlock]]:
    """Return the progress of the run and the rows that follow."""
    parameters = job.parameters
    if start.action == "resume" and start.progress is not None:
        progress = start.progress._replace(inputs=start.inputs)
        warns_of_keys = parameters.features is None and parameters.embedding is None
        blocks = reopen_inputs(
            job.sources, progress.columns, progress.position, missing, warns_of_keys=warns_of_keys
        )
        return progress, blocks
    columns, blocks = open_inputs(
        job.sources,
        features=_wanted_features(parameters, start),
        time=parameters.time,
        weight=parameters.weight,
        text=parameters.text,
        embedding=parameters.embedding,
        key=parameters.by,
        missing=missing,
        feature_scales=parameters.feature_scales,
    )
    progress = Progress(str(job.out.resolve()), start.inputs, parameters._asdict(), columns)
    if start.progress is not None:
        progress = _continue_run(progress, start.progress, job.sources[0].name)
    return progress, blocks


def _wanted_features(parameters: RunParameters, start: RunStart) -> Sequence[str] | None:
    """Return the features that are given; a run that continues another one has its features."""
    known = None if start.progress is None else start.progress.columns
    if parameters.features is not None or known is None or known.embedding or known.array:
        return parameters.features
    return known.features


def _continue_run(progress: Progress, old: Progress, name: str) -> Progress:
    """Start a new run with the features, the scale, the clock and the windows of a complete one."""
    if progress.columns.features != old.columns.features:
        raise InputError(
            f"{name}: the features are {name_list(progress.columns.features)}, "
            f"but the state has {name_list(old.columns.features)}"
        )
    return progress._replace(scale=old.scale, clock=old.clock, windows=old.windows)


def load_model(job: Job, start: RunStart) -> Any:
    """Return the model of the state file, or a new one."""
    if job.parameters.by is not None:
        return (
            make_keyed_model(job.parameters)
            if start.snapshot is None
            else keyed_from_snapshot(start.snapshot)
        )
    if start.snapshot is None:
        return make_model(job.parameters, job.n_jobs)
    model: BatchClusterer = from_snapshot(start.snapshot)
    if type(model) is not type(make_model(job.parameters, job.n_jobs)):
        raise SnapshotError(f"{job.state}: holds a {type(model).__name__}, which this run does not have")
    model.n_jobs = job.n_jobs
    return model


def check_inputs(job: Job, progress: Progress) -> None:
    """Check that no input has changed since the run began."""
    for source, known in zip(read_files(job), progress.inputs, strict=False):  # empty without a state file
        check_unchanged(source, known)
