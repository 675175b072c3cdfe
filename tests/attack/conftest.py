"""Run each test of this folder in a process of its own.

The attacks fork. A fork of a process in which other tests have started threads (pyarrow, video decoders) can
wait forever for a lock that one of those threads held.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_OWN_PROCESS = "DYNMEANS_ATTACK_PROCESS"  # set in the process of a single test
_ROOT = Path(__file__).parents[2]
_SECONDS = 570.0


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test in a new interpreter, unless this is it."""
    if os.environ.get(_OWN_PROCESS):
        return None
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", pyfuncitem.nodeid]
    environment = {**os.environ, _OWN_PROCESS: "1"}
    for name in [name for name in environment if name.startswith(("PYTEST_XDIST", "PYTEST_CURRENT"))]:
        del environment[name]
    done = subprocess.run(
        command, cwd=_ROOT, env=environment, capture_output=True, text=True, timeout=_SECONDS
    )
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    return True
