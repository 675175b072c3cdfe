"""How a run starts: begin, resume after a kill, continue an earlier model, or already done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dynmeans._files.errors import InputError
from dynmeans._files.snapshot import Snapshot, read_snapshot
from dynmeans._tables.chunk import name_list
from dynmeans._tables.fingerprint import begins_as, fingerprint, recognize
from dynmeans._tables.sources import Source
from dynmeans.runs._option_names import option_name
from dynmeans.runs._resume.progress import Progress, from_json
from dynmeans.runs.parameters import RunParameters

ESTIMATED = ("motion", "exclusive", "restarts")  # parameters that an older version did not choose


class RunStart(NamedTuple):
    """Start of a run."""

    action: Literal["begin", "resume", "continue", "done"]
    inputs: list[dict[str, Any]]  # fingerprints
    progress: Progress | None = None  # of the run in the state file
    snapshot: Snapshot | None = None  # the state file


def find_start(
    state: Path | None,
    sources: Sequence[Source],
    parameters: dict[str, Any],
    out: Path,
    *,
    force: bool = False,
) -> RunStart:
    """Compare a command line with the state file that it names.

    Parameters
    ----------
    state : Path or None
        State file; it need not exist.
    sources : sequence of Source
    parameters : dict
        By the names of the options.
    out : Path
        Folder of the run.
    force : bool
        Whether a complete run in the folder may be overwritten.

    Returns
    -------
    RunStart

    Raises
    ------
    InputError, SnapshotError
        If the state file belongs to another run.
    """
    if state is None:
        return RunStart("begin", [])  # inputs are never compared
    if not state.exists():
        return RunStart("begin", [fingerprint(source) for source in sources])
    snapshot = read_snapshot(state)
    progress = from_json(snapshot.header, str(state))
    _check_parameters(state, progress.parameters, parameters)
    here = str(out.resolve()) == progress.out
    if not progress.complete:
        _check_folder(state, progress, here)
        return RunStart("resume", _check_inputs(state, progress, sources), progress, snapshot)
    prints = _recognize(sources, progress.inputs)
    # A stream cannot be read twice, so the folder determines whether it is the old one or a new one.
    if prints is not None and (here or all(entry["size"] is not None for entry in prints)):
        if not here:
            raise InputError(
                f"{state}: its run of these inputs is complete, in {progress.out}; "
                f"to cluster them into {out}, use another --state"
            )
        return RunStart("done", prints, progress, snapshot)
    for source in sources:
        _check_not_grown(source, progress)
    if here and not force:
        _check_not_changed(sources, progress)
    return RunStart("continue", [fingerprint(source) for source in sources], progress, snapshot)


def _recognize(sources: Sequence[Source], inputs: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Return the fingerprints of sources that equal the earlier inputs, or None."""
    if len(sources) != len(inputs):
        return None
    prints = []
    for source, old in zip(sources, inputs, strict=True):
        found = recognize(source, old)
        if found is None:
            return None
        prints.append(found)
    return prints


def _check_parameters(state: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    for name in new:
        if new[name] is None and name in ESTIMATED and "refine" not in old:
            continue  # an older version, whose default was not to estimate it
        before = old.get(name, RunParameters._field_defaults.get(name))  # an older version lacks new options
        if before != new[name]:
            raise InputError(
                f"{state}: belongs to a run with {option_name(name)} {_words(before)}, but here it is "
                f"{_words(new[name])}; use that value, or another --state"
            )


def _words(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "on" if value else "not given"
    is_list = isinstance(value, list)
    return name_list([str(item) for item in value]).replace(", ", ",") if is_list else str(value)


def _check_folder(state: Path, progress: Progress, here: bool) -> None:
    if not here:
        raise InputError(f"{state}: belongs to an unfinished run in {progress.out}; finish it there first")


def _check_inputs(state: Path, progress: Progress, sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Return the fingerprints of the inputs of an unfinished run, which must not have changed."""
    prints = _recognize(sources, progress.inputs)
    if prints is not None:
        return prints
    pairs = zip(sources, progress.inputs, strict=False)
    changed = next((_name(source) for source, old in pairs if recognize(source, old) is None), "their number")
    raise InputError(
        f"{state}: belongs to an unfinished run over other inputs ({changed} differs); "
        "give the same ones, or another --state and --out"
    )


def _name(source: Source) -> str:
    return source.name if source.path is None else source.path.name


def _check_not_grown(source: Source, progress: Progress) -> None:
    """Refuse files that were appended to: their rows would be clustered twice."""
    for old in progress.inputs:
        began = begins_as(source, old)
        if began and source.size > old["size"]:
            raise InputError(
                f"{source.name}: has grown since it was clustered; "
                "put the new rows into a separate file, or use another --state"
            )
        if began:
            raise InputError(f"{source.name}: has been clustered already; leave it out")


def _check_not_changed(sources: Sequence[Source], progress: Progress) -> None:
    """Refuse files whose content has changed since they were clustered."""
    known = {old["name"] for old in progress.inputs if old["size"] is not None}
    changed = [source for source in sources if source.path is not None and source.path.name in known]
    if changed:
        raise InputError(
            f"{changed[0].name}: has changed since it was clustered into {progress.out}; "
            "to cluster it again use another --state and --out"
        )
