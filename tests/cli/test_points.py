from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloud_files import write_cloud
from dynmeans._files.run_folder.reader import read_run
from dynmeans.datasets import walking_people
from dynmeans.metrics import identity_f1
from point_files import contents

STREAM = walking_people(6, n_people=4, background=True, random_state=1)


@pytest.fixture
def frames(folder: Path) -> Path:
    """A folder with six frames of four people, in KITTI's format, floor and walls included."""
    (folder / "frames").mkdir()
    for i, points in enumerate(STREAM.batches):
        np.hstack([points, np.zeros((len(points), 1))]).astype("<f4").tofile(folder / "frames" / f"{i}.bin")
    np.save(folder / "empty.npy", np.concatenate([X[y < 0] for X, y in zip(*STREAM[:2], strict=True)]))
    return folder / "frames"


def labels_of(out: Path) -> list[np.ndarray]:
    return [np.load(out / "labels" / f"{i}.bin.npy") for i in range(len(STREAM.batches))]


def test_frames_become_labels_tracks_and_a_report(frames: Path, dynmeans: Callable[..., Any]) -> None:
    done = dynmeans("points", frames, "--empty", "empty.npy", "--rate", 10, "--out", "out")
    assert done.code == 0, done.err
    found = labels_of(Path("out"))
    kept = [(y[z >= 0], z[z >= 0]) for y, z in zip(STREAM.labels, found, strict=True)]
    assert identity_f1([y for y, _ in kept], [z for _, z in kept]) > 0.9
    with Path("out/tracks.csv").open() as file:
        tracks = list(csv.DictReader(file))
    assert {row["time"] for row in tracks} == {"0.0", "0.1", "0.2", "0.3", "0.4", "0.5"}
    assert sum(int(row["points"]) for row in tracks) == sum((z >= 0).sum() for z in found)
    run = read_run("out")
    assert run.info["complete"]
    assert run.info["features"] == ["x", "y"]
    assert len(run.steps["step"]) == 6
    assert Path("out/report.html").stat().st_size > 10_000


@pytest.mark.parametrize("last", ["9.txt", "9.pcd"])
def test_names_are_checked_before_files_are_read(
    frames: Path, dynmeans: Callable[..., Any], last: str
) -> None:
    if last == "9.txt":
        (frames / last).write_text("what this is")
    done = dynmeans("points", *sorted(frames.iterdir()), frames / last, "--out", "out")
    assert refused(done, f"{last}: ")
    assert not Path("out").exists()


def test_frames_without_people_are_counted_apart(folder: Path, dynmeans: Callable[..., Any]) -> None:
    clouds = np.tile(np.linspace(0.0, 0.3, 40)[:, None], (5, 1, 3))
    clouds[[1, 3]] += 50.0
    np.save("walk.npy", clouds)
    np.save("empty.npy", clouds[1])
    done = dynmeans("points", "walk.npy", "--empty", "empty.npy", "--out", "out")
    assert done.code == 0, done.err
    assert "200 points in 5 frames" in done.out
    assert "1 tracked, seen in 3 of 5 frames" in done.out
    run = read_run("out")
    assert len(run.steps["step"]) == run.info["steps"] == 5
    assert run.steps["rows"].tolist() == [40, 0, 40, 0, 40]
    assert run.steps["rows"].sum() == run.info["rows"] == 120
    assert (run.info["points"], run.info["frames"]) == (200, 5)


def test_a_frame_that_memory_cannot_hold_is_named(
    folder: Path, dynmeans: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def take(*_: object) -> None:
        raise MemoryError("Unable to allocate 37.5 GiB")

    write_cloud(folder, "npy")
    monkeypatch.setattr("dynmeans.cli.points.run.Tracker.take", take)
    done = dynmeans("points", "cloud.npy", "--out", "out")
    assert refused(done, "cloud.npy, frame 1: 40 points need more memory than there is (Unable")
    assert "larger cells (--voxel) need less" in done.err


@pytest.mark.parametrize(("unit", "n_warnings"), [(1.0, 0), (1000.0, 1)])
def test_coordinates_in_millimeters_are_reported(
    folder: Path, dynmeans: Callable[..., Any], unit: float, n_warnings: int
) -> None:
    """Every point was a person, after a long time; a single invalid point may be far away."""
    rng = np.random.default_rng(0)
    cloud = [np.append(rng.uniform(0, 4, (30, 3)) * unit, [[9000.0, 0, 0]], axis=0) for _ in range(2)]
    np.save("cloud.npy", cloud)
    done = dynmeans("points", "cloud.npy", "--out", "out", "--no-report")
    assert done.code == 0, done.err
    assert done.err.count("coordinates must be meters, so divide millimeters by 1000") == n_warnings


def test_an_empty_scene_may_be_a_folder(frames: Path, dynmeans: Callable[..., Any]) -> None:
    Path("scene").mkdir()
    Path("empty.npy").rename("scene/empty.npy")
    done = dynmeans("points", f"{frames}/*.bin", "--empty", "scene", "--out", "out", "--no-report")
    assert done.code == 0, done.err
    assert "no background" not in done.out
    for found, true in zip(labels_of(Path("out")), STREAM.labels, strict=True):
        assert (found[true < 0] == -1).all()


def test_a_broken_frame_ends_the_run_in_one_line_and_leaves_the_frames_before_it(
    frames: Path, dynmeans: Callable[..., Any]
) -> None:
    (frames / "4.bin").write_bytes((frames / "4.bin").read_bytes()[:-7])
    done = dynmeans("points", frames, "--empty", "empty.npy", "--out", "out")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "4.bin" in done.err
    run = read_run("out")
    assert not run.info["complete"]
    assert len(run.steps["step"]) == 4
    assert len(np.load("out/labels/3.bin.npy")) == len(STREAM.batches[3])
    assert not Path("out/labels/4.bin.npy").exists()


def test_a_table_with_times_gives_a_table_of_labels(folder: Path, dynmeans: Callable[..., Any]) -> None:
    rows = [np.column_stack([np.full((y >= 0).sum(), i / 30), X[y >= 0]]) for i, (X, y) in _numbered()]
    table = np.concatenate(rows)
    np.savetxt("walk.csv", table, delimiter=",", header="seconds,x,y,z", comments="")
    done = dynmeans("points", "walk.csv", "--time", "seconds", "--out", "out", "--no-report")
    assert done.code == 0, done.err
    assert "scene    no background: floor and walls are tracked too" in done.out
    assert len(Path("out/labels/walk.csv").read_text().split()) == len(table) + 1
    assert not Path("out/report.html").exists()


def test_times_keep_their_digits_and_deaths_are_counted(folder: Path, dynmeans: Callable[..., Any]) -> None:
    times = (1.7e9 + np.array([0.0, 0.1, 4.1, 8.1])).tolist()
    seen = [(time, 0.0) for time in times] + [(times[0], 50.0)]  # the second is gone for eight seconds
    rows = [f"{time!r},{x + 0.01 * i},0,1" for time, x in sorted(seen) for i in range(40)]
    Path("two.csv").write_text("\n".join(["t,x,y,z", *rows, ""]))
    done = dynmeans("points", "two.csv", "--time", "t", "--out", "out", "--no-report")
    assert done.code == 0, done.err
    with Path("out/tracks.csv").open() as file:
        tracks = list(csv.DictReader(file))
    assert [float(row["time"]) for row in tracks] == sorted(time for time, _ in seen)
    assert {row["id"] for row in tracks} == {"0", "1"}
    assert "2 tracked" in done.out


def _numbered() -> enumerate[tuple[np.ndarray, np.ndarray]]:
    return enumerate(zip(STREAM.batches, STREAM.labels, strict=True))


def test_the_ground_is_left_out(frames: Path, dynmeans: Callable[..., Any]) -> None:
    done = dynmeans("points", frames, "--ground", "--out", "out", "--no-report")
    assert done.code == 0, done.err
    for points, found in zip(STREAM.batches, labels_of(Path("out")), strict=True):
        assert (found[points[:, 2] < 0.1] == -1).all()
        assert (found[(points[:, 2] > 0.5) & (points[:, 2] < 1.8)] >= 0).all()


def test_a_run_is_not_overwritten_without_force(frames: Path, dynmeans: Callable[..., Any]) -> None:
    line = ("points", frames, "--empty", "empty.npy", "--out", "out", "--no-report")
    assert dynmeans(*line).code == 0
    assert dynmeans(*line).code == 2
    (frames / "5.bin").unlink()
    assert dynmeans(*line, "--force", "--algorithm", "sdmeans").code == 0
    assert json.loads(Path("out/run.json").read_text())["parameters"]["algorithm"] == "sdmeans"
    assert not Path("out/labels/5.bin.npy").exists()


def refused(done: Any, words: str) -> bool:
    """Whether a command ended with one line that has these words."""
    return done.code == 2 and words in done.err and done.err.count("\n") == 1


def test_other_files_in_the_folder_stay(folder: Path, dynmeans: Callable[..., Any]) -> None:
    write_cloud(folder, "npy")
    for name in ("labels/000.label", "labels/deeper/mine.txt", "labels/cloud.npy.npy", "tracks.csv"):
        path = Path("out", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    before = contents(folder)
    assert refused(dynmeans("points", "cloud.npy", "--out", "out"), "out: holds tracks.csv already; --force")
    Path("out/tracks.csv").unlink()
    assert refused(dynmeans("points", "cloud.npy", "--out", "out"), "holds labels/cloud.npy.npy already")
    Path("out/labels/cloud.npy.npy").unlink()
    assert dynmeans("points", "cloud.npy", "--out", "out").code == 0
    Path("cloud.npy").rename("other.npy")
    assert dynmeans("points", "other.npy", "--out", "out", "--force").code == 0
    after = contents(Path("out/labels"))
    assert set(after) == {"000.label", "deeper/mine.txt", "other.npy.npy"}
    assert {before[f"out/labels/{name}"] for name in set(after) - {"other.npy.npy"}} == {b"mine"}


@pytest.mark.parametrize(
    "frames",
    [
        ("out/tracks.csv",),
        ("out/labels/cloud.csv",),
        ("cloud.csv", "--empty", "out/tracks.csv"),
        ("cloud.csv", "--empty", "out/labels/cloud.csv"),
    ],
)
def test_inputs_are_never_overwritten(
    folder: Path, dynmeans: Callable[..., Any], frames: tuple[str, ...]
) -> None:
    cloud = write_cloud(folder, "csv").read_bytes()
    Path("out/labels").mkdir(parents=True)
    for name in ("out/tracks.csv", "out/labels/cloud.csv"):
        Path(name).write_bytes(cloud)
    before = contents(folder)
    done = dynmeans("points", *frames, "--out", "out", "--force")
    assert refused(done, "an input that the run would overwrite")
    assert contents(folder) == before


def test_a_folder_that_cannot_take_the_labels_is_left_as_it_is(
    folder: Path, dynmeans: Callable[..., Any]
) -> None:
    write_cloud(folder, "npy")
    assert dynmeans("points", "cloud.npy", "--out", "out").code == 0
    Path("out/labels/cloud.npy.npy").unlink()
    Path("out/labels").rmdir()
    Path("out/labels").touch()
    before = contents(folder)
    done = dynmeans("points", "cloud.npy", "--out", "out", "--force")
    assert refused(done, "out/labels: cannot be written")
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("nowhere.pcd",), "nowhere.pcd: no such file"),
        (("cloud.csv", "--time", "when"), "when"),
        (("cloud.csv", "--rate", "0"), "--rate is 0"),
        (("cloud.csv", "--few", "0"), "--few is 0"),
        (
            ("cloud.csv", "--min-points", "5", "--algorithm", "dmeans"),
            "--min-points needs --algorithm sdmeans",
        ),
        (("cloud.csv", "--columns", "x,y"), "--columns is 'x,y'; it must be three different names"),
        (("cloud.csv", "--columns", "x,y,height"), "no column 'height'"),
        (("named.csv",), "no column 'x'; the columns are px, py, pz; name those with the three coordinates"),
        (("named.csv",), "with --columns, height last"),
        (("twice.csv",), "two columns are called 'X'"),
        (("cloud.csv", "--voxel", "-1"), "--voxel is -1"),
        (("cloud.csv", "--rate", "1e7"), "it must be more than 0 and less than 1,000,000"),
        (("cloud.csv", "--empty", "far.npy"), "far.npy, frame 1: point [1e+120, 0.0, 0.0] is too far away"),
        (("cloud.csv", "--empty", "none.npy"), "--empty: no frames"),
        (("cloud.csv", "--empty", "hollow"), "hollow: no files in it"),
        (("cloud.csv", "--lifetime", "0.5"), "lifetime"),
        (("cloud.csv", "--empty", "cloud.csv", "--ground"), "give one of them"),
        (("cloud.csv", "cloud.csv"), "same name as another input, cloud.csv"),
        (("cloud.xyz",), "unknown file type"),
    ],
)
def test_bad_input_gets_one_line(
    folder: Path, dynmeans: Callable[..., Any], options: tuple[str, ...], words: str
) -> None:
    write_cloud(folder, "csv")
    (folder / "cloud.xyz").write_text("1 2 3\n")
    (folder / "twice.csv").write_text("X,X,Y,Z\n1,2,3,4\n")
    (folder / "named.csv").write_text("px,py,pz\n1,2,3\n")
    np.save(folder / "far.npy", [[1e120, 0.0, 0.0]])
    np.save(folder / "none.npy", np.empty((0, 5, 3)))
    (folder / "hollow").mkdir()
    done = dynmeans("points", *options, "--out", "out")
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not Path("out").exists()


def write_frames(path: Path, heading: str, n_frames: int = 20) -> None:
    """Write two groups of points at rest; frames count from 100, the last two columns are not used."""
    rng = np.random.default_rng(0)
    lines = [heading]
    for frame in range(100, 100 + n_frames):
        for x in (0.0, 5.0):
            rows = rng.normal([x, 0.0, 1.0], 0.05, (40, 3)).tolist()
            lines += [f"{frame},{a},{b},{c},9,9" for a, b, c in rows]
    path.write_text("\n".join([*lines, ""]))


def read_tracks(folder: Path) -> dict[str, list[str]]:
    with (folder / "tracks.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: [row[key] for row in rows] for key in rows[0]}


def test_a_radar_table_is_read_as_it_is(folder: Path, dynmeans: Callable[..., Any]) -> None:
    write_frames(folder / "radar.csv", "frame,X,Y,Z,power,power")
    done = dynmeans("points", "radar.csv", "--time", "frame", "--rate", "10", "--out", "out")
    assert (done.code, done.err) == (0, "")
    tracks = read_tracks(folder / "out")
    assert set(tracks["id"]) == {"0", "1"}
    assert [float(t) for t in tracks["time"][::2]] == [i / 10 for i in range(100, 120)]


def test_columns_can_be_named(folder: Path, dynmeans: Callable[..., Any]) -> None:
    write_frames(folder / "radar.csv", "frame,east,north,up,a,b")
    line = ("points", "radar.csv", "--time", "frame", "--rate", "10", "--columns", "east,north,up")
    assert dynmeans(*line, "--out", "out").code == 0
    assert set(read_tracks(folder / "out")["id"]) == {"0", "1"}


def test_frame_numbers_without_a_rate_get_a_warning(folder: Path, dynmeans: Callable[..., Any]) -> None:
    write_frames(folder / "radar.csv", "frame,x,y,z,a,b")
    done = dynmeans("points", "radar.csv", "--time", "frame", "--out", "out")
    assert done.code == 0
    assert done.err.startswith("dynmeans: warning: the times in 'frame' are whole numbers in steps of 1")
    assert done.err.count("\n") == 1


def test_a_column_of_frame_numbers_that_is_not_used_gets_a_warning(
    folder: Path, dynmeans: Callable[..., Any]
) -> None:
    write_frames(folder / "radar.csv", "frame,x,y,z,a,b")
    done = dynmeans("points", "radar.csv", "--out", "out")
    assert "in 1 frame\n" in done.out
    words = "radar.csv: column 'frame' is not used, so the whole file is one frame; if it is the frame number"
    assert done.err.startswith(f"dynmeans: warning: {words}, use --time frame --rate 10, with your frames")
    assert done.err.count("\n") == 1
    write_frames(folder / "times.csv", "time_stamp,x,y,z,a,b")
    done = dynmeans("points", "times.csv", "--out", "out", "--force")
    assert "if it is the time in seconds, use --time time_stamp" in done.err


def test_tables_of_one_frame_each_get_no_warning(folder: Path, dynmeans: Callable[..., Any]) -> None:
    write_frames(folder / "a.csv", "t,x,y,z,a,b", n_frames=2)  # times of points
    write_frames(folder / "b.csv", "t,x,y,z,a,b", n_frames=2)
    write_frames(folder / "c.csv", "frame,x,y,z,a,b", n_frames=1)
    assert dynmeans("points", "a.csv", "b.csv", "--out", "out").err == ""
    assert dynmeans("points", "c.csv", "--out", "other").err == ""


def test_a_person_is_reported_after_a_minimum_number_of_frames(
    folder: Path, dynmeans: Callable[..., Any]
) -> None:
    write_frames(folder / "radar.csv", "frame,x,y,z,a,b")
    line = ("points", "radar.csv", "--time", "frame", "--rate", "10", "--min-hits", "4")
    done = dynmeans(*line, "--out", "out")
    assert done.out.splitlines()[1] == "people   2 tracked, seen in 17 of 20 frames"
    assert float(read_tracks(folder / "out")["time"][0]) == 10.3


def test_clutter_is_named_and_left_out(folder: Path, dynmeans: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    person = rng.normal(0.0, 0.1, (12, 50, 3))
    np.save("walk.npy", np.concatenate([person, rng.uniform(2.0, 9.0, (12, 20, 3))], axis=1))
    done = dynmeans("points", "walk.npy", "--rate", "10", "--out", "out", "--no-report")
    assert "with fewer than 5 points per frame: if noise, use --min-points 5" in done.out
    done = dynmeans(
        "points", "walk.npy", "--rate", "10", "--min-points", "5", "--out", "other", "--no-report"
    )
    assert done.out.splitlines()[1] == "people   1 tracked"
    assert json.loads(Path("other/run.json").read_text())["parameters"]["min_points"] == 5
