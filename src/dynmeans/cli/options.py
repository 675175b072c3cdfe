"""Options and limits that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

LARGEST_SEED = 2**64 - 1  # equals dynmeans.estimators.validation.LARGEST_SEED, which loads scikit-learn
CLUSTERING_PANEL = "Clustering"  # heading in the help

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
