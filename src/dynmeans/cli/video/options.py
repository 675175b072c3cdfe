"""Options of `dynmeans video`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dynmeans.cli.options import OUTPUT_PANEL, jobs_option, seed_option

_COSTS, _OUTPUT = "Palette", OUTPUT_PANEL


class Colorspace(str, Enum):
    """Choices of --colorspace, as `dynmeans.apps.video.COLORSPACES`."""

    rgb = "rgb"
    oklab = "oklab"


class PerFrame(str, Enum):
    """Choices of --per-frame, as `dynmeans.apps.video.PER_FRAME`."""

    dpmeans = "dpmeans"
    kmeans = "kmeans"


SourceArgument = Annotated[Path, typer.Argument(metavar="IN", help="Any video that FFmpeg can read.")]
TargetArgument = Annotated[
    Path,
    typer.Argument(
        metavar="OUT", help=".mp4, .mkv, .webm, .mov, ...; .gif and .webp files store the palette."
    ),
]
BirthCostOption = Annotated[
    float,
    typer.Option(
        help="Squared distance to all colors of the palette at which a pixel founds a new color, with "
        "red, green and blue from 0 to 255.",
        rich_help_panel=_COSTS,
    ),
]
LifetimeOption = Annotated[
    float,
    typer.Option(
        help="Number of frames without a color after which it is forgotten, > 1.", rich_help_panel=_COSTS
    ),
]
ReachOption = Annotated[
    float,
    typer.Option(
        help="A color is found again in the next frame up to a squared distance of this many birth "
        "costs, >= 1.",
        rich_help_panel=_COSTS,
    ),
]
ColorspaceOption = Annotated[
    Colorspace,
    typer.Option(
        help="Color space of distances. Distances in oklab follow perception, scaled so that black and "
        "white are as far apart as in rgb.",
        rich_help_panel=_COSTS,
    ),
]
MaxColorsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Maximum number of colors per frame; the birth cost rises to keep it. 256 for .gif and "
        ".webp; with kmeans, the number of colors (default 20).",
        rich_help_panel=_COSTS,
    ),
]
PerFrameOption = Annotated[
    PerFrame | None,
    typer.Option(
        help="A separate palette for each frame, for comparison.",
        show_default=False,
        rich_help_panel=_COSTS,
    ),
]
SeedOption = Annotated[int, seed_option("Seed of the random orders.", _COSTS)]
JobsOption = Annotated[int | None, jobs_option(_COSTS)]
CodecOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoder of FFmpeg, such as libx265 or ffv1; by default the usual one for the file type.",
        rich_help_panel=_OUTPUT,
    ),
]
PaletteOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="CSV file for the palette over time.", rich_help_panel=_OUTPUT),
]
PreviewOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="PNG file with frames before and after, side by side.",
        rich_help_panel=_OUTPUT,
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite existing files.", rich_help_panel=_OUTPUT)
]
