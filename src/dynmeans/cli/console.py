"""What a person sees: a progress bar on a terminal, and a summary at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar


class Counted(Protocol):
    """Knows how far a run has come."""

    @property
    def rows(self) -> int:
        """Rows read."""

    @property
    def steps(self) -> int:
        """Steps made."""


class Show(Protocol):
    """Takes note of one more step."""

    def __call__(self, progress: Counted, clusters: int, done: float, /) -> None:
        """Where the run stands, the clusters alive, and the share of the input that has been read."""


@contextmanager
def terminal_bar(*columns: ProgressColumn, patience: float = 30.0) -> Iterator[Bar | None]:
    """Make a bar that vanishes at its end, or None where no terminal shows it.

    Parameters
    ----------
    columns : columns of rich
    patience : float
        Seconds of the past by which the time left is estimated.
    """
    if not sys.stderr.isatty():
        yield None
        return
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, speed_estimate_period=patience) as bar:
        yield bar


@contextmanager
def progress_bar(*, endless: bool) -> Iterator[Show]:
    """Show a bar on a terminal, and nothing elsewhere.

    Parameters
    ----------
    endless : bool
        Whether the length of the input is unknown.
    """
    text = "{task.fields[rows]:,} rows  {task.fields[steps]:,} steps  "
    text += "{task.fields[clusters]} clusters alive  {task.fields[speed]:,.0f} points/s"
    columns = (SpinnerColumn(), BarColumn(bar_width=20), TextColumn(text))
    with terminal_bar(*columns) as bar:
        if bar is None:
            yield _silent
            return
        task = bar.add_task("", total=None if endless else 1.0, rows=0, steps=0, clusters=0, speed=0.0)
        began, before = monotonic(), -1

        def show(progress: Counted, clusters: int, done: float) -> None:
            nonlocal before
            before = progress.rows if before < 0 else before  # what an earlier run did is not our speed
            speed = (progress.rows - before) / max(monotonic() - began, 1e-9)
            rows, steps = progress.rows, progress.steps
            bar.update(task, completed=done, rows=rows, steps=steps, clusters=clusters, speed=speed)

        yield show


@contextmanager
def share_bar() -> Iterator[Callable[[str, float], None]]:
    """Show what is being done, which share of it is done, and the time left; nothing without a terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with terminal_bar(*columns) as bar:
        if bar is None:
            yield lambda what, share: None
            return
        tasks: dict[str, TaskID] = {}

        def show(what: str, share: float) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=1.0)
            bar.update(tasks[what], completed=share)

        yield show


def _silent(progress: Counted, clusters: int, done: float) -> None:
    """Nobody is looking."""


def say(*lines: str) -> None:
    """Print lines as they are."""
    for line in lines:
        print(line)


def tell(entries: dict[str, str], width: int = 0) -> None:
    """Print a summary: one fact a line, in two columns, the first at least so wide."""
    width = max(width, *map(len, entries))
    say(*(f"{name:<{width}}  {value}" for name, value in entries.items()))


def amount(count: int, noun: str) -> str:
    """A number with its noun: 1 row, 2,000 rows."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def print_error(message: str, kind: str = "error: ") -> None:
    """Print one line about what went wrong, whatever it contains."""
    print(f"dynmeans: {kind}{' '.join(message.split())}", file=sys.stderr)
