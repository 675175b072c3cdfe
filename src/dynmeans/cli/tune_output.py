"""Output of `dynmeans tune`: progress, table, figure, and the command to run."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynmeans._files.atomic_write import atomic_write, make_folder
from dynmeans.cli.console import amount, print_error, print_lines, print_summary, terminal_bar
from dynmeans.kernels import Kernel, to_params
from dynmeans.runs.option_names import as_options
from dynmeans.runs.parameters import RunParameters
from dynmeans.tuning import Trial, Tuning

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

TABLE_FILE, FIGURE_FILE = "trials.csv", "tuning.png"


def command(inputs: list[str], parameters: RunParameters, params: dict[str, Any]) -> str:
    """Return the command that clusters these inputs with the hyperparameters that were found."""
    words = ["dynmeans", "cluster", *inputs]
    for name in ("time", "every", "weight", "format", "embedding"):
        if getattr(parameters, name) is not None:
            words += [f"--{name}", getattr(parameters, name)]
    if parameters.features is not None:
        words += ["--features", ",".join(parameters.features)]
    for name in ("standardize", "duplicates"):
        words += [f"--{name}"] if getattr(parameters, name) else []
    words += ["--algorithm", parameters.algorithm] if parameters.algorithm != "dmeans" else []
    metric = params.get("metric", parameters.metric)
    words += ["--metric", metric] if metric != "auto" else []
    known = {name: getattr(parameters, name) for name in ("motion", "refine", "exclusive", "kernel")}
    chosen = {**known, **{name: value for name, value in params.items() if name != "metric"}}
    for name, value in chosen.items():
        words += _option(name, value)
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:
    if name == "relative":
        return ["--relative" if value else "--absolute"]
    if value is None or value is False:
        return []
    if value is True and name in ("refine", "exclusive"):
        return [f"--{name}"]
    text = _kernel_words(value) if name == "kernel" and not isinstance(value, str) else value
    return [f"--{name.replace('_', '-')}", f"{text:.6g}" if isinstance(text, float) else text]


def _kernel_words(kernel: Kernel) -> str:
    params = {name: value for name, value in to_params(kernel).items() if value is not None}
    name = params.pop("kernel")
    return ":".join(filter(None, [name, ",".join(f"{key}={value}" for key, value in params.items())]))


@contextmanager
def best_so_far(total: int) -> Iterator[Callable[[Trial], object] | None]:
    """Show a bar with the best candidate so far on a terminal."""
    with terminal_bar(_columns) as bar:
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


def _columns() -> Sequence[ProgressColumn]:
    from rich.progress import BarColumn, SpinnerColumn, TextColumn

    text = "{task.completed} of {task.total} runs  best so far {task.fields[best]}"
    return SpinnerColumn(), BarColumn(bar_width=20), TextColumn(text)


def _words(trial: Trial) -> str:
    numbers = (f"{k.replace('_', ' ')} {v:.4g}" for k, v in trial.params.items() if isinstance(v, float))
    return f"{trial.score:.4f}: {', '.join(numbers)}, {trial.n_clusters:g} clusters"


def write_results(found: Tuning, out: Path) -> list[str]:
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
    return [_kernel_words(value) if hasattr(value, "compare") else value for value in column.tolist()]


def print_results(found: Tuning, line: str, n_steps: int, written: list[str]) -> None:
    """Print the best two candidates, the diagnostics, and the command to run."""
    table = found.table_
    entries = {
        "tried": f"{amount(len(table['score']), 'candidate')} on {amount(n_steps, 'step')}",
        "best": _row(table, 0),
        **({"runner-up": _row(table, 1)} if len(table["score"]) > 1 else {}),
        "written": ", ".join(written),
    }
    print_summary(entries)
    for note in found.notes_:
        print_error(as_options(note), kind="warning: ")
    print_lines("", line)


def _row(table: dict[str, Any], i: int) -> str:
    score, clusters, ids = (table[name][i] for name in ("score", "n_clusters", "n_ids"))
    costs = ", ".join(
        f"{name.replace('_', ' ')} {column[i]:.4g}" for name, column in table.items() if _is_cost(name)
    )
    return f"{costs}: {clusters:g} clusters per step, {ids} ids, score {score:.4f}"


def _is_cost(name: str) -> bool:
    return name in ("birth_cost", "lifetime", "reach", "aging_cost", "drift")
