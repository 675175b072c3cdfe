"""Results file of an experiment: parameters, seeds, versions, machines, and all trials."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynmeans import __version__
from dynmeans._experiments.machine import describe_machine
from dynmeans._experiments.trials import Case, ExperimentTrial, Numbers, group_name
from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.errors import InputError, error_context
from dynmeans._model.types import FloatArray

DIGITS = 6  # kept per number


class Group(NamedTuple):
    """Trials of one part with equal parameters, by seed."""

    part: str
    case: Case
    trials: dict[int, Numbers]

    def column(self, name: str) -> FloatArray:
        """Return one number of every trial, in the order of the seeds."""
        return np.array([self.trials[seed][name] for seed in sorted(self.trials)], dtype=np.float64)

    def mean(self, name: str) -> float:
        """Return the mean of one number over the trials."""
        return float(self.column(name).mean())

    @property
    def first(self) -> Numbers:
        """Numbers of the trial with the smallest seed."""
        return self.trials[min(self.trials)]


class Results:
    """All finished trials, in the order of the plan.

    Parameters
    ----------
    experiment : str
        Its name.
    machines : sequence of dict
        Machines on which the trials ran.
    groups : sequence of Group

    Examples
    --------
    >>> results = Results("rings")
    >>> results.add(ExperimentTrial("table", {"method": "D-Means"}, 1000), {"tracked": 0.25})
    >>> [group.mean("tracked") for group in results.part("table", method="D-Means")]
    [0.25]
    """

    def __init__(
        self, experiment: str, machines: Sequence[dict[str, Any]] = (), groups: Sequence[Group] = ()
    ) -> None:
        self.experiment = experiment
        self.machines = list(machines)
        self._groups = {group_name(group.part, group.case): group for group in groups}

    def __contains__(self, trial: ExperimentTrial) -> bool:
        group = self._groups.get(trial.group)
        return group is not None and trial.seed in group.trials

    def __iter__(self) -> Iterator[Group]:
        return (group for group in self._groups.values() if group.trials)

    def add(self, trial: ExperimentTrial, numbers: Numbers) -> None:
        """Add the numbers of a trial."""
        new = Group(trial.part, trial.case, {})
        self._groups.setdefault(trial.group, new).trials[trial.seed] = _shorten(numbers)
        machine = describe_machine()
        if machine not in self.machines:
            self.machines.append(machine)

    def part(self, part: str, **wanted: Any) -> list[Group]:
        """Return the groups of a part with the given parameter values, in the order of the plan."""
        return [
            group
            for group in self
            if group.part == part and all(group.case.get(name) == wanted[name] for name in wanted)
        ]

    def arranged(self, plan: Sequence[ExperimentTrial]) -> Results:
        """Return the groups of a plan for all seeds, in its order; drop outdated groups."""
        order = {trial.group: Group(trial.part, trial.case, {}) for trial in plan}
        kept = [self._groups.get(name, empty) for name, empty in order.items()]
        return Results(self.experiment, self.machines, kept)


def read_results(path: Path) -> Results:
    """Read a file of results.

    Raises
    ------
    InputError
        If the file is invalid, or was written by another version of dynmeans.
    """
    with error_context(f"{path}: not a results file of an experiment"):
        raw = json.loads(path.read_text(encoding="utf-8"))
        groups = [_parse(group) for group in raw["trials"]]
        results = Results(raw["experiment"], raw["machines"], groups)
        version = raw["dynmeans"]
    if version != __version__:
        raise InputError(f"{path}: was made by dynmeans {version}, this is {__version__}; move it away")
    return results


def write_results(results: Results, path: Path) -> None:
    """Write a results file atomically, one group per line."""
    head = {"experiment": results.experiment, "dynmeans": __version__, "machines": results.machines}
    lines = [json.dumps(_columns(group), separators=(",", ":")) for group in results]
    text = json.dumps(head, indent=1)[:-2] + ',\n "trials": [\n' + ",\n".join(lines) + "\n]}\n"
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _columns(group: Group) -> dict[str, Any]:
    """Encode a group as columns, which are shorter than rows."""
    seeds = sorted(group.trials)
    names = list(group.first)
    columns = {name: [group.trials[seed][name] for seed in seeds] for name in names}
    return {"part": group.part, "case": group.case, "seeds": seeds, "numbers": columns}


def _parse(raw: dict[str, Any]) -> Group:
    rows = zip(*raw["numbers"].values(), strict=True)
    trials = {
        int(seed): dict(zip(raw["numbers"], row, strict=True))
        for seed, row in zip(raw["seeds"], rows, strict=True)
    }
    return Group(raw["part"], raw["case"], trials)


def _shorten(value: Any) -> Any:
    """Round every number; convert arrays to lists."""
    if isinstance(value, dict):
        return {name: _shorten(entry) for name, entry in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_shorten(entry) for entry in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.{DIGITS}g}")
    return int(value) if isinstance(value, np.integer) else value
