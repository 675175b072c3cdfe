"""What `dynmeans tune` shows and writes: the best so far, the table, the figure, and the line to run."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, SpinnerColumn, TextColumn

from dynmeans._files.atomic_write import atomic_write, make_folder
from dynmeans.cli.console import amount, print_error, say, tell, terminal_bar
from dynmeans.kernels import Kernel, to_params
from dynmeans.runs.parameters import Settings
from dynmeans.tuning import Trial, Tuning

TABLE_FILE, FIGURE_FILE = "settings.csv", "tuning.png"


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


@contextmanager
def best_so_far(total: int) -> Iterator[Callable[[Trial], object] | None]:
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


def write_findings(found: Tuning, out: Path) -> list[str]:
    """The table, and the figure if it can be drawn; where they are."""
    make_folder(out)
    table = found.table_
    with atomic_write(out / TABLE_FILE) as place, place.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(_cells(column) for column in table.values()), strict=True))
    try:
        with atomic_write(out / FIGURE_FILE) as place:
            found.plot(place)
    except ImportError as error:
        return [str(out / TABLE_FILE), f"no figure: {error}"]
    return [str(out / TABLE_FILE), str(out / FIGURE_FILE)]


def _cells(column: Any) -> list[Any]:
    return [_kernel_words(value) if hasattr(value, "compare") else value for value in column.tolist()]


def tell_findings(found: Tuning, line: str, n_steps: int, written: list[str]) -> None:
    """The winner and the runner-up, what to know before trusting them, and the line to run."""
    table = found.table_
    entries = {
        "tried": f"{amount(len(table['score']), 'setting')} on {amount(n_steps, 'step')}",
        "best": _row(table, 0),
        **({"runner-up": _row(table, 1)} if len(table["score"]) > 1 else {}),
        "written": ", ".join(written),
    }
    tell(entries)
    for note in found.notes_:
        print_error(note, kind="warning: ")
    say("", line)


def _row(table: dict[str, Any], i: int) -> str:
    score, clusters, ids = (table[name][i] for name in ("score", "n_clusters", "n_ids"))
    costs = ", ".join(
        f"{name.replace('_', ' ')} {column[i]:.4g}" for name, column in table.items() if _is_cost(name)
    )
    return f"{costs}: {clusters:g} clusters in a step, {ids} ids, score {score:.4f}"


def _is_cost(name: str) -> bool:
    return name in ("birth_cost", "lifetime", "reach", "aging_cost", "drift")
