"""`dynmeans points`: frames of a LiDAR or depth camera in, who is where out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, NamedTuple

import typer

from dynmeans import __version__
from dynmeans.apps.points import (
    SETTINGS,
    Background,
    EmptyScene,
    Follower,
    Frame,
    Ground,
    Recorder,
    Setting,
    in_order,
    read_frames,
)
from dynmeans.cli.console import amount, complain, progress_bar, tell
from dynmeans.cli.progress import given
from dynmeans.cli.report import draw_report
from dynmeans.io.errors import InputError, reason
from dynmeans.io.folder import check_folder
from dynmeans.io.run import REPORT_FILE
from dynmeans.model.costs import Lifespan, costs_from
from dynmeans.model.events import Event

_FRAMES, _BACKGROUND, _COSTS, _OUTPUT = "Frames", "Background", "People", "Output"


class Algorithm(str, Enum):
    """Choices of --algorithm."""

    dmeans = "dmeans"
    sdmeans = "sdmeans"


class Motion(str, Enum):
    """Choices of --motion."""

    walk = "walk"
    velocity = "velocity"


class _Job(NamedTuple):
    """One command line."""

    paths: list[Path]
    time: str | None
    rate: float
    background: Background | None
    setting: Setting
    out: Path
    report: bool


def points(
    frames: Annotated[
        list[Path],
        typer.Argument(
            metavar="FRAMES",
            help="PCD, PLY, LAS, LAZ, NPY or KITTI BIN files with a frame each, folders of them, or tables "
            "(CSV, ...) with columns x, y and z. Metres, height last; numbers in names give the order.",
        ),
    ],
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Column of tables with the time in seconds.", rich_help_panel=_FRAMES
        ),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(help="Frames a second, where files carry no time.", rich_help_panel=_FRAMES),
    ] = 30.0,
    empty: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Frame of the empty scene, whose places are background; may be given again.",
            rich_help_panel=_BACKGROUND,
        ),
    ] = None,
    ground: Annotated[
        bool,
        typer.Option(
            "--ground", help="Find the ground plane and keep what stands on it.", rich_help_panel=_BACKGROUND
        ),
    ] = False,
    algorithm: Annotated[
        Algorithm, typer.Option(help="dmeans is faster.", rich_help_panel=_COSTS)
    ] = Algorithm.dmeans,
    birth_cost: Annotated[
        float | None,
        typer.Option(
            help="What a new person costs; if not given, 0.8 square metres for dmeans, 3 for sdmeans.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    lifetime: Annotated[
        float | None,
        typer.Option(
            help="Seconds that a person may be hidden before he is forgotten; 4 if not given.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    reach: Annotated[
        float | None,
        typer.Option(
            help="After a second a person is found again up to a squared distance of so many "
            "birth costs; 3 if not given.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    motion: Annotated[
        Motion, typer.Option(help="Whether hidden people keep their speed.", rich_help_panel=_COSTS)
    ] = Motion.walk,
    voxel: Annotated[
        float | None,
        typer.Option(
            help="Edge of a cell, in metres, whose points are one; 0.1 for dmeans "
            "and 0.15 for sdmeans if not given.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option(min=1, help="Random orders tried in each step; 1 if not given.", rich_help_panel=_COSTS),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of those orders.", rich_help_panel=_COSTS)] = 0,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the results.", rich_help_panel=_OUTPUT)
    ] = Path("dynmeans-points"),
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a run in the folder.", rich_help_panel=_OUTPUT)
    ] = False,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Leave out the report.", rich_help_panel=_OUTPUT)
    ] = False,
) -> None:
    """Follow people through frames of points: who is where, also after a time behind a pillar."""
    options = {
        "birth_cost": birth_cost,
        "lifetime": lifetime,
        "reach": reach,
        "voxel": voxel,
        "restarts": restarts,
        "motion": motion.value,
        "seed": seed,
    }
    setting = SETTINGS[algorithm.value]._replace(**given(options))
    _check(setting, rate)
    paths = _files(frames)
    check_folder(out, force=force, again=None, inputs=paths)
    _run(_Job(paths, time, rate, _background(empty or [], ground), setting, out, not no_report))


def _check(setting: Setting, rate: float) -> None:
    """Find what cannot be, before anything is read."""
    for name, value in (("--rate", rate), ("--voxel", setting.voxel)):
        if not 0 < value < 1e6:
            raise InputError(f"{name} is {value}; it must be more than 0")
    try:
        costs_from(setting.birth_cost, Lifespan(setting.lifetime, setting.reach, None, None))
    except ValueError as error:
        raise InputError(str(error)) from None


def _files(frames: Sequence[Path]) -> list[Path]:
    """All files in order, told apart by their names, under which their labels are written."""
    paths = in_order(frames)
    if not paths:
        raise InputError(f"{frames[0]}: no files in it")
    seen: dict[str, Path] = {}
    for path in paths:
        if path.name in seen:
            raise InputError(f"{path}: another input is called {path.name} too, {seen[path.name]}")
        seen[path.name] = path
    return paths


def _background(empty: Sequence[Path], ground: bool) -> Background | None:
    if empty and ground:
        raise InputError("--empty and --ground: give one of them, an empty scene has its ground in it")
    if empty:
        return EmptyScene(frame.points for frame in read_frames(list(empty)))
    return Ground() if ground else None


def _run(job: _Job) -> None:
    began, events = monotonic(), list[Event]()
    frames = read_frames(job.paths, job.time)
    first = next(frames, None)  # if it cannot be read, nothing is written
    title = job.paths[0].name if len(job.paths) == 1 else f"{job.paths[0].name} and {len(job.paths) - 1} more"
    info = {"title": title, "settings": _told(job.setting), "version": __version__}
    recorder, follower = Recorder(job.out, info), Follower(job.setting, job.background, events.append)
    complete = False
    try:
        _follow(job, chain([] if first is None else [first], frames), recorder, follower, events)
        complete = True
    except KeyboardInterrupt:
        complain(f"interrupted after {amount(recorder.steps, 'frame')}, which are in {job.out}", kind="")
        raise typer.Exit(130) from None
    finally:
        with suppress(OSError):  # on a full disk the first error is the one to tell
            recorder.close(complete=complete)
    seconds = monotonic() - began
    if job.report:
        draw_report(job.out)
    _tell(job, recorder, follower, title, seconds)


def _told(setting: Setting) -> dict[str, Any]:
    """The settings that say something, as run.json has them."""
    unused = {"bandwidth", "pull", "budget"} if setting.algorithm == "dmeans" else set()
    return {name: value for name, value in given(setting._asdict()).items() if name not in unused}


def _follow(
    job: _Job, frames: Iterator[Frame], recorder: Recorder, follower: Follower, events: list[Event]
) -> None:
    place = {path: i for i, path in enumerate(job.paths)}
    with progress_bar(endless=False) as show:
        for frame in frames:
            events.clear()
            now = recorder.steps / job.rate if frame.time is None else frame.time
            try:
                step = follower.take(frame.points, now)
            except ValueError as error:
                raise InputError(f"{frame.name}: {reason(error)}") from None
            recorder.take(frame, now, step, follower.model, events)
            people = 0 if step.report is None else len(step.report.active)
            show(recorder, people, place[frame.source] / len(job.paths))


def _tell(job: _Job, recorder: Recorder, follower: Follower, title: str, seconds: float) -> None:
    born = int(follower.model.cluster_ids_.max(initial=-1)) + 1 if hasattr(follower.model, "step_") else 0
    files = ["tracks.csv", "labels", *([REPORT_FILE] if job.report else [])]
    tell(
        {
            "input": f"{title}: {amount(recorder.rows, 'point')} in {amount(recorder.steps, 'frame')}",
            "people": f"{born} followed",
            "speed": f"{recorder.steps / max(seconds, 1e-9):,.0f} frames per second",
            "written": ", ".join(str(job.out / name) for name in files),
        }
    )
