"""Output of `dynmeans tune`: progress, table, figure, and the command to run."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dynmeans._files.atomic_write import atomic_write, make_folder
from dynmeans._tables.columns import Columns
from dynmeans.cli.console import amount, print_error, print_lines, print_summary, terminal_bar
from dynmeans.cli.descriptions import describe_columns
from dynmeans.kernels import Kernel, get_kernel, to_params
from dynmeans.runs._option_names import as_options, option_name
from dynmeans.runs._setup.models import DEFAULT_KERNEL, parse_kernel
from dynmeans.runs.parameters import RunParameters
from dynmeans.tuning import Trial, Tuning
from dynmeans.tuning.result import RESULT_COLUMNS

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

_SCORES = {
    "forest code": "code length in nats per row, by gaps between clusters",
    "Gaussian code": "code length in nats per row, by Gaussian clusters",
    "separation": "1 - separation of clusters times consistency of ids",
    "pair score": "1 - similarity of the rows of each id, over its maximum",
}
TABLE_FILE, FIGURE_FILE = "trials.csv", "tuning.png"


class TuningSteps(NamedTuple):
    """The steps on which candidates are tried, and what the summary says about them."""

    columns: Columns
    batches: list[dict[str, Any]]  # arguments of `partial_fit`, one per step
    n_left_out: int  # rows with empty cells
    has_gaps: bool  # there are windows without rows, which `dynmeans cluster` counts as steps
    warnings: dict[str, str]  # about the rows, by kind


def command(
    inputs: list[str], parameters: RunParameters, params: dict[str, Any], limits: Sequence[str] = ()
) -> str:
    """Return the command that clusters these inputs with the hyperparameters that were found."""
    words = ["dynmeans", "cluster", *inputs]
    for name in ("time", "every", "weight", "format", "embedding", "missing"):
        if getattr(parameters, name) is not None:
            words += [f"--{name}", getattr(parameters, name)]
    if parameters.features is not None:
        words += ["--features", ",".join(parameters.features)]
    for name in ("standardize", "duplicates"):
        words += [f"--{name}"] if getattr(parameters, name) else []
    words += ["--algorithm", parameters.algorithm] if parameters.algorithm != "dmeans" else []
    metric = params.get("metric", parameters.metric)
    words += ["--metric", metric] if metric != "auto" else []
    known = {name: getattr(parameters, name) for name in ("motion", "refine", "merge", "exclusive", "kernel")}
    chosen = {**known, **{name: value for name, value in params.items() if name != "metric"}}
    for name, value in chosen.items():
        words += _option(name, value)
    words += ["--seed", str(parameters.seed)] if parameters.seed else []
    words += [word for limit in limits for word in ("--limit", limit)]
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:
    if name == "relative":
        return ["--relative" if value else "--absolute"]
    if value is None or value is False:
        return []
    if value is True and name in ("refine", "merge", "exclusive"):
        return [f"--{name}"]
    if name == "feature_scales":
        return ["--feature-scales", _numbers(value)]
    text = _kernel_words(value) if name == "kernel" and not isinstance(value, str) else value
    if name == "kernel" and text == DEFAULT_KERNEL:
        return []
    return [option_name(name), f"{text:.6g}" if isinstance(text, float) else text]


def _numbers(values: Sequence[float]) -> str:
    return ",".join(f"{value:g}" for value in values)


def _kernel_words(kernel: Kernel) -> str:
    """Return a kernel as ``--kernel`` reads it, without parameters that have their defaults."""
    params = to_params(kernel)
    name = params.pop("kernel")
    defaults = to_params(get_kernel(name))
    changed = {key: value for key, value in params.items() if value != defaults.get(key)}
    short = _named_values(name, changed)
    return short if parse_kernel(short) == kernel else _named_values(name, params)


def _named_values(name: str, params: dict[str, Any]) -> str:
    values = [f"{key}={'null' if value is None else value}" for key, value in params.items()]
    return f"{name}:{','.join(values)}" if values else name


@contextmanager
def best_so_far(total: int) -> Iterator[Callable[[Trial], object] | None]:
    """Show a bar with the best candidate so far on a terminal."""
    with terminal_bar(_columns) as bar:
        if bar is None:
            yield None
            return
        task, lowest, best = bar.add_task("", total=total, best="-"), float("inf"), "-"
        n_runs = 0

        def show(trial: Trial) -> None:
            nonlocal lowest, best, n_runs
            n_runs += 1
            if trial.score < lowest:
                lowest, best = trial.score, _words(trial)
            bar.update(task, completed=n_runs, total=max(total, n_runs), best=best)  # scales add runs

        yield show


def _columns() -> Sequence[ProgressColumn]:
    from rich.progress import BarColumn, SpinnerColumn, TextColumn

    text = "{task.completed} of {task.total} runs  best so far {task.fields[best]}"
    return SpinnerColumn(), BarColumn(bar_width=20), TextColumn(text)


def _words(trial: Trial) -> str:
    numbers = (f"{k.replace('_', ' ')} {v:.4g}" for k, v in trial.params.items() if isinstance(v, float))
    return f"{trial.score:.4f}: {', '.join(numbers)}, {trial.n_clusters:g} clusters"


def write_tuning(found: Tuning, out: Path) -> list[str]:
    """Write the table, and the figure if Matplotlib is installed; return the lines to print."""
    make_folder(out)
    table = found.table_
    with atomic_write(out / TABLE_FILE) as temporary, temporary.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(_cells(column) for column in table.values()), strict=True))
    try:
        with atomic_write(out / FIGURE_FILE) as temporary:
            found.plot(temporary)
    except ImportError as error:
        return [str(out / TABLE_FILE), f"no figure: {error}"]
    return [str(out / TABLE_FILE), str(out / FIGURE_FILE)]


def _cells(column: Any) -> list[Any]:
    return [_cell(value) for value in column.tolist()]


def _cell(value: Any) -> Any:
    if hasattr(value, "compare"):
        return _kernel_words(value)
    return _numbers(value) if isinstance(value, tuple) else value


def print_results(found: Tuning, line: str, steps: TuningSteps, written: list[str]) -> None:
    """Print the columns, the best two candidates, the diagnostics, and the command to run."""
    table, columns = found.table_, steps.columns
    n_steps = amount(len(steps.batches), "step") + (" with rows" if steps.has_gaps else "")
    left_out = f"{amount(steps.n_left_out, 'row')} with empty cells"
    entries = {
        **describe_columns(columns.features, columns.left_out),
        **({"left out": left_out} if steps.n_left_out else {}),
        "tried": f"{amount(len(table['score']), 'candidate')} on {n_steps}",
        "score": f"{_SCORES.get(found.criterion_, found.criterion_)}; lower is better",
        "best": _row(table, 0),
        **({"runner-up": _runner_up(table)} if len(table["score"]) > 1 else {}),
        "written": ", ".join(written),
    }
    print_summary(entries)
    is_scaled = found.best_params_.get("feature_scales") is not None
    for note in (*(() if is_scaled else steps.warnings.values()), *found.notes_):
        print_error(as_options(note, columns.features), kind="warning: ")
    print_lines("", line)


def _runner_up(table: dict[str, Any]) -> str:
    is_lower = round(table["score"][1], 4) < round(table["score"][0], 4)
    return _row(table, 1) + (", not clearly better" if is_lower else "")


def _row(table: dict[str, Any], i: int) -> str:
    score, clusters, ids = (table[name][i] for name in ("score", "n_clusters", "n_ids"))
    chosen = [_choice(name, column[i]) for name, column in table.items() if name not in RESULT_COLUMNS]
    words = ", ".join(filter(None, chosen))
    return f"{words}: {clusters:g} clusters per step, {amount(int(ids), 'id')}, score {score:.4f}"


def _choice(name: str, value: Any) -> str:
    """Return a parameter in words; one that is off, or that the estimator does not have, is empty."""
    label = name.replace("_", " ")
    if value is None or value is False or (isinstance(value, np.bool_) and not value):
        return ""
    if isinstance(value, bool | np.bool_):
        return label
    if hasattr(value, "compare"):
        return f"{label} {_kernel_words(value)}"
    if isinstance(value, tuple):
        return f"{label} {_numbers(value)}"
    return f"{label} {value:.4g}" if isinstance(value, float | np.floating) else f"{label} {value}"
