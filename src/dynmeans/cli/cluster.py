"""`dynmeans cluster`: files in, labels, clusters, events and a report out."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dynmeans._files.limits import parse_limits
from dynmeans.cli.limits import LimitOption
from dynmeans.cli.run import Job, run_job
from dynmeans.estimators.validation import LARGEST_SEED
from dynmeans.runs.parameters import Settings, check_settings, parse_birth_cost, parse_features

_STEPS, _COSTS, _OUTPUT = "Time steps", "Clustering", "Output"


class Motion(str, Enum):
    """Choices of --motion."""

    walk = "walk"
    velocity = "velocity"
    align = "align"


class Algorithm(str, Enum):
    """Choices of --algorithm."""

    dmeans = "dmeans"
    kdmeans = "kdmeans"
    sdmeans = "sdmeans"


class Format(str, Enum):
    """Choices of --format, as `dynmeans._tables.sources.FORMATS`."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    arrow = "arrow"
    npy = "npy"
    npz = "npz"


InputsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="CSV, TSV, JSON Lines (these also as .gz), Parquet, Arrow, NPY or NPZ files with the same "
        "columns, read one after another; - is standard input. A table without a heading has columns "
        "x1, x2, ...",
    ),
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column with the time of each row: numbers, or ISO dates (UTC unless they say otherwise). "
        "Every distinct time is a step, and lifetimes are in its units, seconds for dates.",
        rich_help_panel=_STEPS,
    ),
]
EveryOption = Annotated[
    str | None,
    typer.Option(
        metavar="LENGTH",
        help="Cut time into windows: 30min, 10s, 2h, 1d (numbers count as seconds) or a plain number in "
        "units of the time column. A window is a step, and lifetimes count windows, empty ones too. "
        "500rows makes every 500 rows a step. Without --time and --every each input, or each array of an "
        "NPZ file, is a step.",
        rich_help_panel=_STEPS,
    ),
]
FeaturesOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...", help="Columns to cluster by. Default: all numeric ones but time and weight."
    ),
]
WeightOption = Annotated[
    str | None, typer.Option(metavar="COL", help="Column with the weight of each row; 0 means absent.")
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
        help="Squared distance at which a point founds a new cluster; auto: estimated.",
        rich_help_panel=_COSTS,
    ),
]
LifetimeOption = Annotated[
    float | None,
    typer.Option(
        help="Time that a cluster may go unseen before it is forgotten, > 1; if not given, 3 for dmeans "
        "and 12 with a kernel.",
        rich_help_panel=_COSTS,
    ),
]
ReachOption = Annotated[
    float | None,
    typer.Option(
        help="A cluster is found again in the next step up to a squared distance of this many birth costs, "
        ">= 1; if not given, 1.5 for dmeans and 5 with a kernel.",
        rich_help_panel=_COSTS,
    ),
]
AgingCostOption = Annotated[
    float | None,
    typer.Option(
        help="With --drift instead of --lifetime and --reach: price of a unit of absence.",
        rich_help_panel=_COSTS,
    ),
]
DriftOption = Annotated[
    float | None,
    typer.Option(help="With --aging-cost: how far clusters move in a unit of time.", rich_help_panel=_COSTS),
]
MotionOption = Annotated[
    Motion,
    typer.Option(
        help="Whether clusters wander, keep their speed (dmeans), or are first shifted to meet the new rows "
        "(kdmeans, sdmeans).",
        rich_help_panel=_COSTS,
    ),
]
AlgorithmOption = Annotated[
    Algorithm,
    typer.Option(
        help="dmeans for round clusters; kdmeans and sdmeans for clusters of any shape, through a kernel.",
        rich_help_panel=_COSTS,
    ),
]
KernelOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[:PARAM=VALUE,...]",
        help="rbf, linear, mst, diffusion or gaussian_process, such as mst:scale=0.07; rbf if not given.",
        rich_help_panel=_COSTS,
    ),
]
RelativeOption = Annotated[
    bool | None,
    typer.Option(
        "--relative/--absolute",
        help="With a kernel: costs are shares of the rows of a step, or in units of the kernel. Shares "
        "where the birth cost is auto.",
        rich_help_panel=_COSTS,
        show_default=False,
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="With a kernel: most past rows that stand for a cluster; 80 if not given.",
        rich_help_panel=_COSTS,
    ),
]
RestartsOption = Annotated[
    int, typer.Option(min=1, help="Random orders tried in each step.", rich_help_panel=_COSTS)
]
SeedOption = Annotated[
    int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of those orders.", rich_help_panel=_COSTS)
]
JobsOption = Annotated[
    int | None, typer.Option(min=1, help="Threads; results do not depend on it.", rich_help_panel=_COSTS)
]
OutOption = Annotated[
    Path, typer.Option(metavar="DIR", help="Folder for the results.", rich_help_panel=_OUTPUT)
]
StateOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Keep the state here. The same line again goes on where a killed run stopped, with exactly "
        "the same results; with new inputs and another --out a finished run goes on, and clusters keep "
        "their ids.",
        rich_help_panel=_OUTPUT,
    ),
]
FormatOption = Annotated[
    Format | None,
    typer.Option(help="Format of the inputs; otherwise told from their names.", show_default=False),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite a run in the folder.", rich_help_panel=_OUTPUT)
]
NoReportOption = Annotated[
    bool, typer.Option("--no-report", help="Leave out the report.", rich_help_panel=_OUTPUT)
]


def cluster(
    inputs: InputsArgument,
    time: TimeOption = None,
    every: EveryOption = None,
    features: FeaturesOption = None,
    weight: WeightOption = None,
    standardize: StandardizeOption = False,
    birth_cost: BirthCostOption = "auto",
    lifetime: LifetimeOption = None,
    reach: ReachOption = None,
    aging_cost: AgingCostOption = None,
    drift: DriftOption = None,
    motion: MotionOption = Motion.walk,
    algorithm: AlgorithmOption = Algorithm.dmeans,
    kernel: KernelOption = None,
    relative: RelativeOption = None,
    budget: BudgetOption = None,
    restarts: RestartsOption = 3,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    out: OutOption = Path("dynmeans-run"),
    state: StateOption = None,
    format: FormatOption = None,
    limit: LimitOption = None,
    force: ForceOption = False,
    no_report: NoReportOption = False,
) -> None:
    """Cluster the rows of files, step by step in time."""
    settings = Settings(
        time=time,
        every=every,
        features=parse_features(features),
        weight=weight,
        standardize=standardize,
        birth_cost=parse_birth_cost(birth_cost),
        lifetime=lifetime,
        reach=reach,
        aging_cost=aging_cost,
        drift=drift,
        motion=motion.value,
        algorithm=algorithm.value,
        kernel=kernel,
        relative=relative,
        budget=budget,
        restarts=restarts,
        seed=seed,
        format=None if format is None else format.value,
    )
    check_settings(settings)
    run_job(Job(inputs, settings, out, state, jobs, force, not no_report, parse_limits(limit)))
