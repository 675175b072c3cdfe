"""Runs over a dataset of Parquet files, and the local result."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import dynmeans
from dynmeans.distributed._runs import cluster_dataset
from dynmeans.runs import RunParameters

PARAMETERS = RunParameters(time="t", every="10", birth_cost=3.0)
N = 5000  # rows per window


class Stop(Exception):
    """Interruption of a run by its callback."""


def stop_after_two(status):
    """Interrupt a run after two steps, as `on_step`."""
    if status.steps == 2:
        raise Stop


def table(window, kind="float64"):
    random = np.random.default_rng(window)
    centers = 4 * np.random.default_rng(0).normal(size=(5, 2))
    X = centers[random.integers(0, 5, N)] + 0.1 * random.normal(size=(N, 2))
    times = np.sort(random.uniform(10 * window, 10 * window + 9.9, N))
    times[0] = 10 * window
    return pa.table({"t": times, "x": X[:, 0], "y": pa.array(X[:, 1]).cast(kind)})


def write_parts(folder):
    for window in (0, 1, 3):  # window 2 has no rows
        pq.write_table(table(window), folder / f"part{window}.parquet", row_group_size=3000)
    return folder


def local_labels(folder):
    model, labels = dynmeans.DMeans(3.0, random_state=0), []
    for window in (0, 1, 2, 3):
        path = folder / f"part{window}.parquet"
        X = np.empty((0, 2))
        if path.exists():
            X = np.column_stack([pq.read_table(path).column(name).to_numpy() for name in "xy"])
        labels.append(model.partial_fit(X, t=window + 1.0).labels_)
    return np.concatenate(labels), model


def run(folder, client, **options):
    return cluster_dataset(
        [str(folder / "*.parquet")], PARAMETERS, client, out=folder / "out", state=folder / "state", **options
    )


def read_labels(folder):
    return pa.concat_tables(
        pq.ParquetFile(path).read() for path in sorted((folder / "out/labels").glob("step=*/*.parquet"))
    )
