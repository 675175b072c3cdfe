from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from dynmeans._files.errors import InputError
from dynmeans._tables.fingerprint import begins_as, check_unchanged, fingerprint, recognize
from dynmeans._tables.sources import find_source


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x\n" + b"1\n" * 100_000)
    return path


def edit_last_byte(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(-2, os.SEEK_END)
        file.write(b"7")


def test_an_edit_far_behind_the_beginning_is_noticed(path: Path) -> None:
    source, old = find_source(str(path)), fingerprint(find_source(str(path)))
    edit_last_byte(path)
    assert recognize(source, old) is None


def test_an_edit_that_keeps_size_and_time_of_modification_is_noticed(path: Path) -> None:
    source, old = find_source(str(path)), fingerprint(find_source(str(path)))
    edit_last_byte(path)
    os.utime(path, ns=(old["time"], old["time"]))
    assert recognize(source, old) is None


def test_a_touched_or_copied_file_is_the_same(path: Path) -> None:
    source, old = find_source(str(path)), fingerprint(find_source(str(path)))
    os.utime(path, (1, 1))
    found = recognize(source, old)
    assert found is not None
    assert (found["hash"], found["time"]) == (old["hash"], 10**9)
    copied = path.parent / "copy" / "a.csv"
    copied.parent.mkdir()
    copied.write_bytes(path.read_bytes())
    assert recognize(find_source(str(copied)), old) is not None


def test_a_file_with_the_same_size_and_times_is_not_read(path: Path) -> None:
    source, old = find_source(str(path)), fingerprint(find_source(str(path)))
    path.chmod(0)  # changes a time, which lets it be read
    path.chmod(0o644)
    old["change"] = path.stat().st_ctime_ns
    old["hash"] = "not computed"
    assert recognize(source, old) == old


def test_a_longer_file_that_begins_as_another_differs_from_one_that_does_not(path: Path) -> None:
    old = fingerprint(find_source(str(path)))
    with path.open("ab") as file:
        file.write(b"2\n")
    assert begins_as(find_source(str(path)), old)
    assert recognize(find_source(str(path)), old) is None
    path.write_bytes(b"x\n7" + path.read_bytes()[3:])
    assert not begins_as(find_source(str(path)), old)


def test_files_of_version_0_1_are_read(path: Path) -> None:
    head = hashlib.sha256(path.read_bytes()[:65536]).hexdigest()
    old = {"name": "a.csv", "size": path.stat().st_size, "head": head}
    found = recognize(find_source(str(path)), old)
    assert found == fingerprint(find_source(str(path)))
    assert recognize(find_source(str(path)), {**old, "head": "0" * 64}) is None
    assert begins_as(find_source(str(path)), old)


def test_streams_are_known_by_name_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    source = find_source(str(pipe))
    nothing = {"size": None, "time": None, "change": None, "hash": None}
    assert fingerprint(source) == {"name": "pipe", **nothing}
    assert recognize(source, {"name": "pipe", "size": None, "head": None}) == fingerprint(source)
    assert recognize(find_source("-"), fingerprint(source)) is None
    check_unchanged(source, fingerprint(source))


def test_a_change_while_it_is_read_is_an_error(path: Path) -> None:
    source = find_source(str(path))
    old = fingerprint(source)
    check_unchanged(source, old)
    with path.open("ab") as file:
        file.write(b"2\n")
    with pytest.raises(InputError, match=r"a\.csv: has changed while it was read"):
        check_unchanged(source, old)
