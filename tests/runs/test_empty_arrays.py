"""Arrays without rows in an NPZ file: steps in which only time passes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans import DMeans
from dynmeans._files.limits import FileLimits
from dynmeans.cli.tune.run import _read
from dynmeans.runs import InputError, RunInterrupted, RunParameters, cluster_files
from dynmeans.streams import KeyedDMeans
from point_files import contents

ROWS = np.random.default_rng(0).normal(size=(20, 2))
NONE = np.empty((0, 2))
GAPS = {
    "inside": [ROWS, *[NONE] * 6, ROWS + 0.1],
    "at both ends": [NONE, NONE, ROWS, NONE, ROWS, *[NONE] * 4],
}
PARAMETERS = RunParameters(birth_cost=30.0, lifetime=3.0, reach=1.5)


def save(path: Path, arrays: Sequence[np.ndarray]) -> Path:
    np.savez(path, *arrays)
    return path


def interrupted(count: int) -> Any:
    def interrupt(status: Any) -> None:
        if status.steps == count:
            raise KeyboardInterrupt

    return interrupt


@pytest.mark.parametrize("name", GAPS)
def test_every_array_is_a_step_as_in_partial_fit(tmp_path: Path, name: str) -> None:
    model = DMeans(birth_cost=30.0, lifetime=3.0, reach=1.5, random_state=0)
    expected = [model.partial_fit(array).labels_.tolist() for array in GAPS[name]]
    found = cluster_files(save(tmp_path / "a.npz", GAPS[name]), PARAMETERS, out=tmp_path / "a", report=False)
    assert found.steps == len(GAPS[name])
    assert np.load(found.labels)["id"].tolist() == list(chain.from_iterable(expected))
    assert found.model.cluster_ids_.tolist() == model.cluster_ids_.tolist()
    assert found.died == 1


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("name", GAPS)
def test_a_run_that_stops_in_a_gap_resumes_there(tmp_path: Path, name: str, standardize: bool) -> None:
    arrays = [array.copy() for array in GAPS[name]]
    next(array for array in arrays if len(array))[-3:] = np.nan  # left out before the gap
    middle = len(arrays) // 2
    inputs = [save(tmp_path / "a.npz", arrays[:middle]), save(tmp_path / "b.npz", arrays[middle:])]
    parameters = PARAMETERS._replace(standardize=standardize, missing="drop")
    cluster_files(inputs, parameters, out=tmp_path / "whole", report=False)
    for count in range(1, len(arrays) + 1):
        run = {"out": tmp_path / f"run{count}", "state": tmp_path / f"s{count}", "report": False}
        with pytest.raises(RunInterrupted):
            cluster_files(inputs, parameters, **run, on_step=interrupted(count))
        cluster_files(inputs, parameters, **run)
        assert contents(run["out"]) == contents(tmp_path / "whole")


def test_time_passes_for_every_key(tmp_path: Path) -> None:
    some = np.array([("a", 0.0), ("b", 9.0)], dtype=[("key", "U1"), ("x", float)])
    arrays = [some, *[some[:0]] * 6, some]
    model = KeyedDMeans(birth_cost=30.0, lifetime=3.0, reach=1.5)
    expected = [model.partial_fit(array["x"][:, None], array["key"]).labels_.tolist() for array in arrays]
    found = cluster_files(
        save(tmp_path / "a.npz", arrays), PARAMETERS._replace(by="key"), out=tmp_path / "a", report=False
    )
    assert np.load(found.labels)["id"].tolist() == list(chain.from_iterable(expected)) == [0, 0, 1, 1]


def test_tune_has_the_steps_of_the_run(tmp_path: Path) -> None:
    path = save(tmp_path / "a.npz", GAPS["at both ends"])
    batches = _read([str(path)], RunParameters(standardize=True), None, FileLimits()).batches
    assert [len(batch["X"]) for batch in batches] == [len(array) for array in GAPS["at both ends"]]


def test_only_arrays_are_steps_without_rows(tmp_path: Path) -> None:
    path = save(tmp_path / "a.npz", GAPS["inside"])
    found = cluster_files(path, PARAMETERS._replace(every="10rows"), out=tmp_path / "a", report=False)
    assert found.steps == 4


@pytest.mark.parametrize(
    ("arrays", "message"),
    [([NONE, NONE], r"a\.npz: no rows"), ([NONE, ROWS * np.nan], r"a\.npz: every row has an empty cell")],
)
def test_a_file_without_any_row_is_an_error(tmp_path: Path, arrays: list[np.ndarray], message: str) -> None:
    path = save(tmp_path / "a.npz", arrays)
    with pytest.raises(InputError, match=message):
        cluster_files(path, RunParameters(missing="drop"), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
