"""Options and limits that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

LARGEST_SEED = 2**64 - 1  # equals dynmeans.estimators._validation.LARGEST_SEED, which loads scikit-learn
CLUSTERING_PANEL, OUTPUT_PANEL = "Clustering", "Output"  # headings in the help

LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SIZE",
        help="Raise a limit on the inputs. Defaults: line=8MB, cell=128KB and columns=100000 for tables; "
        "array=256MB for the memory of an array or a step beyond 8 times the size of its files. Repeatable.",
        show_default=False,
    ),
]
ExclusiveOption = Annotated[
    bool | None,
    typer.Option(
        "--exclusive/--no-exclusive",
        help="With dmeans: at most one row per cluster and step, for detections. Estimated if the birth "
        "cost is auto.",
        rich_help_panel=CLUSTERING_PANEL,
        show_default=False,
    ),
]
RefineOption = Annotated[
    bool | None,
    typer.Option(
        "--refine/--no-refine",
        help="With dmeans: split, merge and re-link whole clusters. Estimated if the birth cost is auto.",
        rich_help_panel=CLUSTERING_PANEL,
        show_default=False,
    ),
]
MergeOption = Annotated[
    bool | None,
    typer.Option(
        "--merge/--no-merge",
        help="With dmeans: merge clusters that are not worth a birth into older ones. Estimated if the birth "
        "cost is auto.",
        rich_help_panel=CLUSTERING_PANEL,
        show_default=False,
    ),
]
DuplicatesOption = Annotated[
    bool,
    typer.Option(
        "--duplicates",
        help="With --exclusive: an object may be detected more than once; such rows join its cluster.",
        rich_help_panel=CLUSTERING_PANEL,
    ),
]
MinHitsOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        help="With dmeans: number of steps in which a cluster must have rows before its id is confirmed; "
        "events of other ids are marked as tentative.",
        rich_help_panel=CLUSTERING_PANEL,
    ),
]
OutOption = Annotated[
    Path, typer.Option(metavar="DIR", help="Folder for the results.", rich_help_panel=OUTPUT_PANEL)
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite another run in the folder.", rich_help_panel=OUTPUT_PANEL)
]
NoReportOption = Annotated[
    bool, typer.Option("--no-report", help="Do not draw the report.", rich_help_panel=OUTPUT_PANEL)
]


def seed_option(help: str, panel: str | None = None) -> Any:
    """Return the option for a seed."""
    return typer.Option(metavar="N", min=0, max=LARGEST_SEED, help=help, rich_help_panel=panel)


def jobs_option(panel: str) -> Any:
    """Return the option for the number of threads."""
    return typer.Option(
        metavar="N", min=1, help="Number of threads; the results do not depend on it.", rich_help_panel=panel
    )


def restarts_option(default: str, panel: str) -> Any:
    """Return the option for the number of restarts."""
    text = f"Number of random orders tried per step. Default: {default}."
    return typer.Option(metavar="N", min=1, help=text, rich_help_panel=panel)
