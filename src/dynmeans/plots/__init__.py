"""Visualization of a run: HTML report and static figure."""

from __future__ import annotations

from dynmeans.plots.picture import draw_run
from dynmeans.plots.report import write_report

__all__ = ["draw_run", "write_report"]
