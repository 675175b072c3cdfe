"""`dynmeans tune`: which costs suit the rows of these files, without labels."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from dynmeans._files.errors import InputError, reason
from dynmeans._files.limits import Limits, parse_limits
from dynmeans._tables.inputs import open_inputs
from dynmeans._tables.sources import STDIN, find_source
from dynmeans._tables.standardize import learn_scale
from dynmeans._tables.windows import cut
from dynmeans.cli.cluster import (
    Algorithm,
    AlgorithmOption,
    EveryOption,
    FeaturesOption,
    FormatOption,
    InputsArgument,
    JobsOption,
    KernelOption,
    Motion,
    MotionOption,
    StandardizeOption,
    TimeOption,
    WeightOption,
)
from dynmeans.cli.limits import LimitOption
from dynmeans.cli.tune_output import (
    FIGURE_FILE,
    TABLE_FILE,
    best_so_far,
    command,
    tell_findings,
    write_findings,
)
from dynmeans.estimators.validation import LARGEST_SEED
from dynmeans.runs.folder import check_place, locked_folder
from dynmeans.runs.parameters import Settings, check_settings, make_model, make_windowing, parse_features
from dynmeans.tuning import tune as find_costs
from dynmeans.tuning.selection import FINALISTS


class Strategy(str, Enum):
    """Choices of --strategy."""

    refine = "refine"
    paper = "paper"
    grid = "grid"
    optuna = "optuna"


TrialsOption = Annotated[int, typer.Option(min=1, metavar="N", help="Settings to try.")]
StepsOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Tune on the first N steps only; they must fit into memory."),
]
ChooseMotionOption = Annotated[
    bool, typer.Option("--choose-motion", help="Try every motion that the algorithm has, and choose one.")
]
StrategyOption = Annotated[
    Strategy,
    typer.Option(help="refine: all over, then around the best; paper: birth cost first; grid; or optuna."),
]
StudyOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="With optuna: keep the study here; the same line again goes on with it."
    ),
]
TuneOutOption = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the table and the figure.")]
TuneForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a table and a figure in it.")]


def tune(
    inputs: InputsArgument,
    time: TimeOption = None,
    every: EveryOption = None,
    features: FeaturesOption = None,
    weight: WeightOption = None,
    standardize: StandardizeOption = False,
    motion: MotionOption = Motion.walk,
    choose_motion: ChooseMotionOption = False,
    algorithm: AlgorithmOption = Algorithm.dmeans,
    kernel: KernelOption = None,
    trials: TrialsOption = 100,
    steps: StepsOption = None,
    strategy: StrategyOption = Strategy.refine,
    study: StudyOption = None,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the search and of all runs.")
    ] = 0,
    jobs: JobsOption = None,
    out: TuneOutOption = Path("dynmeans-tune"),
    format: FormatOption = None,
    limit: LimitOption = None,
    force: TuneForceOption = False,
) -> None:
    """Find the costs that suit the rows of files, without labels, and print the line to run."""
    settings = Settings(
        time=time,
        every=every,
        features=parse_features(features),
        weight=weight,
        standardize=standardize,
        motion=motion.value,
        algorithm=algorithm.value,
        kernel=kernel,
        seed=seed,
        format=None if format is None else format.value,
    )
    check_settings(settings)
    if study is not None and strategy is not Strategy.optuna:
        raise InputError(f"--study needs --strategy optuna, got --strategy {strategy.value}")
    with locked_folder(out):
        results = TABLE_FILE, FIGURE_FILE
        check_place(out, results, force=force or study is not None, inputs=map(Path, inputs))
        motions = (
            ("walk", "velocity" if settings.algorithm == "dmeans" else "align") if choose_motion else None
        )
        batches = _read(inputs, settings, steps, parse_limits(limit))
        with best_so_far(trials + min(FINALISTS, trials)) as show:
            try:
                found = find_costs(
                    batches,
                    make_model(settings, jobs),
                    budget=trials,
                    n_jobs=jobs,
                    random_state=seed,
                    motions=motions,
                    strategy=strategy.value,
                    storage=study,
                    on_trial=show,
                )
            except ValueError as error:
                raise InputError(f"{inputs[0]}: {reason(error)}") from None
        line = command(inputs, settings, found.best_params_)
        tell_findings(found, line, len(batches), write_findings(found, out))


def _read(inputs: list[str], settings: Settings, steps: int | None, limits: Limits) -> list[dict[str, Any]]:
    """The arguments of every step, as `dynmeans cluster` would hand them to the model."""
    if inputs.count(STDIN) > 1:
        raise InputError("standard input (-) can be read only once")
    sources = [find_source(name, settings.format, limits) for name in inputs]
    _, stretches = open_inputs(
        sources, features=settings.features, time=settings.time, weight=settings.weight
    )
    scale, batches = None, []
    for batch in cut(stretches, make_windowing(settings, {})):
        if settings.standardize and scale is None:
            scale = learn_scale(batch.X, batch.weights)
        X = batch.X if scale is None else scale.apply(batch.X)
        batches.append({"X": X, "sample_weight": batch.weights, "t": batch.t})
        if len(batches) == steps:
            break
    return batches
