"""Run one attack in a limited process and classify its outcome."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

OK, REFUSED, FAILED = "ok", "one-line error", "FAILED"
SECONDS = 10.0  # longer is a hang
MEGABYTES = 1024  # address space above that of the idle process and the size of the input


class Outcome(NamedTuple):
    """Result of one attack."""

    kind: str  # OK, REFUSED or FAILED
    detail: str = ""  # what was attacked and what happened; enough to repeat it


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
    seconds, megabytes : limits of time and of additional address space.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        gc.freeze()  # as in `workers`
        os.close(reader)
        os.write(writer, _attempt(action, refusals, megabytes).encode(errors="replace")[:4000])
        os._exit(0)
    os.close(writer)
    expired = threading.Event()
    timer = threading.Timer(seconds, lambda: (expired.set(), os.kill(child, 9)))
    timer.start()
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    timer.cancel()
    if expired.is_set():
        return Outcome(FAILED, f"{what}: no answer in {seconds:g} s")
    if status:
        return Outcome(FAILED, f"{what}: ended by signal {status & 127} or with status {status >> 8}")
    kind, _, detail = answer.partition("\n")
    return Outcome(kind, f"{what}: {detail}")


def run_command(
    arguments: Sequence[str | Path],
    what: str,
    *,
    folder: Path,
    seconds: float = SECONDS,
    megabytes: int = MEGABYTES,
) -> Outcome:
    """Run `dynmeans ARGUMENTS`: status 0 is OK, status 2 with one line on stderr REFUSED, all else FAILED."""
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dynmeans", *map(str, arguments)],
            cwd=folder,
            capture_output=True,
            timeout=seconds,
            preexec_fn=lambda: _limit_memory(megabytes + 2048),
        )
    except subprocess.TimeoutExpired:
        return Outcome(FAILED, f"{what}: no answer in {time.monotonic() - begin:.0f} s")
    message = done.stderr.decode(errors="replace").strip()
    if done.returncode == 0:
        return Outcome(OK, what)
    if done.returncode == 2 and message and "\n" not in message:
        return Outcome(REFUSED, f"{what}: {message}")
    return Outcome(FAILED, f"{what}: status {done.returncode}: {message[-1000:]}")


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
