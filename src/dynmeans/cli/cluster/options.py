"""Options of `dynmeans cluster`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynmeans.cli.choices import AlgorithmName, Format, Metric, Missing, MotionName
from dynmeans.cli.options import CLUSTERING_PANEL, OUTPUT_PANEL, jobs_option, restarts_option, seed_option

_STEPS, _COSTS, _OUTPUT, _DASK = "Time steps", CLUSTERING_PANEL, OUTPUT_PANEL, "Many machines"

InputsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="CSV, TSV, JSON Lines (these also as .gz), Parquet, Arrow, NPY or NPZ files with the same "
        "columns, read one after another, or quoted patterns such as 'day*.csv', read in the order of the "
        "names; - is standard input. A table without a heading has columns "
        "x1, x2, ...",
    ),
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column with the time of each row: numbers, or ISO dates (UTC unless they have an offset). "
        "Each distinct time is a step. Lifetimes are in units of this column, seconds for dates.",
        rich_help_panel=_STEPS,
    ),
]
EveryOption = Annotated[
    str | None,
    typer.Option(
        metavar="LENGTH",
        help="Cut time into windows: 30min, 10s, 2h (numbers count as seconds) or a plain number in "
        "units of the time column; 1d, 1w, 1mo and 1y of dates follow the calendar. A window is a step; "
        "lifetimes count windows, including empty ones. 500rows makes every 500 rows a step. Without --time "
        "and --every each input, or each array of an NPZ file, is a step.",
        rich_help_panel=_STEPS,
    ),
]
FeaturesOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Columns to cluster by; e* stands for all whose name begins with e. Default: all "
        "numbers except time, weight, row numbers and identifiers such as id.",
    ),
]
EmbeddingOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL|FILE.npy",
        help="Instead of --features: column whose cells are lists of numbers (Parquet, Arrow, JSON Lines, "
        "JSON lists in CSV and TSV), or an NPY file with one row for each row of the input.",
    ),
]
TextOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column with the text of each row: clusters get their distinctive words, and examples.",
    ),
]
WeightOption = Annotated[
    str | None, typer.Option(metavar="COL", help="Column with the weight of each row; 0 means absent.")
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        help="Rows with empty cells: error stops; drop leaves them out, and their id is empty in the labels.",
    ),
]
StandardizeOption = Annotated[
    bool,
    typer.Option(
        "--standardize",
        help="Scale every feature by its mean and standard deviation in the first step; costs are then "
        "in these units, output stays in those of the input.",
    ),
]
BirthCostOption = Annotated[
    str,
    typer.Option(
        metavar="auto|NUMBER",
        help="Squared distance, or 1 - cosine, at which a point founds a new cluster. auto estimates "
        "it; with --by, one birth cost for all keys.",
        rich_help_panel=_COSTS,
    ),
]
LifetimeOption = Annotated[
    float | None,
    typer.Option(
        help="Time without rows after which a cluster dies, > 1 interval, or > 0 if the reach is estimated. "
        "Default: 3 intervals for dmeans, or 5 median intervals between steps if the birth cost is auto; 8 "
        "with --metric cosine, 12 with a kernel.",
        rich_help_panel=_COSTS,
    ),
]
ReachOption = Annotated[
    float | None,
    typer.Option(
        help="A cluster is revived in the next step up to a squared distance of this many birth costs, at "
        "least 1 - 1/lifetime. Default: 1.5 for dmeans, or an estimate if the birth cost is auto; 5 with a "
        "kernel; 1 - 1/lifetime with --metric cosine.",
        rich_help_panel=_COSTS,
    ),
]
AgingCostOption = Annotated[
    float | None,
    typer.Option(
        help="With --drift instead of --lifetime and --reach: cost per unit of absence.",
        rich_help_panel=_COSTS,
    ),
]
DriftOption = Annotated[
    float | None,
    typer.Option(help="With --aging-cost: variance of the motion per unit of time.", rich_help_panel=_COSTS),
]
IntervalOption = Annotated[
    float | None,
    typer.Option(
        help="Usual time between steps, to which --reach and a velocity refer (dmeans). Default: 1 unit of "
        "time, or the median interval if the lifetime or the reach is estimated.",
        rich_help_panel=_COSTS,
    ),
]
MotionOption = Annotated[
    MotionName | None,
    typer.Option(
        help="walk: random walk; velocity: constant velocity (dmeans); align: old rows are shifted to fit "
        "the new rows (kdmeans, sdmeans). Default: walk; estimated by dmeans if the birth cost is auto.",
        rich_help_panel=_COSTS,
        show_default=False,
    ),
]
MetricOption = Annotated[
    Metric,
    typer.Option(
        help="cosine: cluster the directions of rows, such as embeddings; costs are 1 - cosine (dmeans). "
        "auto: cosine if the first rows are unit vectors with many features and the birth cost is auto.",
        rich_help_panel=_COSTS,
    ),
]
FeatureScalesOption = Annotated[
    str | None,
    typer.Option(
        metavar="S,T,...",
        help="Divide every feature by its scale before distances are computed, in the order of the features "
        "(dmeans). The command tune estimates scales if clusters are wider in some features than in others.",
        rich_help_panel=_COSTS,
    ),
]
AlgorithmOption = Annotated[
    AlgorithmName,
    typer.Option(
        help="dmeans for round clusters; kdmeans and sdmeans for clusters of any shape, through a kernel.",
        rich_help_panel=_COSTS,
    ),
]
KernelOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[:PARAM=VALUE,...]",
        help="rbf, linear, mst, diffusion or gaussian_process, such as mst:scale=0.07. Default: rbf.",
        rich_help_panel=_COSTS,
    ),
]
RelativeOption = Annotated[
    bool | None,
    typer.Option(
        "--relative/--absolute",
        help="With a kernel: costs relative to the number of rows per step, or in units of the kernel. "
        "Relative if the birth cost is auto.",
        rich_help_panel=_COSTS,
        show_default=False,
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="With a kernel: maximum number of support points (past rows) per cluster. Default: 80.",
        rich_help_panel=_COSTS,
    ),
]
RestartsOption = Annotated[int | None, restarts_option("3, or 1 with --metric cosine", _COSTS)]
SeedOption = Annotated[int, seed_option("Seed of the random orders.", _COSTS)]
JobsOption = Annotated[int | None, jobs_option(_COSTS)]
StateOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="State file. The same command resumes an interrupted run, with exactly the same results. With "
        "new inputs and another --out, it continues a complete run, and clusters keep their ids.",
        rich_help_panel=_OUTPUT,
    ),
]
FormatOption = Annotated[
    Format | None,
    typer.Option(help="Format of the inputs; inferred from their names by default.", show_default=False),
]
ByOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column with the key of each row, such as a sensor. Each key has a separate model and ids.",
    ),
]
ReportKeysOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="With --by: keys that get a report. A key with a comma is quoted as in a CSV file.",
        rich_help_panel=_OUTPUT,
    ),
]
ReportLargestOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="With --by: number of keys with the most rows that get a report. Default: 3.",
        rich_help_panel=_OUTPUT,
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Cluster Parquet files, or patterns such as 'data/*.parquet' or 's3://bucket/*.parquet', on the "
        "Dask workers of this scheduler. The labels are those of a run on one machine, written as a "
        "dataset of Parquet files.",
        rich_help_panel=_DASK,
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="The same with this number of worker processes on this machine.",
        rich_help_panel=_DASK,
    ),
]
