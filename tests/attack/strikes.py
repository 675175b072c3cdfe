"""Kills, power cuts, two processes at once: a run that is repeated gives the undisturbed result."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from attack.cases import CASES, CUT, KILL, NEVER, QUICK, Arena, arena, differences, random_strike, results
from attack.outcome import FAILED, OK, Outcome
from attack.server import AFTER, log_of

AGAIN = 0.7  # probability that a run is struck once more
PROCESSES = 8  # one of this many runs is a separate process, which may be killed while it starts
HANG = 120.0  # seconds


def kills(count: int, seed: int) -> Iterator[Outcome]:
    """Kill at random times and before random write operations, then run the same command again."""
    rng, done, lives = random.Random(seed), 0, 0
    with arena() as workspace:
        while done < count:
            lives += 1
            name = _choose(rng, count)
            folder = workspace.fresh(name)
            struck = [_kill_process] if lives % PROCESSES == 2 else [_kill_forked, _kill_at_event]
            moments: list[str] = []
            while len(moments) < count - done and (not moments or rng.random() < AGAIN):
                moment = rng.choice(struck)(workspace, name, folder, rng)
                if not moment:
                    break
                moments.append(moment)
            yield from _outcomes(workspace, name, folder, moments)
            done += len(moments)


def power_cuts(count: int, seed: int) -> Iterator[Outcome]:
    """Cut the power before random write operations and after the last, then run the same command again."""
    rng, done = random.Random(seed), 0
    with arena() as workspace:
        while done < count:
            name = _choose(rng, count)
            folder = workspace.fresh(name)
            moments: list[str] = []
            while len(moments) < count - done and (not moments or rng.random() < AGAIN):
                moments.append(_cut(workspace, name, folder, rng))
                if "FAILED" in moments[-1]:
                    break
            yield from _outcomes(workspace, name, folder, moments)
            done += len(moments)


def two_at_once(count: int, seed: int) -> Iterator[Outcome]:
    """Two processes with one command: one result, and one line for the process that is refused."""
    rng = random.Random(seed)
    with arena() as workspace:
        for _ in range(count):
            name = rng.choice(QUICK)
            folder, other = workspace.fresh(name), workspace.root / "other"
            workspace.whole(name)
            if (folder / "state").exists():  # of an earlier day: both continue its model
                shutil.copy(folder / "state", folder / "state2")
            first = workspace.server.start(CASES[name].line, folder, rng.choice([0.0, NEVER]))
            time.sleep(rng.choice([0.0, rng.random() * 0.2]))
            line = _second_process(CASES[name].line, rng)
            process = _start_elsewhere(workspace, line, folder, other)
            codes = workspace.server.wait(first), workspace.server.wait(process)
            wrong = _judge(workspace, name, folder, codes, other)
            yield Outcome(FAILED if wrong else OK, f"{name}, {codes}, two at once: {wrong}")
            workspace.drop(folder)


def _choose(rng: random.Random, count: int) -> str:
    """A quarter of the attempts use a plain run; the test suite uses quick cases only."""
    names = [*CASES, *QUICK, *QUICK] if count >= 100 else QUICK
    return "csv" if rng.random() < 0.25 else rng.choice(names)


def _outcomes(workspace: Arena, name: str, folder: Path, moments: list[str]) -> Iterator[Outcome]:
    """One outcome per strike of a run; the run is brought to its end and compared first."""
    failed = next((moment for moment in moments if "FAILED" in moment), "")
    wrong = failed or workspace.check(name, folder)
    what = f"{name}: {', then '.join(moments)}"
    yield from [Outcome(FAILED if wrong else OK, f"{what}: {wrong}")] * len(moments)
    workspace.drop(folder)


def _kill_forked(workspace: Arena, name: str, folder: Path, rng: random.Random) -> str:
    """Kill after a time, counted from the beginning of the command."""
    process = workspace.server.start(CASES[name].line, folder, rng.choice([0.0, 0.05, NEVER]))
    delay = rng.expovariate(6.0)
    time.sleep(delay)
    with suppress(ProcessLookupError):  # a zombie until its parent waits for it
        os.kill(process, signal.SIGKILL)
    return _struck(workspace.server.wait(process), folder, f"killed after {delay:.3f} s")


def _kill_at_event(workspace: Arena, name: str, folder: Path, rng: random.Random) -> str:
    pause = rng.choice([0.0, NEVER])
    strike = random_strike(rng, KILL, workspace.whole(name).events * (4 if not pause else 1))
    code = workspace.run(name, folder, pause, strike)
    return _struck(code, folder, f"killed before act {strike.event}, pause {pause:g}")


def _kill_process(workspace: Arena, name: str, folder: Path, rng: random.Random) -> str:
    """Kill a separate process at any time from its start on."""
    with folder.with_suffix(".log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "dynmeans", *CASES[name].line], cwd=folder, stdout=log, stderr=log
        )
        delay = rng.uniform(0.0, 2.0)
        with suppress(subprocess.TimeoutExpired):
            process.wait(delay)
        process.kill()
        code = process.wait(HANG)
    return _struck(code, folder, f"killed {delay:.3f} s after its start")


def _struck(code: int, folder: Path, what: str) -> str:
    """Description of a strike; empty if the run had ended before, FAILED if it ended otherwise."""
    if code == -signal.SIGKILL:
        return what
    return "" if code == 0 else f"{what}: FAILED with status {code}: {log_of(folder)}"


def _cut(workspace: Arena, name: str, folder: Path, rng: random.Random) -> str:
    """Cut the power and put the folder in the state that the disk may have; a finished run must be whole."""
    pause = rng.choice([0.0, NEVER])
    strike = random_strike(rng, CUT, workspace.whole(name).events * (4 if not pause else 1))
    code = workspace.run(name, folder, pause, strike)
    what = f"power cut before act {strike.event}, pause {pause:g}, seed {strike.seed}"
    if code not in (0, -signal.SIGKILL):
        return f"{what}: FAILED with status {code}: {log_of(folder)}"
    workspace.drop(folder)
    folder.with_suffix(AFTER).rename(folder)
    found, whole = results(folder, name, hidden=False), workspace.whole(name).files
    if code == 0 and found != whole:
        return f"{what}: FAILED, status 0 but the result is not on the disk: {differences(found, whole)}"
    return what


def _second_process(line: list[str], rng: random.Random) -> list[str]:
    """The same command, or one with another state file."""
    return [word if word != "state" or rng.random() < 0.5 else "state2" for word in line]


def _start_elsewhere(workspace: Arena, line: list[str], folder: Path, other: Path) -> int:
    """Start a second process in the same folder, with a log of its own."""
    other.unlink(missing_ok=True)
    other.symlink_to(folder)
    return workspace.server.start(line, other, NEVER)


def _judge(workspace: Arena, name: str, folder: Path, codes: tuple[int, int], other: Path) -> str:
    logs = log_of(folder), log_of(other)
    if 0 not in codes:
        return f"neither ended well: {codes}: {logs}"
    for code, log in zip(codes, logs, strict=True):
        refused = code == 2 and log.count("\n") == 1 and ("in use by another" in log or "--force" in log)
        if code and not refused:
            return f"status {code}: {log}"
    if results(folder, name) != workspace.whole(name).files:
        return "the result differs"
    return ""
