"""Run `dynmeans points`: track people through all frames, write the tracks and print the result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import typer

from dynmeans import __version__
from dynmeans._files.errors import InputError, reason
from dynmeans._files.limits import parse_limits
from dynmeans._files.run_folder.format import REPORT_FILE
from dynmeans._model.events import Event
from dynmeans.apps.points import (
    TRACKER_PARAMETERS,
    Background,
    Frame,
    RunRecorder,
    Tracker,
    TrackerParameters,
    check_files,
    files_for,
)
from dynmeans.cli import INTERRUPTED
from dynmeans.cli.console import amount, print_error, print_summary, progress_bar
from dynmeans.cli.points.inputs import (
    FrameNumberCheck,
    Frames,
    InputOptions,
    UnitCheck,
    check_ranges,
    list_files,
    list_frames,
    make_background,
    parse_columns,
    warn_of_unused_time,
)
from dynmeans.runs._folder import check_folder, locked_folder
from dynmeans.runs._report import draw_report
from dynmeans.runs._resume.progress import drop_unset

_PIECE_PARAMETERS = {"bandwidth", "piece_cost", "few", "min_points"}  # not used by D-Means on cells
_SPARSE = 5  # points per frame; a person in a LiDAR or a depth camera has more


class TrackingJob(NamedTuple):
    """Arguments of one run."""

    frames: Frames
    background: Background | None
    parameters: TrackerParameters
    min_hits: int
    out: Path
    report: bool


_NO_BACKGROUND = "no background: floor and walls are tracked too, unless --empty or --ground is given"


def tracker_parameters(algorithm: str, **options: Any) -> TrackerParameters:
    """Return the parameters of an algorithm: its defaults, and the options that are set."""
    return TRACKER_PARAMETERS[algorithm]._replace(**drop_unset(options))


def run_points(
    options: InputOptions,
    parameters: TrackerParameters,
    min_hits: int,
    out: Path,
    *,
    force: bool,
    report: bool,
) -> None:
    """Validate the options, lock the folder and track people through all frames."""
    check_ranges(parameters, options.rate)
    columns, limits = parse_columns(options.columns), parse_limits(options.limit)
    paths = list_frames(options.frames)
    scene = list_files(options.empty) if options.empty else []
    check_files([*paths, *scene])
    frames = Frames(paths, options.time, options.rate, columns, limits)
    warn_of_unused_time(frames)
    with locked_folder(out):
        check_folder(out, force=force, again=None, inputs=[*paths, *scene], names=files_for(paths))
        background = make_background(scene, options.ground, limits)
        track_frames(
            TrackingJob(
                frames=frames,
                background=background,
                parameters=parameters,
                min_hits=min_hits,
                out=out,
                report=report,
            )
        )


def track_frames(job: TrackingJob) -> None:
    """Track, write and print; after an error or an interruption the written files stay readable."""
    began, events = monotonic(), list[Event]()
    paths, frames = job.frames.paths, job.frames.read()
    first = next(frames, None)  # if it cannot be read, nothing is written
    title = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    info = {"title": title, "parameters": _used_parameters(job.parameters), "version": __version__}
    recorder = RunRecorder(job.out, info, paths)
    tracker = Tracker(job.parameters, job.background, events.append, job.min_hits)
    try:
        _track(job, chain([] if first is None else [first], frames), recorder, tracker, events)
        recorder.close(complete=True)
    except BaseException as error:
        with suppress(OSError):  # on a full disk the first error is the one to report
            recorder.close(complete=False)
        if not isinstance(error, KeyboardInterrupt):
            raise
        print_error(f"interrupted after {amount(recorder.steps, 'frame')}, which are in {job.out}", kind="")
        raise typer.Exit(INTERRUPTED) from None
    seconds = monotonic() - began
    if job.report:
        draw_report(job.out)
    _print_result(job, recorder, title, seconds)


def _used_parameters(parameters: TrackerParameters) -> dict[str, Any]:
    """Return the parameters that are set and used, for run.json."""
    unused = _PIECE_PARAMETERS if parameters.algorithm == "dmeans" else set()
    return {name: value for name, value in drop_unset(parameters._asdict()).items() if name not in unused}


def _track(
    job: TrackingJob, frames: Iterator[Frame], recorder: RunRecorder, tracker: Tracker, events: list[Event]
) -> None:
    index = {path: i for i, path in enumerate(job.frames.paths)}
    check_times, check_unit = FrameNumberCheck(job.frames), UnitCheck()
    with progress_bar() as show:
        for frame in frames:
            events.clear()
            now = job.frames.seconds(frame, recorder.steps)
            check_times(frame)
            check_unit(frame)
            try:
                step = tracker.take(frame.points, now)
            except ValueError as error:
                raise InputError(f"{frame.name}: {reason(error)}") from None
            except MemoryError as error:
                size = f"{amount(len(frame.points), 'point')} need more memory than there is"
                raise InputError(
                    f"{frame.name}: {size} ({reason(error)}); larger cells (--voxel) need less"
                ) from None
            recorder.take(frame, now, step, tracker.model, events)
            people = len(step.report.active)
            show(recorder.rows, recorder.steps, people, index[frame.source] / len(index))


def _print_result(job: TrackingJob, recorder: RunRecorder, title: str, seconds: float) -> None:
    files = ["tracks.csv", "labels", *([REPORT_FILE] if job.report else [])]
    people, frames = f"{recorder.people} tracked", amount(recorder.steps, "frame")
    if recorder.seen < recorder.steps:
        people += f", seen in {recorder.seen:,} of {frames}"
    sparse = recorder.n_sparse(_SPARSE) if job.parameters.algorithm == "sdmeans" else 0
    if 2 * sparse > recorder.people:  # people of a radar may be sparse, so that no default removes them
        people += (
            f"; {sparse} with fewer than {_SPARSE} points per frame: if noise, use --min-points {_SPARSE}"
        )
    print_summary(
        {
            "input": f"{title}: {amount(recorder.rows, 'point')} in {frames}",
            "people": people,
            **({} if job.background else {"scene": _NO_BACKGROUND}),
            "speed": f"{recorder.steps / max(seconds, 1e-9):,.3g} frames per second",
            "written": ", ".join(str(job.out / name) for name in files),
        }
    )
