"""Run each test of this folder in a process of its own.

The attacks fork. A fork of a process in which other tests have started threads (pyarrow, video decoders) can
wait forever for a lock that one of those threads held. So each test runs in a fork of a process that has only
loaded the modules: loading them takes longer than most of these tests.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_OWN_PROCESS = "DYNMEANS_ATTACK_PROCESS"  # set in the process of a single test
_ROOT = Path(__file__).parents[2]
_SECONDS = 570
_MODULES = "pytest, attack.campaigns, attack.reading, dynmeans.cli.app, dynmeans.runs"


class _Loaded:
    """A process that has loaded the modules and forks a process for each test."""

    def __init__(self) -> None:
        environment = {**os.environ, _OWN_PROCESS: "1", "PYTHONPATH": str(_ROOT / "tests")}
        for name in [name for name in environment if name.startswith(("PYTEST_XDIST", "PYTEST_CURRENT"))]:
            del environment[name]
        program = f"import {_MODULES}\nfrom attack.conftest import serve\nserve()"
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        command = [sys.executable, "-c", program]
        self._process = subprocess.Popen(command, cwd=_ROOT, env=environment, text=True, **pipes)

    def run(self, test: str, log: Path) -> int:
        """Run a test and return the status of pytest; the log has its output."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: PT018
        self._process.stdin.write(json.dumps([test, str(log)]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def serve() -> None:
    """Run the tests that are named on standard input, each in a fork."""
    for line in sys.stdin:
        test, log = json.loads(line)
        child = os.fork()
        if not child:
            _run(test, log)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(test: str, log: str) -> None:
    """Run one test in this process and end it; a test that hangs is ended by the alarm."""
    os.setsid()
    signal.alarm(_SECONDS)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1), os.dup2(output, 2)
    status = pytest.main(["-q", "-p", "no:cacheprovider", test])
    sys.stdout.flush()
    os._exit(status)


@pytest.fixture(scope="session")
def loaded() -> Iterator[_Loaded | None]:
    """Start the process when the first test needs it."""
    if os.environ.get(_OWN_PROCESS):
        yield None
        return
    process = _Loaded()
    yield process
    process.close()


@pytest.fixture(autouse=True)
def _with_loaded(loaded: _Loaded | None) -> None:
    """Make the process available to `pytest_pyfunc_call`."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test in a fork of the loaded process, unless this is it."""
    process = pyfuncitem.funcargs["loaded"]
    if process is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        if process.run(pyfuncitem.nodeid, log):
            pytest.fail(log.read_text(errors="replace") if log.exists() else "no output", pytrace=False)
    return True
