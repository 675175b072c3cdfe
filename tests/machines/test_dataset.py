"""`dynmeans cluster --workers`: a dataset of Parquet files in, a dataset of labels out."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dynmeans
from dynmeans import InputError
from dynmeans.distributed.files import cluster_dataset
from dynmeans.runs import RunParameters

PARAMETERS = RunParameters(time="t", every="10", birth_cost=3.0)
N = 5000  # rows per window


def table(window, kind="float64"):
    random = np.random.default_rng(window)
    centers = 4 * np.random.default_rng(0).normal(size=(5, 2))
    X = centers[random.integers(0, 5, N)] + 0.1 * random.normal(size=(N, 2))
    times = np.sort(random.uniform(10 * window, 10 * window + 9.9, N))
    times[0] = 10 * window
    return pa.table({"t": times, "x": X[:, 0], "y": pa.array(X[:, 1]).cast(kind)})


@pytest.fixture
def folder(tmp_path):
    for window in (0, 1, 3):  # window 2 has no rows
        pq.write_table(table(window), tmp_path / f"part{window}.parquet", row_group_size=3000)
    return tmp_path


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


class Stop(Exception):
    pass


def test_labels_are_local_ones_also_after_an_interruption(client, folder):
    def stop(status):
        if status.steps == 2:
            raise Stop

    with pytest.raises(Stop):
        run(folder, client, on_step=stop)
    found = run(folder, client)
    labels, model = local_labels(folder)
    written = read_labels(folder)
    assert np.array_equal(written.column("id").to_numpy(), labels)
    assert written.column("row").to_pylist() == 3 * list(range(1, N + 1))
    assert np.array_equal(found.model.cluster_centers_, model.cluster_centers_)
    assert np.array_equal(dynmeans.load(folder / "state").cluster_centers_, model.cluster_centers_)
    assert (found.rows, found.steps) == (3 * N, 3)
    assert run(folder, client).was_complete


def test_a_wrong_type_in_the_last_file_is_one_line_and_nothing_is_written(client, folder):
    pq.write_table(table(4, "string"), folder / "part4.parquet")
    with pytest.raises(InputError, match=r"part4.parquet: column 'y' has type string, but double") as error:
        run(folder, client)
    assert "\n" not in str(error.value)
    assert not (folder / "out").exists()
    assert not (folder / "state").exists()


def test_a_missing_file_is_one_line(client, folder):
    inputs = [str(folder / "part0.parquet"), str(folder / "part9.parquet")]
    with pytest.raises(InputError, match=r"part9.parquet: no such file"):
        cluster_dataset(inputs, PARAMETERS, client, out=folder / "out")
    with pytest.raises(InputError, match="no file matches"):
        cluster_dataset([str(folder / "none*.parquet")], PARAMETERS, client, out=folder / "out")
    assert not (folder / "out").exists()


def test_a_file_that_vanishes_during_the_run_leaves_complete_steps(client, folder):
    def remove(status):
        if status.steps == 1:
            (folder / "part3.parquet").unlink()

    with pytest.raises(InputError, match=r"part3.parquet"):
        run(folder, client, on_step=remove)
    assert sorted(path.name for path in (folder / "out/labels").iterdir()) == ["step=000001", "step=000002"]
