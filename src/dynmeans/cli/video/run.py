"""Run `dynmeans video`: show progress, stop after a frame on Ctrl-C, print the result."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

import typer

from dynmeans._files.atomic_write import remove_leftovers
from dynmeans._files.errors import InputError
from dynmeans._files.lock import locked
from dynmeans.apps.video import QuantizeOptions, QuantizeResult, check, quantize
from dynmeans.cli import INTERRUPTED
from dynmeans.cli.console import amount, print_error, print_summary, terminal_bar

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


def run_video(job: QuantizeOptions, *, force: bool) -> None:
    """Repaint a video and print the result."""
    files = (job.target, job.palette_file, job.preview_file)
    check(job)
    began = monotonic()
    with locked(job.target, "target"):
        present = [path for path in files if path is not None and path.exists()]
        if present and not force:
            raise InputError(f"{present[0]}: exists already; --force overwrites it")
        for path in filter(None, files):
            remove_leftovers(path.parent, path.name)
        with _progress() as show, _on_interrupt() as stopped:
            outcome = _quantize(job, show, stopped)
    _print_result(job, outcome, monotonic() - began)


def _quantize(job: QuantizeOptions, show: Callable[..., None], stopped: Callable[[], bool]) -> QuantizeResult:
    try:
        return quantize(job, show, stopped)
    except InputError as error:
        if not stopped():
            raise
        print_error(str(error), kind="")  # stopped before the first frame
        raise typer.Exit(INTERRUPTED) from None


def _print_result(job: QuantizeOptions, outcome: QuantizeResult, seconds: float) -> None:
    """Print the result. A damaged source is bad input; the frames before the damage are kept."""
    if outcome.damage is not None:
        print_error(f"{outcome.damage}; {job.target} holds the frames before it")
        raise typer.Exit(2)
    if not outcome.complete:
        print_error(f"stopped; {job.target} holds the first {amount(outcome.frames, 'frame')}", kind="")
        raise typer.Exit(INTERRUPTED)
    quality = outcome.quality
    written = [job.target, job.palette_file, job.preview_file]
    print_summary(
        {
            "frames": f"{outcome.frames:,} at {outcome.frames / max(seconds, 1e-9):.1f} per second",
            "colors": f"{quality.n_colors.mean():.1f} on average, {quality.n_colors.max():.0f} at most",
            "error": f"{quality.error.mean():.1f}, mean squared distance of a pixel",
            "flicker": f"{quality.flicker:.3f}, mean deviation of the frame differences from the original's",
            "sound": outcome.sound,
            "written": ", ".join(str(path) for path in written if path is not None),
        }
    )


@contextmanager
def _progress() -> Iterator[Callable[[int, int | None, int], None]]:
    """Show frames per second and the remaining time on a terminal."""
    with terminal_bar(_columns) as bar:
        if bar is None:
            yield lambda done, total, colors: None
            return
        task = bar.add_task("", total=None, colors=0, speed=0.0)
        began = monotonic()

        def show(done: int, total: int | None, colors: int) -> None:
            speed = done / max(monotonic() - began, 1e-9)
            bar.update(task, completed=done, total=total, colors=colors, speed=speed)

        yield show


def _columns() -> Sequence[ProgressColumn]:
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    text = "{task.completed:,.0f} frames  {task.fields[colors]} colors  {task.fields[speed]:.1f} fps"
    return BarColumn(bar_width=20), TextColumn(text), TimeRemainingColumn()


@contextmanager
def _on_interrupt() -> Iterator[Callable[[], bool]]:
    """Stop after the current frame on the first Ctrl-C, and at once on the second."""
    asked = False

    def stop(number: int, frame: Any) -> None:
        nonlocal asked
        asked = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
