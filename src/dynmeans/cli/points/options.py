"""Options of `dynmeans points`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dynmeans.cli.options import restarts_option, seed_option

_FRAMES, _BACKGROUND, _COSTS = "Frames", "Background", "People"


class PointsAlgorithm(str, Enum):
    """Choices of --algorithm."""

    dmeans = "dmeans"
    sdmeans = "sdmeans"


class PointsMotion(str, Enum):
    """Choices of --motion."""

    walk = "walk"
    velocity = "velocity"


FramesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FRAMES",
        help="PCD, PLY, LAS, LAZ, NPY or KITTI BIN files with a frame each, folders of them, or tables "
        "(CSV, ...) with columns x, y and z. Units are meters, height last. "
        "Files are ordered by the numbers in their names.",
    ),
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column of tables with the time in seconds, or with --rate the frame number.",
        rich_help_panel=_FRAMES,
    ),
]
RateOption = Annotated[
    float | None,
    typer.Option(
        help="Frames per second, if the files have no time or --time is a frame number. Default: 30 "
        "without --time.",
        rich_help_panel=_FRAMES,
    ),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL,COL,COL",
        help="Columns of tables with the coordinates, height last. Default: x, y and z, or X, Y and Z.",
        rich_help_panel=_FRAMES,
    ),
]
EmptyOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Frame of the empty scene, or a folder of frames; its points are background. Repeatable.",
        rich_help_panel=_BACKGROUND,
    ),
]
GroundOption = Annotated[
    bool,
    typer.Option(
        "--ground",
        help="Find the ground plane of each frame, and keep the points from 0.15 to 2.3 m above it.",
        rich_help_panel=_BACKGROUND,
    ),
]
AlgorithmOption = Annotated[
    PointsAlgorithm,
    typer.Option(
        help="sdmeans cuts each frame into pieces and links them; dmeans links cells, and is faster.",
        rich_help_panel=_COSTS,
    ),
]
BirthCostOption = Annotated[
    float | None,
    typer.Option(
        help="Birth cost of a new person, in square meters. Default: 0.4 for sdmeans, 0.8 for dmeans.",
        rich_help_panel=_COSTS,
    ),
]
LifetimeOption = Annotated[
    float | None,
    typer.Option(
        help="Seconds that a person may be hidden before the id is forgotten, > 1. Default: 6.",
        rich_help_panel=_COSTS,
    ),
]
ReachOption = Annotated[
    float | None,
    typer.Option(
        help="After one second a person is found again up to a squared distance of this many "
        "birth costs, at least 1. Default: 9 for sdmeans, 6 for dmeans.",
        rich_help_panel=_COSTS,
    ),
]
MotionOption = Annotated[
    PointsMotion, typer.Option(help="Whether hidden people keep their velocity.", rich_help_panel=_COSTS)
]
VoxelOption = Annotated[
    float | None,
    typer.Option(
        help="Edge of a cell in meters; the points of a cell are merged. Default: 0.15 for "
        "sdmeans, 0.1 for dmeans.",
        rich_help_panel=_COSTS,
    ),
]
BandwidthOption = Annotated[
    float | None,
    typer.Option(
        help="Width of the similarity of cells in meters, for sdmeans. Larger values keep sparse objects "
        "in one piece. Default: 0.28.",
        rich_help_panel=_COSTS,
    ),
]
FewOption = Annotated[
    float | None,
    typer.Option(
        metavar="POINTS",
        help="Number of points at which a piece has half the weight of a person, for sdmeans. A lower "
        "number lets sparse pieces start new people. It removes nothing: see --min-points. Default: 30.",
        rich_help_panel=_COSTS,
    ),
]
MinPointsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=1_000_000,
        help="Number of points below which a piece of a frame is noise, labeled -1, for sdmeans. Use more "
        "points than clutter has in one place, and fewer than a person has. Default: 1.",
        rich_help_panel=_COSTS,
    ),
]
MinHitsOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        max=1_000_000,
        help="Number of frames in which a person must be seen before the id is reported.",
        rich_help_panel=_COSTS,
    ),
]
RestartsOption = Annotated[int | None, restarts_option("3 for sdmeans, 1 for dmeans", _COSTS)]
SeedOption = Annotated[int, seed_option("Seed of the random orders.", _COSTS)]
