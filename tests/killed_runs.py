"""A kill of the process in the middle of a run, as an exception that nothing catches."""

from __future__ import annotations

from typing import Any

import pytest

from dynmeans.runs import session


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
