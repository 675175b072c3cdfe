"""Progress bars on a terminal, summaries and errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from dynmeans._files.atomic_write import naming_errors

if TYPE_CHECKING:  # rich is loaded only where a terminal shows a bar
    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn, TaskID


class Show(Protocol):
    """Callback that updates a progress bar after each step."""

    def __call__(self, rows: int, steps: int, clusters: int, fraction: float | None, /) -> None:
        """Show totals, and the fraction of the input that has been read, if it is known."""


@contextmanager
def terminal_bar(
    columns: Callable[[], Sequence[ProgressColumn]], *, estimate_seconds: float = 30.0
) -> Iterator[Bar | None]:
    """Open a transient progress bar, or yield None without a terminal.

    Parameters
    ----------
    columns : callable
        Returns the columns of the bar.
    estimate_seconds : float
        Length of the recent period from which the remaining time is estimated.
    """
    if sys.stderr is None or not sys.stderr.isatty():  # None if it is closed
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    with Bar(*columns(), console=console, transient=True, speed_estimate_period=estimate_seconds) as bar:
        yield bar


@contextmanager
def progress_bar() -> Iterator[Show]:
    """Show rows, steps, clusters and speed on a terminal."""
    with terminal_bar(_step_columns) as bar:
        if bar is None:
            yield _ignore
            return
        task = bar.add_task("", total=None, rows=0, steps=0, clusters=0, speed=0.0)
        began, before = monotonic(), -1

        def show(rows: int, steps: int, clusters: int, fraction: float | None) -> None:
            nonlocal before
            before = rows if before < 0 else before  # rows of an interrupted run do not count for the speed
            speed = (rows - before) / max(monotonic() - began, 1e-9)
            total = None if fraction is None else 1.0
            bar.update(
                task,
                total=total,
                completed=fraction,
                rows=rows,
                steps=steps,
                clusters=clusters,
                speed=speed,
            )

        yield show


def _step_columns() -> Sequence[ProgressColumn]:
    from rich.progress import BarColumn, SpinnerColumn, TextColumn

    text = "{task.fields[rows]:,} rows  {task.fields[steps]:,} steps  "
    text += "{task.fields[clusters]} clusters  {task.fields[speed]:,.0f} points/s"
    return SpinnerColumn(), BarColumn(bar_width=20), TextColumn(text)


@contextmanager
def task_bar() -> Iterator[Callable[[str, float], None]]:
    """Show each task with its completed fraction and the remaining time on a terminal."""
    with terminal_bar(_task_columns) as bar:
        if bar is None:
            yield lambda name, fraction: None
            return
        tasks: dict[str, TaskID] = {}

        def show(name: str, fraction: float) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=1.0)
            bar.update(tasks[name], completed=fraction)

        yield show


def _task_columns() -> Sequence[ProgressColumn]:
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn

    return SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()


def _ignore(rows: int, steps: int, clusters: int, fraction: float | None) -> None:
    """Show nothing."""


def print_lines(*lines: str) -> None:
    """Print lines to standard output; characters that its encoding lacks are escaped."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    with naming_errors("standard output"):
        for line in lines:
            print(line, flush=True)


def print_summary(entries: dict[str, str], width: int = 0) -> None:
    """Print one entry per line in two columns; `width` is the minimum width of the first."""
    width = max(width, *map(len, entries))
    print_lines(*(f"{name:<{width}}  {_escape(value)}" for name, value in entries.items()))


def amount(count: int, noun: str) -> str:
    """Return a number with its noun: 1 row, 2,000 rows."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def print_error(message: str, kind: str = "error: ") -> None:
    """Print a message as one line to standard error, if that is possible."""
    if sys.stderr is None:
        return  # it is closed
    with suppress(OSError):
        print(f"dynmeans: {kind}{_escape(' '.join(message.split()))}", file=sys.stderr)


def _escape(text: str) -> str:
    """Escape control characters, which names of files and columns may have: a terminal would obey them."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
