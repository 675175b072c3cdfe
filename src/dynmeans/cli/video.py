"""`dynmeans video`: a video in, the same in few colours out."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from dynmeans._files.atomic_write import remove_leftovers
from dynmeans._files.errors import InputError
from dynmeans._files.lock import locked
from dynmeans.apps.video import Job, Outcome, Palette, check, quantize
from dynmeans.cli import INTERRUPTED
from dynmeans.cli.console import amount, print_error, tell, terminal_bar
from dynmeans.estimators.validation import LARGEST_SEED

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
            help="Squared distance to all colours of the palette at which a pixel founds a new one, with "
            "red, green and blue from 0 to 255.",
            rich_help_panel=_COSTS,
        ),
    ] = 800.0,
    lifetime: Annotated[
        float,
        typer.Option(
            help="Frames that a colour may go unseen before it is forgotten, > 1.", rich_help_panel=_COSTS
        ),
    ] = 15.0,
    reach: Annotated[
        float,
        typer.Option(
            help="A colour is found again in the next frame up to a squared distance of this many birth "
            "costs, >= 1.",
            rich_help_panel=_COSTS,
        ),
    ] = 1.1,
    colorspace: Annotated[
        Colorspace,
        typer.Option(
            help="Where distances are taken; in oklab they are as the eye sees them, black and white as far "
            "apart as in rgb.",
            rich_help_panel=_COSTS,
        ),
    ] = Colorspace.rgb,
    max_colors: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Most colours in a frame: where there would be more, the birth cost rises. 256 for .gif and "
            ".webp; with kmeans, their number (20 if not given).",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    per_frame: Annotated[
        PerFrame | None,
        typer.Option(
            help="A palette for each frame alone, for comparison.", show_default=False, rich_help_panel=_COSTS
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the random orders.", rich_help_panel=_COSTS)
    ] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Threads; results do not depend on it.", rich_help_panel=_COSTS)
    ] = None,
    codec: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Encoder of FFmpeg, such as libx265 or ffv1; otherwise the usual one for the kind of file.",
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
            help="PNG file for moments before and after, side by side.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files that are there.", rich_help_panel=_OUTPUT)
    ] = False,
) -> None:
    """Repaint a video with few colours that move with it instead of flickering."""
    settings = Palette(
        birth_cost,
        lifetime,
        reach,
        colorspace.value,
        max_colors,
        None if per_frame is None else per_frame.value,
        seed,
        jobs,
    )
    job = Job(source, target, settings, codec, palette, preview)
    check(job)
    began = monotonic()
    with locked(target, "target"):
        present = [path for path in (target, palette, preview) if path is not None and path.exists()]
        if present and not force:
            raise InputError(f"{present[0]}: is there already; --force overwrites it")
        for path in filter(None, (target, palette, preview)):
            remove_leftovers(path.parent, path.name)
        with _progress() as show, _on_interrupt() as stopped:
            outcome = _quantize(job, show, stopped)
    _tell(job, outcome, monotonic() - began)


def _quantize(job: Job, show: Callable[..., None], stopped: Callable[[], bool]) -> Outcome:
    try:
        return quantize(job, show, stopped)
    except InputError as error:
        if not stopped():
            raise
        print_error(str(error), kind="")  # stopped before the first frame
        raise typer.Exit(INTERRUPTED) from None


def _tell(job: Job, outcome: Outcome, seconds: float) -> None:
    """Say what was done; a damaged source is bad input, though what came before the damage is kept."""
    if outcome.damage is not None:
        print_error(f"{outcome.damage}; {job.target} holds what came before")
        raise typer.Exit(2)
    if not outcome.complete:
        print_error(f"stopped; {job.target} holds the first {amount(outcome.frames, 'frame')}", kind="")
        raise typer.Exit(INTERRUPTED)
    quality = outcome.quality
    written = [job.target, job.palette_file, job.preview_file]
    tell(
        {
            "frames": f"{outcome.frames:,} at {outcome.frames / max(seconds, 1e-9):.1f} a second",
            "colors": f"{quality.n_colors.mean():.1f} on average, {quality.n_colors.max():.0f} at most",
            "error": f"{quality.error.mean():.1f}, mean squared distance of a pixel",
            "flicker": f"{quality.flicker:.3f}, mean deviation of the frame differences from the original's",
            "sound": outcome.sound,
            "written": ", ".join(str(path) for path in written if path is not None),
        }
    )


@contextmanager
def _progress() -> Iterator[Callable[[int, int | None, int], None]]:
    """Show a bar with frames a second and the time left on a terminal, and nothing elsewhere."""
    words = TextColumn(
        "{task.completed:,.0f} frames  {task.fields[colors]} colors  {task.fields[speed]:.1f} fps"
    )
    with terminal_bar(BarColumn(bar_width=20), words, TimeRemainingColumn()) as bar:
        if bar is None:
            yield lambda done, total, colors: None
            return
        task = bar.add_task("", total=None, colors=0, speed=0.0)
        began = monotonic()

        def show(done: int, total: int | None, colors: int) -> None:
            speed = done / max(monotonic() - began, 1e-9)
            bar.update(task, completed=done, total=total, colors=colors, speed=speed)

        yield show


@contextmanager
def _on_interrupt() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end the work after the frame at hand; a second one ends it at once."""
    asked = False

    def note(number: int, frame: Any) -> None:
        nonlocal asked
        asked = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
