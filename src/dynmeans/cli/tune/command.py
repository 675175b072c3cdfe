"""`dynmeans tune`: find hyperparameters for the rows of files, without labels."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.choices import AlgorithmName, Metric, Missing
from dynmeans.cli.cluster.options import (
    AlgorithmOption,
    EmbeddingOption,
    EveryOption,
    FeaturesOption,
    FormatOption,
    InputsArgument,
    JobsOption,
    KernelOption,
    MetricOption,
    MotionOption,
    StandardizeOption,
    TimeOption,
    WeightOption,
)
from dynmeans.cli.light_imports import import_sklearn
from dynmeans.cli.options import (
    DuplicatesOption,
    ExclusiveOption,
    LimitOption,
    MergeOption,
    RefineOption,
    seed_option,
)


class Strategy(str, Enum):
    """Choices of --strategy."""

    refine = "refine"
    paper = "paper"
    grid = "grid"
    optuna = "optuna"


TrialsOption = Annotated[int, typer.Option(metavar="N", min=1, help="Number of candidates to try.")]
StepsOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Tune on the first N steps only; they must fit into memory."),
]
ChooseMotionOption = Annotated[
    bool, typer.Option("--choose-motion", help="Try every motion that the algorithm has, and choose one.")
]
StrategyOption = Annotated[
    Strategy,
    typer.Option(
        help="refine: a global search, then one near the best candidates; paper: the birth cost first, then "
        "the others; grid: a plain grid; optuna: Bayesian optimization."
    ),
]
StudyOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="With optuna: file of the study; the same command resumes it."),
]
TuneOutOption = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the table and the figure.")]
TuneMissingOption = Annotated[
    Missing, typer.Option(help="Rows with empty cells: error stops; drop leaves them out.")
]
RefusedByOption = Annotated[str | None, typer.Option("--by", hidden=True)]  # of the command cluster
RefusedTextOption = Annotated[str | None, typer.Option("--text", hidden=True)]  # of the command cluster
TuneForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite a table and a figure in the folder.")
]


def tune(
    inputs: InputsArgument,
    time: TimeOption = None,
    every: EveryOption = None,
    features: FeaturesOption = None,
    embedding: EmbeddingOption = None,
    weight: WeightOption = None,
    missing: TuneMissingOption = Missing.error,
    standardize: StandardizeOption = False,
    motion: MotionOption = None,
    metric: MetricOption = Metric.auto,
    choose_motion: ChooseMotionOption = False,
    refine: RefineOption = None,
    merge: MergeOption = None,
    exclusive: ExclusiveOption = None,
    duplicates: DuplicatesOption = False,
    algorithm: AlgorithmOption = AlgorithmName.dmeans,
    kernel: KernelOption = None,
    trials: TrialsOption = 100,
    steps: StepsOption = None,
    strategy: StrategyOption = Strategy.refine,
    study: StudyOption = None,
    seed: Annotated[int, seed_option("Seed of the search and of all runs.")] = 0,
    jobs: JobsOption = None,
    out: TuneOutOption = Path("dynmeans-tune"),
    format: FormatOption = None,
    limit: LimitOption = None,
    force: TuneForceOption = False,
    by: RefusedByOption = None,
    text: RefusedTextOption = None,
) -> None:
    """Find hyperparameters for the rows of files, without labels, and print the command to run."""
    with exit_on_interrupt():
        import_sklearn()
        from dynmeans._files.errors import InputError
        from dynmeans.cli.tune.run import Search, run_tune
        from dynmeans.runs.parameters import RunParameters, parse_features

    if by is not None:
        raise InputError(
            f"--by {by}: tune works on one stream; filter the file by one key of {by!r}, and use the "
            f"parameters that it finds in cluster --by {by}"
        )
    if text is not None:
        raise InputError(
            f"--text {text}: tune does not use texts, which have no effect on the clusters; add the option "
            "to the command that it prints"
        )
    parameters = RunParameters(
        time=time,
        every=every,
        features=parse_features(features),
        embedding=embedding,
        weight=weight,
        missing=None if missing is Missing.error else missing.value,
        standardize=standardize,
        motion=None if motion is None else motion.value,
        metric=metric.value,
        refine=refine,
        merge=merge,
        exclusive=exclusive,
        duplicates=duplicates,
        algorithm=algorithm.value,
        kernel=kernel,
        seed=seed,
        format=None if format is None else format.value,
    )
    search = Search(
        trials=trials,
        steps=steps,
        strategy=strategy.value,
        study=study,
        choose_motion=choose_motion,
        jobs=jobs,
    )
    run_tune(inputs, parameters, search, out, limit or [], force=force)
