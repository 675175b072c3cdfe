from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._files import append_log as append_log_module
from dynmeans._files.append_log import AppendLog
from dynmeans._files.errors import InputError

HEADINGS = {"a": b"head\n", "b": b""}
steps = st.lists(st.fixed_dictionaries({"a": st.binary(max_size=9), "b": st.binary(max_size=9)}), max_size=8)


def files(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "a").read_bytes(), (folder / "b").read_bytes()


@given(before=steps, lost=steps, after=steps)
def test_a_lost_write_leaves_no_trace(
    before: list[dict[str, bytes]], lost: list[dict[str, bytes]], after: list[dict[str, bytes]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        killed = AppendLog(folder, HEADINGS)
        for step in before:
            killed.append(step)
        lengths = killed.flush()
        for step in lost:
            killed.append(step)
        killed.close()
        again = AppendLog(folder, HEADINGS, lengths)
        for step in after:
            again.append(step)
        again.close()
        assert files(folder)[0] == b"head\n" + b"".join(step["a"] for step in before + after)
        assert files(folder)[1] == b"".join(step["b"] for step in before + after)


def test_a_flush_that_fails_half_way_is_undone_or_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AppendLog(tmp_path, HEADINGS)
    log.append({"a": b"1", "b": b"1"})
    log.flush()
    log.append({"a": b"2", "b": b"2"})
    write_all = append_log_module._write_all
    calls = []

    def fails_on_second(file: object, data: bytes) -> int:
        calls.append(data)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return write_all(file, data)  # type: ignore[arg-type]

    monkeypatch.setattr(append_log_module, "_write_all", fails_on_second)
    with pytest.raises(OSError, match="No space"):
        log.flush()
    assert files(tmp_path) == (b"head\n12", b"1")
    log.flush()
    assert files(tmp_path) == (b"head\n12", b"12")
    log.append({"a": b"3", "b": b"3"})
    calls.clear()
    with pytest.raises(OSError, match="No space"):
        log.close()
    assert files(tmp_path) == (b"head\n12", b"12")


def test_many_lines_are_written_before_the_next_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append_log_module, "_PENDING_BYTES", 10)
    log = AppendLog(tmp_path, HEADINGS)
    log.append({"a": b"x" * 11})
    assert files(tmp_path)[0] == b"head\n" + b"x" * 11
    log.close()


def test_a_file_that_has_shrunk_is_refused(tmp_path: Path) -> None:
    AppendLog(tmp_path, HEADINGS).close()
    with pytest.raises(InputError, match="a: 5 bytes, but 9 had been written"):
        AppendLog(tmp_path, HEADINGS, {"a": 9, "b": 0})
