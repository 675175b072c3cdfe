"""`dynmeans report`: draw the report of a run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.run_folder import REPORT_FILE, read_run
from dynmeans.cli.console import say


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of `dynmeans cluster`, points or demo.")],
) -> None:
    """Draw the report of a run again."""
    draw_report(run)
    say(str(run / REPORT_FILE))


def draw_report(folder: Path) -> None:
    """Write the report of a run folder, whole or not at all."""
    from dynmeans.plots.report import write_report

    run = read_run(folder)
    with atomic_write(folder / REPORT_FILE) as place:
        write_report(run, place)
