"""`dynmeans cluster --workers` loses nothing: locks, damaged labels, changed inputs, false state files."""

import json
import os
import random

import numpy as np
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster

from attack.disk import Disk
from dataset_runs import PARAMETERS, Stop, local_labels, read_labels, run, stop_after_two, table, write_parts
from dynmeans import InputError
from dynmeans._files.errors import InputWarning
from dynmeans._files.snapshot import Snapshot, SnapshotError, read_snapshot, write_snapshot
from dynmeans.distributed._runs import cluster_dataset
from dynmeans.distributed._runs.label_files import find_damage
from dynmeans.runs._folder import locked_folder


def check_labels(folder):
    assert np.array_equal(read_labels(folder).column("id").to_numpy(), local_labels(folder)[0])


def test_files_of_the_user_in_the_folder_of_the_labels_stay(client, folder):
    own = folder / "out/labels/annotations.csv"
    own.parent.mkdir(parents=True)
    own.write_text("by hand")
    run(folder, client)
    run(folder, client, force=True)
    assert own.read_text() == "by hand"
    check_labels(folder)


def test_inputs_in_the_folder_of_the_labels_are_refused(client, folder):
    inputs = folder / "out/labels/step=000001"
    inputs.mkdir(parents=True)
    (folder / "part0.parquet").rename(inputs / "part0.parquet")
    with pytest.raises(InputError, match="an input in the folder of the labels"):
        cluster_dataset([str(inputs / "*")], PARAMETERS, client, out=folder / "out", force=True)
    assert (inputs / "part0.parquet").exists()


@pytest.mark.parametrize("name", ["out/labels", "out/labels/state"])
def test_a_state_file_in_the_folder_of_the_labels_is_refused(client, folder, name):
    with pytest.raises(InputError, match="in the folder of the labels; choose another --state"):
        cluster_dataset(
            [str(folder / "*.parquet")], PARAMETERS, client, out=folder / "out", state=folder / name
        )


def test_a_file_with_the_name_of_the_labels_folder_is_refused(client, folder):
    (folder / "out").mkdir()
    (folder / "out/labels").write_text("by hand")
    with pytest.raises(InputError, match="labels: not a folder"):
        run(folder, client, force=True)
    assert (folder / "out/labels").read_text() == "by hand"


def test_the_output_folder_is_locked(client, folder):
    with locked_folder(folder / "out"), pytest.raises(InputError, match="in use by another run"):
        run(folder, client)
    run(folder, client)
    check_labels(folder)


@pytest.mark.parametrize(
    ("damage", "complete"),
    [("file", True), ("cut", False), ("contents", True), ("step", False), ("all", True)],
)
def test_damaged_labels_are_computed_again(client, folder, damage, complete):
    if complete:
        run(folder, client)
    else:
        with pytest.raises(Stop):
            run(folder, client, on_step=stop_after_two)
    step = folder / "out/labels/step=000002"
    first = step / "part-000000.parquet"
    if damage == "file":
        first.unlink()
    elif damage == "cut":
        first.write_bytes(b"")
    elif damage == "contents":
        (step / ".files.json").write_text("{}")
    else:
        path = step if damage == "step" else step.parent
        path.rename(folder / "elsewhere")
    with pytest.warns(InputWarning, match="missing or damaged; the run is computed again"):
        found = run(folder, client)
    assert not found.was_complete
    check_labels(folder)
    assert run(folder, client).was_complete


def test_labels_of_an_earlier_version_are_resumed(client, folder):
    """Their steps have no checksums, and the state file has no times of the inputs."""
    with pytest.raises(Stop):
        run(folder, client, on_step=stop_after_two)
    snapshot = read_snapshot(folder / "state")
    known = snapshot.header["dataset"]
    del known["digest"]
    known["run"]["files"] = [file[:2] for file in known["run"]["files"]]
    write_snapshot(folder / "state", snapshot)
    for contents in (folder / "out/labels").glob("*/.files.json"):
        contents.unlink()
    assert not run(folder, client).was_complete
    check_labels(folder)
    assert run(folder, client).was_complete


def test_a_changed_input_of_the_same_size_is_noticed(client, folder):
    run(folder, client)
    later = (folder / "part1.parquet").stat().st_mtime_ns + 10**9
    os.utime(folder / "part1.parquet", ns=(later, later))
    with pytest.raises(InputError, match="belongs to another run"):
        run(folder, client)


def test_an_input_that_changes_during_the_run_is_an_error(client, folder):
    def change(status):
        if status.steps == 2:
            pq.write_table(table(1), folder / "part0.parquet", row_group_size=3000)

    with pytest.raises(InputError, match=r"part0.parquet: changed while it was read"):
        run(folder, client, on_step=change)
    assert not read_snapshot(folder / "state").header["dataset"]["is_complete"]


FALSE = (
    {"steps": "2"},
    {"steps": -1},
    {"steps": 99},
    {"rows": None},
    {"rows": 1e300},
    {"is_complete": "no"},
    {"digest": 5},
    {"unknown": 0},
)


def test_false_progress_is_one_line(client, folder):
    with pytest.raises(Stop):
        run(folder, client, on_step=stop_after_two)
    header, arrays = read_snapshot(folder / "state")
    for entries in FALSE:
        false = header | {"dataset": header["dataset"] | entries}
        write_snapshot(folder / "state", Snapshot(false, arrays))
        with pytest.raises(SnapshotError, match="impossible") as error:
            run(folder, client)
        assert "\n" not in str(error.value)


def test_the_contents_of_a_step_are_listed(client, folder):
    run(folder, client)
    step = folder / "out/labels/step=000001"
    listed = json.loads((step / ".files.json").read_text())
    assert sorted(listed) == sorted(path.name for path in step.glob("*.parquet"))


def test_a_power_cut_loses_no_step_that_the_state_file_has(folder, monkeypatch):
    """The workers are threads of this process, whose calls of fsync are seen."""
    drive = folder / "drive"
    drive.mkdir()
    disk = Disk(write_parts(drive))

    def sync(descriptor):
        disk.scan()
        disk.sync(descriptor)

    def cut(status):
        for seed in range(4):
            after = folder / f"after-{status.steps}-{seed}"
            disk.lose_power(after, random.Random(seed))
            known = read_snapshot(after / "state").header
            assert known["n_steps"] == status.steps
            assert find_damage(after / "out/labels", status.steps, known["dataset"]["digest"]) is None

    monkeypatch.setattr(os, "fsync", sync)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as local,
        Client(local) as client,
    ):
        assert run(drive, client, on_step=cut).steps == 4
