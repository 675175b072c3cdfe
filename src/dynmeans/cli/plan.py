"""Whether a run begins, goes on where it was killed, takes up the model of an earlier run, or is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dynmeans.cli.progress import Progress, from_json
from dynmeans.io.errors import InputError
from dynmeans.io.snapshot import Snapshot, read_snapshot
from dynmeans.io.sources import Source, fingerprint


class Plan(NamedTuple):
    """What to do."""

    action: Literal["begin", "resume", "continue", "done"]
    inputs: list[dict[str, Any]]  # fingerprints
    progress: Progress | None = None  # of the run that the state file knows
    snapshot: Snapshot | None = None  # the state file


def make_plan(state: Path | None, sources: Sequence[Source], settings: dict[str, Any], out: Path) -> Plan:
    """Compare a command line with the state file that it names.

    Parameters
    ----------
    state : Path or None
        State file; it need not exist.
    sources : sequence of Source
    settings : dict
        By the names of the options.
    out : Path
        Folder of the run.

    Returns
    -------
    Plan

    Raises
    ------
    InputError, SnapshotError
        If the state file belongs to something else.
    """
    prints = [fingerprint(source) for source in sources]
    if state is None or not state.exists():
        return Plan("begin", prints)
    snapshot = read_snapshot(state)
    progress = from_json(snapshot.header, str(state))
    _check_settings(state, progress.settings, settings)
    here = str(out.resolve()) == progress.out
    if not progress.complete:
        _check_same_run(state, progress, prints, here)
        return Plan("resume", prints, progress, snapshot)
    # A stream cannot be looked at twice: it is told by the folder whether it is the old one or a new one.
    if progress.inputs == prints and (here or all(entry["size"] is not None for entry in prints)):
        return Plan("done", prints, progress, snapshot)
    for source in sources:
        _check_not_grown(source, progress)
    return Plan("continue", prints, progress, snapshot)


def _check_settings(state: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    for name in new:
        if old.get(name) != new[name]:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{state}: belongs to a run with {option} {_words(old.get(name))}, not {_words(new[name])}; "
                "use that setting, or another --state"
            )


def _words(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "on" if value else "not given"
    return ",".join(value) if isinstance(value, list) else str(value)


def _check_same_run(state: Path, progress: Progress, prints: list[dict[str, Any]], here: bool) -> None:
    if not here:
        raise InputError(f"{state}: belongs to an unfinished run in {progress.out}; finish it there first")
    if progress.inputs != prints:
        pairs = zip(progress.inputs, prints, strict=False)
        changed = next((new["name"] for old, new in pairs if old != new), "their number")
        raise InputError(
            f"{state}: belongs to an unfinished run over other inputs ({changed} differs); "
            "give the same ones, or another --state and --out"
        )


def _check_not_grown(source: Source, progress: Progress) -> None:
    """Rows must not be clustered twice because a file was appended to."""
    for old in progress.inputs:
        began = old["size"] is not None and fingerprint(source, old["size"]) == old
        if began and source.size > old["size"]:
            raise InputError(
                f"{source.name}: has grown since it was clustered; "
                "put the new rows into a file of their own, or use another --state"
            )
        if began:
            raise InputError(f"{source.name}: has been clustered already; leave it out")
