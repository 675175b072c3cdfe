"""`dynmeans tune`: which costs suit the rows of these files, without labels."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, SpinnerColumn, TextColumn

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
from dynmeans.cli.console import amount, complain, say, tell, terminal_bar
from dynmeans.cli.settings import Settings, check_settings, make_model, make_rule, parse_features
from dynmeans.io.atomic import replacing
from dynmeans.io.errors import InputError, reason
from dynmeans.io.folder import check_place
from dynmeans.io.inputs import open_inputs
from dynmeans.io.scale import learn_scale
from dynmeans.io.sources import STDIN, find_source
from dynmeans.io.windows import cut
from dynmeans.kernels import Kernel, to_params
from dynmeans.tuning import Trial, Tuning
from dynmeans.tuning import tune as find_costs

TABLE_FILE, FIGURE_FILE = "settings.csv", "tuning.png"
_FINALISTS = 8  # settings that run again, for the length of the bar


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
    seed: Annotated[int, typer.Option(min=0, help="Seed of the search and of all runs.")] = 0,
    jobs: JobsOption = None,
    out: TuneOutOption = Path("dynmeans-tune"),
    format: FormatOption = None,
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
    check_place(out, (TABLE_FILE, FIGURE_FILE), force=force or study is not None)
    motions = ("walk", "velocity" if settings.algorithm == "dmeans" else "align") if choose_motion else None
    batches = _read(inputs, settings, steps)
    with _progress(trials + min(_FINALISTS, trials)) as show:
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
    _tell(found, command(inputs, settings, found.best_params_), len(batches), _write(found, out))


def command(inputs: list[str], settings: Settings, params: dict[str, Any]) -> str:
    """The line that clusters these inputs with the costs that were found."""
    words = ["dynmeans", "cluster", *inputs]
    for name in ("time", "every", "weight", "format"):
        if getattr(settings, name) is not None:
            words += [f"--{name}", getattr(settings, name)]
    if settings.features is not None:
        words += ["--features", ",".join(settings.features)]
    words += ["--standardize"] if settings.standardize else []
    words += ["--algorithm", settings.algorithm] if settings.algorithm != "dmeans" else []
    chosen = {"motion": settings.motion, "kernel": settings.kernel, **params}
    for name, value in chosen.items():
        words += _option(name, value)
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:
    if value is None or (name == "motion" and value == "walk"):
        return []
    if name == "relative":
        return ["--relative" if value else "--absolute"]
    text = _kernel_words(value) if name == "kernel" and not isinstance(value, str) else value
    return [f"--{name.replace('_', '-')}", f"{text:.6g}" if isinstance(text, float) else text]


def _kernel_words(kernel: Kernel) -> str:
    params = {name: value for name, value in to_params(kernel).items() if value is not None}
    name = params.pop("kernel")
    return ":".join(filter(None, [name, ",".join(f"{key}={value}" for key, value in params.items())]))


def _read(inputs: list[str], settings: Settings, steps: int | None) -> list[dict[str, Any]]:
    """The arguments of every step, as `dynmeans cluster` would hand them to the model."""
    if inputs.count(STDIN) > 1:
        raise InputError("standard input (-) can be read only once")
    sources = [find_source(name, settings.format) for name in inputs]
    _, stretches = open_inputs(
        sources, features=settings.features, time=settings.time, weight=settings.weight
    )
    scale, batches = None, []
    for batch in cut(stretches, make_rule(settings, {})):
        if settings.standardize and scale is None:
            scale = learn_scale(batch.X, batch.weights)
        X = batch.X if scale is None else scale.apply(batch.X)
        batches.append({"X": X, "sample_weight": batch.weights, "t": batch.t})
        if len(batches) == steps:
            break
    return batches


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Trial], object] | None]:
    """Show a bar with the best so far on a terminal, and nothing elsewhere."""
    text = "{task.completed} of {task.total} runs  best so far {task.fields[best]}"
    columns = (SpinnerColumn(), BarColumn(bar_width=20), TextColumn(text))
    with terminal_bar(*columns) as bar:
        if bar is None:
            yield None
            return
        task, lowest, best = bar.add_task("", total=total, best="-"), float("inf"), "-"

        def show(trial: Trial) -> None:
            nonlocal lowest, best
            if trial.score < lowest:
                lowest, best = trial.score, _words(trial)
            bar.update(task, advance=1, best=best)

        yield show


def _words(trial: Trial) -> str:
    numbers = (f"{k.replace('_', ' ')} {v:.4g}" for k, v in trial.params.items() if isinstance(v, float))
    return f"{trial.score:.4f}: {', '.join(numbers)}, {trial.n_clusters:g} clusters"


def _write(found: Tuning, out: Path) -> list[str]:
    """The table, and the figure if it can be drawn; where they are."""
    out.mkdir(parents=True, exist_ok=True)
    table = found.table_
    with replacing(out / TABLE_FILE) as place, place.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(_cells(column) for column in table.values()), strict=True))
    try:
        with replacing(out / FIGURE_FILE) as place:
            found.plot(place)
    except ImportError as error:
        return [str(out / TABLE_FILE), f"no figure: {error}"]
    return [str(out / TABLE_FILE), str(out / FIGURE_FILE)]


def _cells(column: Any) -> list[Any]:
    return [_kernel_words(value) if hasattr(value, "compare") else value for value in column.tolist()]


def _tell(found: Tuning, line: str, n_steps: int, written: list[str]) -> None:
    table = found.table_
    entries = {
        "tried": f"{amount(len(table['score']), 'setting')} on {amount(n_steps, 'step')}",
        "best": _row(table, 0),
        **({"runner-up": _row(table, 1)} if len(table["score"]) > 1 else {}),
        "written": ", ".join(written),
    }
    tell(entries)
    for note in found.notes_:
        complain(note, kind="warning: ")
    say("", line)


def _row(table: dict[str, Any], i: int) -> str:
    score, clusters, ids = (table[name][i] for name in ("score", "n_clusters", "n_ids"))
    costs = ", ".join(
        f"{name.replace('_', ' ')} {column[i]:.4g}" for name, column in table.items() if _is_cost(name)
    )
    return f"{costs}: {clusters:g} clusters in a step, {ids} ids, score {score:.4f}"


def _is_cost(name: str) -> bool:
    return name in ("birth_cost", "lifetime", "reach", "aging_cost", "drift")
