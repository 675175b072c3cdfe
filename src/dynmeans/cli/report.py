"""`dynmeans report`: draw the report of a run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.console import print_lines
from dynmeans.cli.light_imports import import_sklearn


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of `dynmeans cluster`, points or demo.")],
) -> None:
    """Draw the report of a run again."""
    with exit_on_interrupt():
        import_sklearn()
        from dynmeans._files.run_folder.format import REPORT_FILE
        from dynmeans.runs._report import draw_report

    draw_report(run)
    print_lines(str(run / REPORT_FILE))
