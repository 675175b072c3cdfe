"""`dynmeans video`: a video in, the same video in few colors out."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.options import LARGEST_SEED

_COSTS, _OUTPUT = "Palette", "Output"


class Colorspace(str, Enum):
    """Choices of --colorspace, as `dynmeans.apps.video.COLORSPACES`."""

    rgb = "rgb"
    oklab = "oklab"


class PerFrame(str, Enum):
    """Choices of --per-frame, as `dynmeans.apps.video.PER_FRAME`."""

    dpmeans = "dpmeans"
    kmeans = "kmeans"


def video(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Any video that FFmpeg can read.")],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help=".mp4, .mkv, .webm, .mov, ...; .gif and .webp get the palette itself."
        ),
    ],
    birth_cost: Annotated[
        float,
        typer.Option(
            help="Squared distance to all colors of the palette at which a pixel founds a new color, with "
            "red, green and blue from 0 to 255.",
            rich_help_panel=_COSTS,
        ),
    ] = 800.0,
    lifetime: Annotated[
        float,
        typer.Option(
            help="Frames that a color may go unseen before it is forgotten, > 1.", rich_help_panel=_COSTS
        ),
    ] = 15.0,
    reach: Annotated[
        float,
        typer.Option(
            help="A color is found again in the next frame up to a squared distance of this many birth "
            "costs, >= 1.",
            rich_help_panel=_COSTS,
        ),
    ] = 1.1,
    colorspace: Annotated[
        Colorspace,
        typer.Option(
            help="Color space of distances. Distances in oklab follow perception, scaled so that black and "
            "white are as far apart as in rgb.",
            rich_help_panel=_COSTS,
        ),
    ] = Colorspace.rgb,
    max_colors: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Maximum number of colors per frame; the birth cost rises to keep it. 256 for .gif and "
            ".webp; with kmeans, the number of colors (default 20).",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    per_frame: Annotated[
        PerFrame | None,
        typer.Option(
            help="A separate palette for each frame, for comparison.",
            show_default=False,
            rich_help_panel=_COSTS,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the random orders.", rich_help_panel=_COSTS)
    ] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of threads; the results do not depend on it.", rich_help_panel=_COSTS
        ),
    ] = None,
    codec: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Encoder of FFmpeg, such as libx265 or ffv1; by default the usual one for the file type.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    palette: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CSV file for the palette over time.", rich_help_panel=_OUTPUT),
    ] = None,
    preview: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="PNG file with frames before and after, side by side.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite existing files.", rich_help_panel=_OUTPUT)
    ] = False,
) -> None:
    """Repaint a video with few colors that change smoothly instead of flickering."""
    with exit_on_interrupt():
        from dynmeans.apps.video import PaletteOptions, QuantizeOptions
        from dynmeans.cli.video_run import run_video

    method = None if per_frame is None else per_frame.value
    colors = PaletteOptions(birth_cost, lifetime, reach, colorspace.value, max_colors, method, seed, jobs)
    run_video(QuantizeOptions(source, target, colors, codec, palette, preview), force=force)
