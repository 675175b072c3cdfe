"""State files to attack, of every kind, and the use of each after it was read."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_limits

import dynmeans
from dynmeans import DMeans, PersistentIds
from dynmeans._files.errors import InputWarning
from dynmeans.runs import RunInterrupted, RunParameters, cluster_files
from dynmeans.runs import _session as session
from dynmeans.streams import KeyedDMeans, step
from point_files import write_points
from saved_models import FOLDER, N_SAVED, RECENT, SAVED, Saved, points

N_SETTLED = 40  # steps after which all automatic parameters are final
KEYS = ["a", "b", "c"]
STEP_PARAMS: dict[str, dict[str, Any]] = {
    "step": {"birth_cost": 2.0, "min_hits": 2},
    "step-auto": {"history_size": 5},
}
RUNS: dict[str, RunParameters] = {
    "run": RunParameters(time="when", every="1min", birth_cost=0.06, standardize=True),
    "run-auto": RunParameters(every="7rows", text="word"),
    "run-by": RunParameters(time="when", every="1min", birth_cost=0.06, by="word"),
}


class Subject(NamedTuple):
    """A valid state file and its use."""

    data: bytes
    use: Callable[[Path], None]  # reads a file that may be false, and continues with it


def subjects(folder: Path) -> dict[str, Subject]:
    """State files of version 0.1.0 and of this version, by name; runs have their inputs in the folder."""
    old = {f"{name} 0.1.0": (FOLDER / f"{name}.dynmeans").read_bytes() for name in SAVED}
    found = {name: Subject(data, partial(_use_model, SAVED[name.split()[0]])) for name, data in old.items()}
    for name, saved in {**SAVED, **RECENT}.items():
        model = saved.fitted()
        model.save(folder / "saved")
        found[name] = Subject((folder / "saved").read_bytes(), partial(_use_model, saved))
        found[f"{name} bytes"] = Subject(model.to_bytes(), partial(_use_model, saved))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found["dmeans-final"] = _final()
        found["ids-items"] = _items()
        found["keyed"] = _keyed(KeyedDMeans(2.0, motion="velocity"))
        found["keyed-auto"] = _keyed(KeyedDMeans(min_hits=2))
        found |= {name: _pure(params) for name, params in STEP_PARAMS.items()}
        for name, parameters in RUNS.items():
            found[name] = _run(folder / name, parameters, steps=5)
            found[f"{name}-complete"] = _run(folder / f"{name}-complete", parameters, steps=None)
    return found


def _final() -> Subject:
    model = DMeans(random_state=1)
    for number in range(N_SETTLED):
        model.partial_fit(points(number))
    return Subject(model.to_bytes(), partial(_use_model, Saved(DMeans), first=N_SETTLED))


def _use_model(saved: Saved, path: Path, first: int = N_SAVED) -> None:
    """Predict, transform, forecast, run two steps, save and load again."""
    clusterer = getattr(saved.make(), "estimator", None)
    model = dynmeans.load(path)
    if hasattr(model, "estimator"):
        model.estimator = clusterer
    rows = saved.batch(model, first)
    assert set(model.predict(rows).tolist()) <= {*model.cluster_ids_.tolist(), -1}
    assert model.transform(rows).shape == (len(rows), len(model.cluster_ids_))
    assert {*model.forecast().ids.tolist()} <= {*model.cluster_ids_.tolist()}
    for number in range(first, first + 2):
        rows = saved.batch(model, number)
        _check(model.partial_fit(rows), len(rows))
    model.save(path.with_name("again"))
    dynmeans.load(path.with_name("again"))


def _check(model: Any, n: int) -> None:
    assert model.labels_.shape == (n,)
    assert set(model.labels_.tolist()) <= {*model.cluster_ids_.tolist(), -1}
    assert not math.isnan(model.step_.cost)


def _items() -> Subject:
    model = PersistentIds(birth_cost=2.0, random_state=1)
    for number in range(N_SAVED):
        _update(model, number)
    return Subject(model.to_bytes(), _use_items)


def _update(model: PersistentIds, number: int) -> None:
    """Three groups of rows, of which half were in the previous step too."""
    rows = points(number)
    names = [f"row {index + 10 * number}" for index in range(len(rows))]
    _check(model.update(rows, np.arange(len(rows)) % 3 - (number % 2), items=names), len(rows))


def _use_items(path: Path) -> None:
    model = dynmeans.load(path)
    for number in range(N_SAVED, N_SAVED + 2):
        _update(model, number)
    model.save(path.with_name("again"))
    dynmeans.load(path.with_name("again"))


def _keyed(model: KeyedDMeans) -> Subject:
    for number in range(N_SAVED):
        _step_keys(model, number)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder, "keyed"))
        return Subject(Path(folder, "keyed").read_bytes(), _use_keyed)


def _step_keys(model: KeyedDMeans, number: int) -> None:
    rows = points(number)
    model.partial_fit(rows, [KEYS[(index + number) % (2 + number % 2)] for index in range(len(rows))])
    assert model.labels_.shape == (len(rows),)
    assert not math.isnan(model.step_.cost)


def _use_keyed(path: Path) -> None:
    model = KeyedDMeans.load(path)
    for key in model.keys_:
        model.model(key).predict(points(N_SAVED))
    for number in range(N_SAVED, N_SAVED + 2):
        _step_keys(model, number)
    model.drop(KEYS[:1])
    assert model.count_active() <= model.n_clusters_
    model.save(path.with_name("again"))
    KeyedDMeans.load(path.with_name("again"))


def _pure(params: dict[str, Any]) -> Subject:
    state = None
    for number in range(N_SAVED):
        state = step(state, points(number), float(number), params).state
    return Subject(state or b"", partial(_use_step, params))


def _use_step(params: dict[str, Any], path: Path) -> None:
    """Repeat the last batch, and continue with the next one."""
    state = path.read_bytes()
    again = step(state, points(N_SAVED - 1), float(N_SAVED - 1), params)
    assert again.state == state
    for number in range(N_SAVED, N_SAVED + 2):
        state, labels, _ = step(state, points(number), float(number), params)
        assert len(labels) == len(points(number))


def _run(folder: Path, parameters: RunParameters, steps: int | None) -> Subject:
    """A run that was interrupted after some steps, or is complete."""
    folder.mkdir()
    write_points(folder / "points.csv")
    state = folder / "state"

    def interrupt(status: Any) -> None:
        if status.steps == steps:
            raise KeyboardInterrupt

    with mock.patch.object(session, "CHECKPOINT_SECONDS", 0.0):
        try:
            _cluster(folder, parameters, state, interrupt)
        except RunInterrupted:
            assert steps is not None
    shutil.copytree(folder / "out", folder / "kept")
    return Subject(state.read_bytes(), partial(_use_run, folder, parameters))


def _cluster(folder: Path, parameters: RunParameters, state: Path, on_step: Any = None) -> None:
    out = folder / "out"
    cluster_files(folder / "points.csv", parameters, out=out, state=state, report=False, on_step=on_step)


def _use_run(folder: Path, parameters: RunParameters, path: Path) -> None:
    """Finish the run; nothing but its own folder may change."""
    shutil.rmtree(folder / "out")
    shutil.copytree(folder / "kept", folder / "out")
    shutil.copy(path, folder / "state")
    before = _sizes(folder)
    try:
        _cluster(folder, parameters, folder / "state")
    finally:
        assert _sizes(folder) == before


def _sizes(folder: Path) -> dict[str, int]:
    """Sizes of all files but those of the run, and no names of others."""
    own = (folder / "out", folder / "state")
    paths = [path for path in folder.rglob("*") if path not in own and folder / "out" not in path.parents]
    return {str(path): path.stat().st_size for path in paths}


def prepare_process() -> None:
    """Change a forked process: numbers may overflow, and threads of OpenMP do not survive a fork."""
    os.fsync = lambda descriptor: None  # type: ignore[assignment]
    warnings.simplefilter("ignore")
    warnings.simplefilter("ignore", InputWarning)
    threadpool_limits(1)
