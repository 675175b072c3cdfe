"""The HTML report of a run folder."""

from __future__ import annotations

from pathlib import Path

from dynmeans._files.atomic_write import atomic_write, remove_leftovers
from dynmeans._files.run_folder.format import REPORT_FILE
from dynmeans._files.run_folder.reader import read_info, read_run
from dynmeans.runs._by_key.key_reports import draw_key_reports


def draw_report(folder: Path) -> None:
    """Write the report of a run folder atomically, and remove the temporary files of a killed process."""
    from dynmeans.plots.report import write_report

    remove_leftovers(folder)
    if "by" in read_info(folder)["parameters"]:
        draw_key_reports(folder)
        return
    run = read_run(folder)
    with atomic_write(folder / REPORT_FILE) as temporary:
        write_report(run, temporary)
