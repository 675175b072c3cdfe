"""One step at a time for a model that several threads share."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock, RLock
from typing import Any, TypeVar

Result = TypeVar("Result")


class _Forks:
    """Number of forks that led to this process. In a fork, locks that other threads held stay locked."""

    def __init__(self) -> None:
        self.count = 0
        self.guard = Lock()  # one thread at a time replaces a lock

    def count_one(self) -> None:
        self.count += 1
        self.guard = Lock()


_FORKS = _Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_FORKS.count_one)


class StepLock:
    """Lock of one model; a model leaves it out of copies and pickles."""

    __slots__ = ("forks", "inside", "mutex")

    def __init__(self) -> None:
        self.mutex = RLock()
        self.inside = False  # a step is running in the thread that holds the mutex
        self.forks = _FORKS.count  # of the process in which the lock is valid


def without_lock(state: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a model to copy or pickle: the copy has a separate lock."""
    return {name: value for name, value in state.items() if name != "_lock"}


def lock_of(model: Any) -> StepLock:
    """Return the lock of a model. It is made when first needed, by an operation that is atomic."""
    attributes = vars(model)
    found: StepLock = attributes.get("_lock") or attributes.setdefault("_lock", StepLock())
    return found if found.forks == _FORKS.count else _after_fork(attributes)


def _after_fork(attributes: dict[str, Any]) -> StepLock:
    """Return the lock of a model in a forked process: a new one if another thread held it at the fork."""
    with _FORKS.guard:
        found: StepLock = attributes["_lock"]
        if found.forks == _FORKS.count:
            return found
        if found.mutex.acquire(blocking=False):  # it is free, or held by this thread
            found.mutex.release()
            found.forks = _FORKS.count
        else:
            found = attributes["_lock"] = StepLock()
        return found


def run_step(model: Any, step: Callable[..., Result], *arguments: Any) -> Result:
    """Run a step of a model after those of other threads.

    A step within a step of the same thread would be lost when the outer one ends, so it is refused.
    """
    lock = lock_of(model)
    with lock.mutex:  # its __enter__ and __exit__ are C code, which no signal interrupts
        if lock.inside:
            raise RuntimeError(
                f"this {type(model).__name__} is already in a step of this thread, from which a signal "
                "handler or a clusterer called it again: end the step first"
            )
        lock.inside = True
        try:
            return step(*arguments)
        finally:
            lock.inside = False
