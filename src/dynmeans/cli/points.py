"""`dynmeans points`: frames of a LiDAR or depth camera in, who is where out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.limits import Limits, parse_limits
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.types import FloatArray
from dynmeans.apps.points import (
    SETTINGS,
    Background,
    EmptyScene,
    Ground,
    Setting,
    check_files,
    files_for,
    in_order,
    read_frames,
)
from dynmeans.cli.limits import LimitOption
from dynmeans.cli.points_run import Job, track_frames
from dynmeans.estimators.validation import LARGEST_SEED
from dynmeans.runs.folder import check_folder, locked_folder
from dynmeans.runs.progress import given

_FRAMES, _BACKGROUND, _COSTS, _OUTPUT = "Frames", "Background", "People", "Output"
_MOST = 1_000_000  # frames a second, or metres of a cell


class Algorithm(str, Enum):
    """Choices of --algorithm."""

    dmeans = "dmeans"
    sdmeans = "sdmeans"


class Motion(str, Enum):
    """Choices of --motion."""

    walk = "walk"
    velocity = "velocity"


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
            help="Frame of the empty scene, or a folder of them, whose places are background; may be given "
            "again.",
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
        Algorithm,
        typer.Option(
            help="sdmeans cuts each frame into pieces and links them; dmeans links cells, and is faster.",
            rich_help_panel=_COSTS,
        ),
    ] = Algorithm.sdmeans,
    birth_cost: Annotated[
        float | None,
        typer.Option(
            help="What a new person costs, in square metres; 0.4 for sdmeans "
            "and 0.8 for dmeans if not given.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    lifetime: Annotated[
        float | None,
        typer.Option(
            help="Seconds that a person may be hidden before he is forgotten, more than 1; 6 if not given.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    reach: Annotated[
        float | None,
        typer.Option(
            help="After a second a person is found again up to a squared distance of so many "
            "birth costs, at least 1; 9 for sdmeans and 6 for dmeans if not given.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    motion: Annotated[
        Motion, typer.Option(help="Whether hidden people keep their speed.", rich_help_panel=_COSTS)
    ] = Motion.velocity,
    voxel: Annotated[
        float | None,
        typer.Option(
            help="Edge of a cell, in metres, whose points are one; 0.15 for sdmeans "
            "and 0.1 for dmeans if not given.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Random orders tried in each step; 3 for sdmeans and 1 for dmeans if not given.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of those orders.", rich_help_panel=_COSTS)
    ] = 0,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the results.", rich_help_panel=_OUTPUT)
    ] = Path("dynmeans-points"),
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a run in the folder.", rich_help_panel=_OUTPUT)
    ] = False,
    limit: LimitOption = None,
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
    limits = parse_limits(limit)
    paths = _files(frames)
    scene = _listed(empty) if empty else []
    check_files([*paths, *scene])
    with locked_folder(out):
        check_folder(out, force=force, again=None, inputs=[*paths, *scene], names=files_for(paths))
        track_frames(
            Job(paths, time, rate, _background(scene, ground, limits), setting, out, not no_report, limits)
        )


def _check(setting: Setting, rate: float) -> None:
    """Find what cannot be, before anything is read."""
    for name, value in (("--rate", rate), ("--voxel", setting.voxel)):
        if not 0 < value < _MOST:
            raise InputError(f"{name} is {value}; it must be more than 0 and less than {_MOST:,}")
    try:
        make_costs(setting.birth_cost, AgingParameters(setting.lifetime, setting.reach, None, None))
    except ValueError as error:
        raise InputError(str(error)) from None


def _files(frames: Sequence[Path]) -> list[Path]:
    """All files in order, told apart by their names, under which their labels are written."""
    paths = _listed(frames)
    seen: dict[str, Path] = {}
    for path in paths:
        if path.name in seen:
            raise InputError(f"{path}: another input is called {path.name} too, {seen[path.name]}")
        seen[path.name] = path
    return paths


def _listed(places: Sequence[Path]) -> list[Path]:
    paths = in_order(places)
    if not paths:
        raise InputError(f"{places[0]}: no files in it")
    return paths


def _background(empty: Sequence[Path], ground: bool, limits: Limits) -> Background | None:
    if empty and ground:
        raise InputError("--empty and --ground: give one of them, an empty scene has its ground in it")
    if empty:
        return _empty_scene(empty, limits)
    return Ground() if ground else None


def _empty_scene(paths: Sequence[Path], limits: Limits) -> EmptyScene:
    """The scene without people; what cannot be taken for it names its file."""
    name = "--empty"

    def frames() -> Iterator[FloatArray]:
        nonlocal name
        for frame in read_frames(paths, limits=limits):
            name = frame.name
            yield frame.points

    with error_context(lambda: name):
        return EmptyScene(frames())
