from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dynmeans._files import atomic_write as atomic
from dynmeans._files.append_log import AppendLog
from dynmeans._files.atomic_write import atomic_write, make_folder, remove_leftovers
from dynmeans._files.lock import locked


def leave(target: Path) -> Path:
    """Leave a temporary file, as a process that is killed while it writes."""
    position = target.with_name(f".{target.stem}.0123456789abcdef.tmp{target.suffix}")
    position.write_text("half")
    return position


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with suppress(RuntimeError), atomic_write(target) as position:
        position.write_text("new")
        raise RuntimeError
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_temporary_names_are_random_and_keep_the_suffix(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a.txt") as one, atomic_write(tmp_path / "a.txt") as two:
        assert one != two
        assert {one.suffix, two.suffix} == {".txt"}
        one.write_text("1")
        two.write_text("2")


def test_a_planted_link_is_never_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    tokens = iter(["0" * 16, "1" * 16])
    monkeypatch.setattr(atomic.secrets, "token_hex", lambda n: next(tokens))
    (tmp_path / f".a.{'0' * 16}.tmp.txt").symlink_to(victim)
    (tmp_path / ".a.tmp.txt").symlink_to(victim)
    with atomic_write(tmp_path / "a.txt") as position:
        position.write_text("new")
    assert victim.read_text() == "precious"
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_file_that_grows_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "steps.csv").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="steps.csv"):
        AppendLog(tmp_path, {"steps.csv": b""})
    assert (tmp_path / "victim").read_text() == "precious"


@pytest.mark.parametrize("exists", [True, False])
def test_a_linked_target_is_written_through(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "state", tmp_path / "link"
    if exists:
        real.write_text("old")
    link.symlink_to(real)
    with atomic_write(link) as position:
        position.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert list((tmp_path / "real").iterdir()) == [real]


def test_a_loop_of_links_is_refused_and_stays(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    for write in (lambda: atomic_write(loop), lambda: locked(loop)):
        with pytest.raises(OSError, match="symbolic links") as error, write():  # type: ignore[attr-defined]
            pass
        assert error.value.filename == str(loop)
    assert list(tmp_path.iterdir()) == [loop]
    assert loop.is_symlink()


def test_permissions_of_a_file_are_kept_and_a_new_one_obeys_the_mask(tmp_path: Path) -> None:
    target = tmp_path / "a"
    before = os.umask(0o027)
    try:
        with atomic_write(target) as position:
            position.write_text("new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.chmod(0o400)
    with atomic_write(target) as position:
        position.write_text("newer")
    assert stat.S_IMODE(target.stat().st_mode) == 0o400


def test_leftovers_of_killed_processes_are_removed_and_nothing_else(tmp_path: Path) -> None:
    leftover, other = leave(tmp_path / "a[1].txt"), leave(tmp_path / "b.txt")
    mine = tmp_path / ".a.tmp.txt"
    mine.write_text("of the user")
    with atomic_write(tmp_path / "a[1].txt") as position:
        position.write_text("in use")
        remove_leftovers(tmp_path, "a[1].txt")
        assert position.exists()
        assert not leftover.exists()
        assert other.exists()
        remove_leftovers(tmp_path)
        assert position.exists()
    assert sorted(tmp_path.iterdir()) == [mine, tmp_path / "a[1].txt"]
    remove_leftovers(tmp_path / "nowhere")


def test_a_temporary_file_that_was_taken_for_a_leftover_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Path] = []

    def try_lock(descriptor: int) -> bool:
        if not taken:  # another process was faster
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
        return True

    monkeypatch.setattr(atomic, "try_lock", try_lock)
    with atomic_write(tmp_path / "a.txt") as position:
        assert position != taken[0]
        position.write_text("x")
    assert (tmp_path / "a.txt").read_text() == "x"


def test_a_very_long_name_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 251 + ".csv")
    with atomic_write(target) as position:
        position.write_text("x")
    assert target.read_text() == "x"


def test_everything_is_synced_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    sync, move = os.fsync, Path.replace

    def note_sync(descriptor: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def note_move(self: Path, target: Path) -> Path:
        calls.append("move")
        return move(self, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_move)
    with atomic_write(tmp_path / "a") as position:
        position.write_text("x")
    assert calls == ["file", "move", "folder"]
    calls.clear()
    with atomic_write(tmp_path / "a", durable=False) as position:
        position.write_text("x")
    assert calls == ["move"]
    calls.clear()
    assert make_folder(tmp_path / "b" / "c") == [tmp_path / "b", tmp_path / "b" / "c"]
    assert calls.count("folder") >= 2


@pytest.fixture
def full_disk() -> Iterator[None]:
    """Refuse to write files of more than 1,000 bytes, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught, atomic_write(tmp_path / "a.txt") as position:  # noqa: PT011
        position.write_bytes(b"x" * 2000)
    assert caught.value.filename == str(tmp_path / "a.txt")
    log = AppendLog(tmp_path, {"steps.csv": b""})
    log.append({"steps.csv": b"x" * 2000})
    with pytest.raises(OSError) as caught:  # noqa: PT011
        log.flush()
    for file in log._files.values():
        file.close()
    assert caught.value.filename == str(tmp_path / "steps.csv")


def test_an_error_without_a_number_keeps_its_message_and_names_the_file(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match=r"a\.txt: 10 requested and 3 written"),
        atomic_write(tmp_path / "a.txt"),
    ):
        raise OSError("10 requested and 3 written")
