"""A kill of the process in the middle of a run, as an exception that nothing catches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dynmeans.runs import _session as session

# Functions that write in every run.
WRITES = [
    (session, "clear_folder"),
    (session, "write_info"),
    (session, "write_snapshot"),
    (session, "write_labels"),
    (session.AppendLog, "flush"),
    (session.AppendLog, "close"),
    (session.Session, "finish"),
]


class Killed(BaseException):
    """Stands for a kill of the process: nothing after it runs."""


def kill_at(patch: pytest.MonkeyPatch, owner: Any, name: str, count: int, done: bool) -> None:
    """Stop at the count-th call of a function, before or after it."""
    act, calls = getattr(owner, name), []

    def fatal(*args: Any, **options: Any) -> Any:
        calls.append(name)
        if len(calls) == count and not done:
            raise Killed
        result = act(*args, **options)
        if len(calls) == count:
            raise Killed
        return result

    patch.setattr(owner, name, fatal)


def vanish(self: session.Session) -> None:
    """Replacement of `Session.stop` for a killed process: the system closes its files."""
    for file in self._log._files.values():
        file.close()


def run_killed(
    monkeypatch: pytest.MonkeyPatch, run: Callable[[], Any], owner: Any, name: str, count: int, done: bool
) -> None:
    """Run a command that is killed at a call; only the first call must exist."""
    with monkeypatch.context() as patch:
        patch.setattr(session.Session, "stop", vanish)
        kill_at(patch, owner, name, count, done)
        try:
            run()
        except Killed:
            pass
        else:
            assert count > 1, f"{name} is never called"
