from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynmeans._files.errors import InputError
from dynmeans._files.run_folder.format import FORMAT
from dynmeans.runs._folder import check_folder, clear_folder

INFO = {"title": "a.csv", "parameters": {"seed": 0}, "complete": False}
KNOWN = {"title": "a.csv", "parameters": {"seed": 0}}


def check(folder: Path, **options: object) -> None:
    check_folder(folder, **{"force": False, "again": None, "inputs": [], **options})  # type: ignore[arg-type]


DEEP = "[" * 100_000  # raises RecursionError


@pytest.fixture
def occupied(tmp_path: Path) -> Path:
    (tmp_path / "run.json").write_text(json.dumps(INFO))
    (tmp_path / "labels.csv").write_text("id\n")
    (tmp_path / "precious.txt").write_text("mine")
    return tmp_path


def test_a_new_or_foreign_folder_may_be_used(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    check(tmp_path)
    check(tmp_path / "new" / "deep")


def test_a_run_is_overwritten_only_by_force(occupied: Path) -> None:
    with pytest.raises(InputError, match=r"holds a run already \(run\.json\); --force overwrites it"):
        check(occupied)
    check(occupied, force=True)
    clear_folder(occupied)
    assert [path.name for path in occupied.iterdir()] == ["precious.txt"]


def test_leftovers_of_the_same_run_may_be_overwritten(occupied: Path) -> None:
    check(occupied, again=KNOWN)
    old = {"settings" if key == "parameters" else key: value for key, value in INFO.items()}
    (occupied / "run.json").write_text(json.dumps(old))  # as version 0.1.0 wrote it
    check(occupied, again=KNOWN)
    with pytest.raises(InputError):
        check(occupied, again={**KNOWN, "title": "b.csv"})
    (occupied / "run.json").write_text(json.dumps({**INFO, "complete": True}))
    with pytest.raises(InputError):
        check(occupied, again=KNOWN)


def test_an_input_is_never_overwritten(occupied: Path) -> None:
    with pytest.raises(InputError, match="an input that the run would overwrite"):
        check(occupied, force=True, inputs=[occupied / "labels.csv"])


def test_files_of_its_own_are_overwritten_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    for name in ("labels/a.npy", "labels/mine.label"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"holds labels/a\.npy already; --force overwrites it"):
        check(tmp_path, names=["labels/a.npy"])
    check(tmp_path, names=["labels/a.npy"], force=True)
    clear_folder(tmp_path, ["labels/a.npy"])
    assert [path.name for path in (tmp_path / "labels").iterdir()] == ["mine.label"]


def test_files_that_the_last_run_names_go_with_it(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in ("tracks.csv", "out/tracks.csv", "out/mine.csv"):
        (tmp_path / name).touch()
    info = {"format": FORMAT, "files": ["tracks.csv", "../tracks.csv", str(tmp_path / "tracks.csv")]}
    (tmp_path / "out" / "run.json").write_text(json.dumps(info))
    with pytest.raises(InputError, match="an input that the run would overwrite"):
        check(tmp_path / "out", force=True, inputs=[tmp_path / "out" / "tracks.csv"])
    clear_folder(tmp_path / "out")
    assert {path.name for path in tmp_path.rglob("*.*")} == {"tracks.csv", "mine.csv"}
    assert (tmp_path / "tracks.csv").exists()


@pytest.mark.parametrize("info", ["[]", '{"files": ["a.csv"]}', '{"format": 1, "files": 7}', DEEP])
def test_a_foreign_run_json_is_ignored(tmp_path: Path, info: str) -> None:
    (tmp_path / "run.json").write_text(info)
    (tmp_path / "a.csv").touch()
    clear_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_folder_where_a_file_would_be_and_a_file_where_a_folder_would_be_are_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "tracks.csv").mkdir()
    (tmp_path / "labels").touch()
    with pytest.raises(InputError, match=r"tracks\.csv: a folder, where the run would write a file"):
        check(tmp_path, names=["tracks.csv"], force=True)
    with pytest.raises(InputError, match="labels is not a folder"):
        check(tmp_path, names=["labels/a.npy"], force=True)


def test_a_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot be written, .*file is not a folder"):
        check(tmp_path / "file" / "run")
    with pytest.raises(InputError, match=r"cannot be written, .*file is not a folder"):
        check(tmp_path / "file")
