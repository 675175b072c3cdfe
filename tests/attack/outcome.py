"""Run one attack in a limited process and classify its outcome."""

from __future__ import annotations

import gc
import math
import os
import resource
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

OK, REFUSED, FAILED = "ok", "one-line error", "FAILED"
SECONDS = 10.0  # a longer attack counts as a hang
WAIT = 12  # a busy machine may take so many times as long as the computation
MEGABYTES = 1024  # address space above that of the idle process and the size of the input


class Outcome(NamedTuple):
    """Result of one attack."""

    kind: str  # OK, REFUSED or FAILED
    detail: str = ""  # description of the attack and its result, sufficient to repeat it


def run_forked(
    action: Callable[[], object],
    refusals: tuple[type[Exception], ...],
    what: str,
    *,
    seconds: float = SECONDS,
    megabytes: int = MEGABYTES,
) -> Outcome:
    """Call `action` in a forked process: returning is OK, a one-line refusal is REFUSED, all else FAILED.

    Parameters
    ----------
    action : callable
        The attack. It inherits everything that the parent has imported.
    refusals : tuple of exception types
        Exceptions that count as a refusal if their message is one line.
    what : str
        Description that allows the attack to be repeated.
    seconds, megabytes : limits of computation and of additional address space.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        gc.freeze()  # as in `workers`
        os.close(reader)
        limit_time(seconds)
        os.write(writer, _attempt(action, refusals, megabytes).encode(errors="replace")[:4000])
        os._exit(0)
    os.close(writer)
    expired = threading.Event()
    timer = threading.Timer(WAIT * seconds, lambda: (expired.set(), os.kill(child, 9)))
    timer.start()
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    timer.cancel()
    if expired.is_set():
        return Outcome(FAILED, f"{what}: no answer in {WAIT * seconds:g} s")
    if status:
        return Outcome(FAILED, f"{what}: ended by signal {status & 127} or with status {status >> 8}")
    kind, _, detail = answer.partition("\n")
    return Outcome(kind, f"{what}: {detail}")


def limit_time(seconds: float) -> None:
    """End this process by a signal after this many more seconds of computation."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = usage.ru_utime + usage.ru_stime
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used + seconds), resource.RLIM_INFINITY))


def _attempt(action: Callable[[], object], refusals: tuple[type[Exception], ...], megabytes: int) -> str:
    _limit_memory(megabytes)
    try:
        action()
    except refusals as error:
        lines = str(error).splitlines()
        return f"{REFUSED if len(lines) == 1 else FAILED}\n{type(error).__name__}: {error}"
    except BaseException as error:
        return f"{FAILED}\n{type(error).__name__}: {error}"
    return f"{OK}\n"


def _limit_memory(megabytes: int) -> None:
    """Limit the address space to what the process has now and `megabytes` more."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
