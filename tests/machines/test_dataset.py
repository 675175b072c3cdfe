"""`dynmeans cluster --workers`: a dataset of Parquet files in, a dataset of labels out."""

import os
import signal
import subprocess
import sys
import time

import dask
import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster

import dynmeans
from dataset_runs import PARAMETERS, N, Stop, local_labels, read_labels, run, stop_after_two, table
from dynmeans import InputError
from dynmeans._files.snapshot import read_snapshot, write_snapshot
from dynmeans.cli import app
from dynmeans.distributed._runs import cluster_dataset, window_steps
from dynmeans.distributed._runs.dataset import open_dataset
from dynmeans.runs import RunParameters, cluster_files, read_run


def test_labels_are_local_ones_also_after_an_interruption(client, folder):
    with pytest.raises(Stop):
        run(folder, client, on_step=stop_after_two)
    found = run(folder, client)
    labels, model = local_labels(folder)
    written = read_labels(folder)
    assert np.array_equal(written.column("id").to_numpy(), labels)
    assert written.column("row").to_pylist() == 3 * list(range(1, N + 1))
    assert np.array_equal(found.model.cluster_centers_, model.cluster_centers_)
    assert np.array_equal(dynmeans.load(folder / "state").cluster_centers_, model.cluster_centers_)
    assert (found.rows, found.steps) == (3 * N, 4)
    assert run(folder, client).was_complete


def test_an_interruption_before_the_first_state_file_is_resumed(client, folder, monkeypatch):
    def stop(*arguments):
        raise Stop

    with monkeypatch.context() as patch:
        patch.setattr(window_steps, "save_progress", stop)
        with pytest.raises(Stop):
            run(folder, client)
    assert not (folder / "state").exists()
    other = PARAMETERS._replace(birth_cost=4.0)
    with pytest.raises(InputError, match="holds the labels of another run"):
        cluster_dataset(
            [str(folder / "*.parquet")], other, client, out=folder / "out", state=folder / "state"
        )
    assert run(folder, client).steps == 4
    assert np.array_equal(read_labels(folder).column("id").to_numpy(), local_labels(folder)[0])


def test_a_state_file_of_an_earlier_version_is_resumed(client, folder):
    """Parameters were stored under "settings"."""

    def stop(status):
        raise Stop

    with pytest.raises(Stop):
        run(folder, client, on_step=stop)
    snapshot = read_snapshot(folder / "state")
    known = snapshot.header["dataset"]["run"]
    known["settings"] = known.pop("parameters")
    write_snapshot(folder / "state", snapshot)
    assert run(folder, client).steps == 4
    assert np.array_equal(read_labels(folder).column("id").to_numpy(), local_labels(folder)[0])


def test_files_in_the_memory_of_the_process(folder):
    """Any file system of fsspec; this one needs workers in the same process."""
    memory = fsspec.filesystem("memory")
    for path in folder.glob("*.parquet"):
        memory.pipe(f"/data/{path.name}", path.read_bytes())
    try:
        with (
            LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as local,
            Client(local) as client,
        ):
            cluster_dataset(["memory://data/*.parquet"], PARAMETERS, client, out=folder / "out")
    finally:
        memory.rm("/data", recursive=True)
    assert np.array_equal(read_labels(folder).column("id").to_numpy(), local_labels(folder)[0])


# The run waits after each step until it is interrupted. A background job would ignore the signal.
WAITING_RUN = """
import signal
import time
signal.signal(signal.SIGINT, signal.default_int_handler)
from dynmeans.cli import main
from dynmeans.distributed._runs import window_steps

save_progress = window_steps.save_progress

def save_and_wait(*arguments):
    save_progress(*arguments)
    time.sleep(600)

window_steps.save_progress = save_and_wait
main()
"""


def test_an_interruption_is_one_line_and_the_run_resumes(client, folder):
    """Ctrl-C in a terminal: Dask logs nothing, workers end, complete steps stay."""
    outputs = f"--out={folder / 'out'}", f"--state={folder / 'state'}"
    options = "--workers=1", "--time=t", "--every=10", "--birth-cost=3", *outputs
    command = [sys.executable, "-c", WAITING_RUN, "cluster", f"{folder}/*.parquet", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while process.poll() is None and not (folder / "state").exists():
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate()
    assert process.returncode == 130
    steps = f"complete steps are in {folder / 'out'}"
    assert error == f"dynmeans: interrupted; {steps}; run the same command again to resume\n"
    run(folder, client)
    assert np.array_equal(read_labels(folder).column("id").to_numpy(), local_labels(folder)[0])


def test_a_wrong_type_in_the_last_file_is_one_line_and_nothing_is_written(client, folder):
    pq.write_table(table(4, "string"), folder / "part4.parquet")
    with pytest.raises(InputError, match=r"part4.parquet: column 'y' has type string, but double") as error:
        run(folder, client)
    assert "\n" not in str(error.value)
    assert not (folder / "out").exists()
    assert not (folder / "state").exists()


def test_a_file_of_another_kind_is_one_line(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    with pytest.raises(InputError, match=r"a\.csv: a run on workers reads Parquet files only$"):
        open_dataset([str(tmp_path / "a.csv")], RunParameters())


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
    assert sorted(path.name for path in (folder / "out/labels").glob("*step*")) == [
        "step=000001",
        "step=000002",
    ]


def test_urls_from_the_command_line(cluster, folder, monkeypatch, capsys):
    """fsspec reads the files; the labels and the state are those of local files."""
    options = ["--time", "t", "--every", "10", "--birth-cost", "3", "--scheduler", cluster.scheduler_address]
    outputs = ["--out", str(folder / "out"), "--state", str(folder / "state")]
    monkeypatch.setattr(
        sys, "argv", ["dynmeans", "cluster", f"file://{folder}/*.parquet", *options, *outputs]
    )
    with pytest.raises(SystemExit) as end:
        app.main()
    assert (end.value.code or 0) == 0, capsys.readouterr().err
    labels, model = local_labels(folder)
    assert np.array_equal(read_labels(folder).column("id").to_numpy(), labels)
    assert np.array_equal(dynmeans.load(folder / "state").cluster_centers_, model.cluster_centers_)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere://data/*.parquet", "--workers", "2"], "Protocol not known: nowhere"),
        (["memory://data/*.parquet", "--workers", "2"], "no file matches"),
        (["memory://data/a.parquet", "--workers", "2"], "memory:///data/a.parquet: no such file"),
        (["zip://a::file://b.zip", "--workers", "2"], "chained URLs are not supported"),
        (
            ["a.parquet", "--workers", "2", "--out", "s3://bucket"],
            "--out is s3:/bucket: only inputs may be URLs",
        ),
        (["file://a.parquet"], "URLs of Parquet files are read with --workers or --scheduler only"),
    ],
)
def test_urls_that_cannot_be_used_are_one_line(arguments, message, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["dynmeans", "cluster", "--birth-cost", "3", *arguments])
    with pytest.raises(SystemExit) as end:
        app.main()
    error = capsys.readouterr().err
    assert end.value.code == 2
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--text", "t"],
            "--text is not supported with --scheduler or --workers; join the text to the labels",
        ),
        (["--by", "x"], "--by is not supported with --scheduler or --workers; write one dataset per key"),
        (["--embedding", "e.npy"], "read embeddings from a column of lists of the Parquet files"),
        (["--algorithm", "kdmeans"], "--scheduler and --workers need --algorithm dmeans"),
    ],
)
def test_options_that_workers_do_not_support_are_one_line(arguments, message, folder, monkeypatch, capsys):
    command = ["cluster", f"{folder}/*.parquet", "--birth-cost", "3", "--workers", "2", *arguments]
    monkeypatch.setattr(sys, "argv", ["dynmeans", *command, "--out", str(folder / "out")])
    with pytest.raises(SystemExit) as end:
        app.main()
    error = capsys.readouterr().err
    assert end.value.code == 2
    assert message in error
    assert error.count("\n") == 1
    assert not (folder / "out").exists()


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.list_(pa.float64(), 2)])
def test_a_column_of_lists_is_clustered_as_separate_columns(client, folder, kind):
    for path in folder.glob("*.parquet"):
        columns = pq.read_table(path)
        lists = np.column_stack([columns.column(name).to_numpy() for name in "xy"]).tolist()
        columns = columns.select(["t"]).append_column("e", pa.array(lists, kind))
        pq.write_table(columns, path, row_group_size=3000)
    parameters = PARAMETERS._replace(embedding="e")
    local = cluster_files(
        [str(path) for path in sorted(folder.glob("*.parquet"))], parameters, out=folder / "local"
    )
    found = cluster_dataset([str(folder / "*.parquet")], parameters, client, out=folder / "out")
    assert found.features == ("e1", "e2")
    assert np.array_equal(found.model.cluster_centers_, local.model.cluster_centers_)
    assert np.array_equal(found.model.cluster_ids_, local.model.cluster_ids_)


@pytest.mark.parametrize("weight", [None, "x"])
def test_standardized_rows_give_the_local_result_also_after_an_interruption(client, folder, weight):
    def stop(status):
        if status.steps == 1:
            raise Stop

    for path in folder.glob("*.parquet"):
        rows = pq.read_table(path)
        columns = {name: rows.column(name).to_numpy() for name in "txy"}
        columns["x"] = np.abs(columns["x"])  # a weight too
        pq.write_table(pa.table({**columns, "y": 1000.0 * columns["y"]}), path, row_group_size=3000)
    parameters = PARAMETERS._replace(birth_cost=0.3, standardize=True, weight=weight)
    local = cluster_files(
        [str(path) for path in sorted(folder.glob("*.parquet"))], parameters, out=folder / "local"
    )
    options = {"out": folder / "out", "state": folder / "state"}
    with pytest.raises(Stop):
        cluster_dataset([str(folder / "*.parquet")], parameters, client, **options, on_step=stop)
    found = cluster_dataset([str(folder / "*.parquet")], parameters, client, **options)
    assert found.model.n_clusters_ > 1
    loaded = dynmeans.load(folder / "state")  # in the units of the input
    assert np.array_equal(loaded.cluster_centers_, local.model.cluster_centers_)
    assert np.array_equal(loaded.cluster_ids_, local.model.cluster_ids_)
    assert (folder / "out/clusters.csv").read_text() == (folder / "local/clusters.csv").read_text()


@pytest.mark.parametrize("standardize", [False, True])
def test_rows_that_the_model_refuses_are_one_line(client, folder, standardize):
    rows = pq.read_table(folder / "part0.parquet")
    zeros = pa.table({"t": rows.column("t"), "x": rows.column("x"), "w": np.zeros(N)})
    pq.write_table(zeros, folder / "zeros.parquet", row_group_size=3000)
    parameters = PARAMETERS._replace(weight="w", standardize=standardize)
    location = r"zeros\.parquet, row 1 to .*zeros\.parquet, row 5000: "
    message = "all weights are zero" if standardize else "--weight must not be zero everywhere"
    with pytest.raises(InputError, match=location + message):
        cluster_dataset([str(folder / "zeros.parquet")], parameters, client, out=folder / "out")


def die_at_window_3():
    """Let this worker die when it reads the last file, as one that runs out of memory."""
    from dynmeans.distributed._runs import dataset

    read = dataset.read_rows

    def read_or_die(part, columns):
        if part.path.endswith("part3.parquet"):
            os.kill(os.getpid(), signal.SIGKILL)
        return read(part, columns)

    dataset.read_rows = read_or_die


def test_workers_that_run_out_of_memory_are_one_line_and_the_run_resumes(client, folder):
    def allow(failures, dask_scheduler=None):
        dask_scheduler.allowed_failures = failures

    def shrink(status):
        if status.steps == 2:
            client.run(die_at_window_3)

    client.run_on_scheduler(allow, 0)
    try:
        with pytest.raises(InputError, match="window 3: one task killed several workers") as error:
            run(folder, client, on_step=shrink)
    finally:
        client.run_on_scheduler(allow, 1000)
    assert "\n" not in str(error.value)
    check_resumed(folder, client)


def test_a_lost_scheduler_is_one_line_and_the_run_resumes(client, folder):
    def lose(status):
        if status.steps == 2:
            lost.sync(lost.scheduler.close)

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as lost,
        Client(lost) as other,
        pytest.raises(
            InputError, match="the connection to the Dask scheduler was lost; the same command resumes"
        ),
    ):
        run(folder, other, on_step=lose)
    check_resumed(folder, client)


def check_resumed(folder, client):
    """Check that two steps are complete, and that the same call finishes the run."""
    assert sorted(path.name for path in (folder / "out/labels").glob("step*")) == [
        "step=000001",
        "step=000002",
    ]
    run(folder, client)
    labels, model = local_labels(folder)
    assert np.array_equal(read_labels(folder).column("id").to_numpy(), labels)
    assert np.array_equal(dynmeans.load(folder / "state").cluster_centers_, model.cluster_centers_)


TABLES = ("run.json", "steps.csv", "clusters.csv", "events.jsonl")


def test_the_run_folder_is_that_of_a_local_run_without_points(client, folder):
    """Also after an interruption."""

    with pytest.raises(Stop):
        run(folder, client, on_step=stop_after_two)
    found = run(folder, client)
    local = cluster_files(str(folder / "*.parquet"), PARAMETERS, out=folder / "local")
    for name in TABLES:
        assert (folder / "out" / name).read_bytes() == (local.out / name).read_bytes()
    assert read_run(folder / "out").sample["id"].tolist() == []
    assert "the rows stayed on the workers" in found.report.read_text()


def test_a_run_in_the_folder_is_not_overwritten(client, folder):
    cluster_files(str(folder / "*.parquet"), PARAMETERS, out=folder / "out", report=False)
    with pytest.raises(InputError, match=r"holds a run already \(run.json\); --force overwrites it"):
        run(folder, client)
    assert run(folder, client, force=True, report=False).report is None
