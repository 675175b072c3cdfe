from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynmeans.io.errors import InputError
from dynmeans.io.folder import check_folder, clear_folder

INFO = {"title": "a.csv", "settings": {"seed": 0}, "complete": False}
KNOWN = {"title": "a.csv", "settings": {"seed": 0}}


def check(folder: Path, **options: object) -> None:
    check_folder(folder, **{"force": False, "again": None, "inputs": [], **options})  # type: ignore[arg-type]


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


def test_what_the_same_run_left_behind_may_be_overwritten(occupied: Path) -> None:
    check(occupied, again=KNOWN)
    with pytest.raises(InputError):
        check(occupied, again={**KNOWN, "title": "b.csv"})
    (occupied / "run.json").write_text(json.dumps({**INFO, "complete": True}))
    with pytest.raises(InputError):
        check(occupied, again=KNOWN)


def test_an_input_is_never_overwritten(occupied: Path) -> None:
    with pytest.raises(InputError, match="an input that the run would overwrite"):
        check(occupied, force=True, inputs=[occupied / "labels.csv"])


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot be written, .*file is not a folder"):
        check(tmp_path / "file" / "run")
    with pytest.raises(InputError, match=r"cannot be written, .*file is not a folder"):
        check(tmp_path / "file")
