"""Many attacks in one limited process, which is replaced when an attack ends it."""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from attack.outcome import FAILED, MEGABYTES, OK, REFUSED, SECONDS, WAIT, Outcome, limit_time

_PER_PROCESS = 250
_VIRTUAL = 3  # address space over the limit of resident memory: reserved memory need not be used
_SHOWN = 1500  # characters of a message


class Attack(NamedTuple):
    """A numbered series of attacks."""

    run: Callable[[int], int]  # number -> status of a command: 0 or 2
    describe: Callable[[int], str]  # number -> description of the attack, so that it can be repeated
    count: int


def run_series(
    attack: Attack, *, first: int = 0, seconds: float = SECONDS, megabytes: int = MEGABYTES
) -> Iterator[Outcome]:
    """Run attacks `first` to `count` and yield the outcome of each.

    An attack acts as a command: status 0 is OK, status 2 with one line on standard error REFUSED, and
    everything else FAILED: an exception, a signal, more lines, too many seconds of computation, too many
    megabytes of resident memory. Lines that begin as warnings do not count.
    """
    number = first
    while number < attack.count:
        for outcome in _one_process(attack, number, seconds, megabytes):
            number += 1
            yield outcome


def status_of(action: Callable[[], object], refusals: tuple[type[Exception], ...]) -> int:
    """Call `action` and return the status of a command: 2 after a refusal, whose message is printed."""
    try:
        action()
    except refusals as error:
        os.write(2, f"{error}\n".encode(errors="replace"))
        return 2
    return 0


def _one_process(attack: Attack, first: int, seconds: float, megabytes: int) -> Iterator[Outcome]:
    """Outcomes up to the first that ends the process."""
    last = min(first + _PER_PROCESS, attack.count)
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12 on, where other threads run
        child = os.fork()
    if not child:
        gc.freeze()  # an inherited decoder, collected here, would wait for threads that only the parent has
        os.close(reader)
        _serve(attack, range(first, last), writer, seconds, megabytes)
    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        for number in range(first, last):
            answer = _answer(pipe, WAIT * seconds)
            if answer is None or not answer:
                os.kill(child, 9)
                _, status = os.waitpid(child, 0)
                ended = f"ended by signal {status & 127} or with status {status >> 8}"
                ended = "no answer" if answer is None else ended
                yield Outcome(FAILED, f"{attack.describe(number)}: {ended}")
                return
            kind, detail = json.loads(answer)
            yield Outcome(kind, f"{attack.describe(number)}: {detail}")
    os.waitpid(child, 0)


def _answer(pipe: object, seconds: float) -> bytes | None:
    """One line of a pipe; nothing at its end, and None if it does not come in time."""
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([pipe], [], [], seconds)[0]:
            return None
        byte = pipe.read(1)  # type: ignore[attr-defined]
        if not byte:
            return b""
        line += byte
    return line


def _serve(attack: Attack, numbers: range, writer: int, seconds: float, megabytes: int) -> None:
    """Attack and report until the process ends; never returns."""
    limit = _status("VmSize") * 1024 + _VIRTUAL * megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    errors = os.memfd_create("stderr")
    os.dup2(errors, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for number in numbers:
        limit_time(seconds)
        answer = json.dumps(_attempt(attack, number, errors, megabytes))
        os.write(writer, answer.encode("ascii", "replace") + b"\n")
    os._exit(0)


def _attempt(attack: Attack, number: int, errors: int, megabytes: int) -> tuple[str, str]:
    os.ftruncate(errors, 0)
    os.lseek(errors, 0, os.SEEK_SET)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = _status("VmRSS")
    try:
        status = attack.run(number)
    except BaseException as error:
        return FAILED, f"{type(error).__name__}: {error}"[:_SHOWN]
    used = (_status("VmHWM") - before) // 1024
    if used > megabytes:
        return FAILED, f"took {used} MB"
    text = os.pread(errors, 10**6, 0).decode(errors="replace")
    lines = [line for line in text.splitlines() if not line.startswith("dynmeans: warning: ")]
    if status == 0 and not lines:
        return OK, ""
    if status == 2 and len(lines) == 1:
        return REFUSED, lines[0][:_SHOWN]
    return FAILED, f"status {status}: {text[-_SHOWN:]}"


def _status(key: str) -> int:
    """A figure of the process in KB."""
    text = Path("/proc/self/status").read_text()
    return int(text.split(f"{key}:", 1)[1].split(None, 1)[0])
