"""The model of a state file takes rows in the units of the input, also after ``--standardize``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dynmeans
from dynmeans._files.snapshot import Snapshot, SnapshotError, read_snapshot, write_snapshot
from dynmeans.runs import RunParameters, cluster_files, read_run
from dynmeans.streams import KeyedDMeans

N_STEPS = 12
NAMES = ["width", "height"]
CENTERS = np.array([[0.0, 0.0], [6.0, 0.0], [3.0, 5.0]])
UNITS, ORIGIN = np.array([1.0, 1000.0]), np.array([-20.0, 300000.0])
STANDARDIZED = RunParameters(time="t", features=NAMES, birth_cost=1.0, standardize=True)


def make_table() -> pd.DataFrame:
    """Three clusters in each of twelve steps; the features have different units and origins."""
    rng = np.random.default_rng(0)
    rows = [rng.normal(center, 0.4) for _ in range(N_STEPS) for center in CENTERS for _ in range(10)]
    table = pd.DataFrame(np.array(rows) * UNITS + ORIGIN, columns=NAMES)
    return table.assign(t=np.repeat(np.arange(N_STEPS), 30), key=np.tile(["a", "b"], 180))


TABLE = make_table()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("all.csv", index=False)
    TABLE[TABLE["t"] < N_STEPS // 2].to_csv("half.csv", index=False)
    return tmp_path


def labels_of(folder: str) -> list[int]:
    return pd.read_csv(Path(folder, "labels.csv"))["id"].tolist()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"birth_cost": "auto"},
        {"birth_cost": 3.0, "feature_scales": [2.0, 0.5]},
        {"motion": "velocity"},
        {"birth_cost": 2e6, "standardize": False},
    ],
)
def test_a_loaded_model_continues_in_the_units_of_the_input(changes: dict[str, Any]) -> None:
    parameters = STANDARDIZED._replace(**changes)
    cluster_files("all.csv", parameters, out="all", report=False)
    result = cluster_files("half.csv", parameters, out="half", state="state", report=False)
    for model in (dynmeans.load("state"), dynmeans.from_bytes(Path("state").read_bytes()), result.model):
        found = list(labels_of("half"))
        for t, rows in TABLE[TABLE["t"] >= N_STEPS // 2].groupby("t"):
            X = rows[NAMES] if hasattr(model, "feature_names_in_") else rows[NAMES].to_numpy()
            predicted = model.predict(X, t=t)
            assert model.partial_fit(X, t=t).labels_.tolist() == predicted.tolist()
            found += predicted.tolist()
        assert found == labels_of("all")
        clusters = read_run("all").clusters
        centers = clusters["features"][clusters["step"] == N_STEPS]
        np.testing.assert_allclose(model.cluster_centers_, centers)


def test_the_state_file_of_a_continued_run_is_in_standardized_units() -> None:
    """A run that continues must not see the shift, which would change the last digits."""
    cluster_files("half.csv", STANDARDIZED, out="half", state="state", report=False)
    header, arrays = read_snapshot("state")
    assert header["params"]["feature_scales"] is None
    assert np.abs(arrays["centers"]).max() < 3.0


def test_columns_in_another_order_are_refused() -> None:
    cluster_files("half.csv", STANDARDIZED, out="half", state="state", report=False)
    model = dynmeans.load("state")
    assert model.feature_names_in_.tolist() == NAMES
    with pytest.raises(ValueError, match="feature names"):
        model.predict(TABLE[NAMES[::-1]])


def test_rows_without_a_heading_have_no_names() -> None:
    np.save("rows.npy", TABLE[NAMES].to_numpy())
    parameters = RunParameters(every="30rows", birth_cost=1.0, standardize=True)
    cluster_files("rows.npy", parameters, out="out", state="state", report=False)
    assert not hasattr(dynmeans.load("state"), "feature_names_in_")


@pytest.mark.parametrize("birth_cost", [1.0, "auto"])
def test_the_model_of_all_keys_continues_in_the_units_of_the_input(birth_cost: float | str) -> None:
    parameters = STANDARDIZED._replace(by="key", birth_cost=birth_cost, feature_scales=[2.0, 0.5])
    cluster_files("all.csv", parameters, out="all", report=False)
    result = cluster_files("half.csv", parameters, out="half", state="state", report=False)
    for model in (KeyedDMeans.load("state"), result.model):
        assert isinstance(model, KeyedDMeans)
        found = list(labels_of("half"))
        for t, rows in TABLE[TABLE["t"] >= N_STEPS // 2].groupby("t"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # the model of the result has no names
                found += model.partial_fit(rows[NAMES], rows["key"].tolist(), t=t).labels_.tolist()
        assert found == labels_of("all")


def test_the_centers_of_keys_are_in_the_units_of_the_input() -> None:
    parameters = STANDARDIZED._replace(by="key", feature_scales=[0.5, 0.5])
    cluster_files("half.csv", parameters, out="keyed", report=False)
    clusters = pd.read_csv(Path("keyed", "clusters.csv"))
    ratio = np.ptp(clusters[NAMES], axis=0) / np.ptp(TABLE[NAMES], axis=0)
    assert ((ratio > 0.7) & (ratio <= 1.0)).all()


@pytest.mark.parametrize("algorithm", ["sdmeans", "kdmeans"])
def test_a_model_with_a_kernel_says_how_to_scale_rows(algorithm: str) -> None:
    parameters = STANDARDIZED._replace(algorithm=algorithm, birth_cost="auto")
    result = cluster_files("half.csv", parameters, out="half", state="state", report=False)
    with pytest.warns(UserWarning, match=r"\(X - mean\) / deviation, with mean=\[.*\] and deviation=\["):
        model = dynmeans.load("state")
    scale = read_snapshot("state").header["run"]["scale"]
    X = (TABLE[NAMES][TABLE["t"] == 5] - scale["mean"]) / scale["deviation"]
    assert model.predict(X).tolist() == labels_of("half")[-30:]
    assert result.model.predict(X.to_numpy()).tolist() == labels_of("half")[-30:]


@pytest.mark.parametrize("scale", [3, {"mean": [0.0, 0.0]}, {"mean": [0.0, 0.0], "deviation": [1.0, -1.0]}])
def test_an_impossible_scale_is_refused(scale: Any) -> None:
    cluster_files("half.csv", STANDARDIZED, out="half", state="state", report=False)
    header, arrays = read_snapshot("state")
    header["run"]["scale"] = scale
    write_snapshot("state", Snapshot(header, arrays))
    with pytest.raises(SnapshotError, match="'state'.*(scale|deviation)"):
        dynmeans.load("state")
