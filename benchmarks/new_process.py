"""Memory measurement in a new process, without remains of earlier benchmarks.

``python -m benchmarks.new_process MODULE FUNCTION ARGUMENTS`` calls a function with JSON arguments and prints
its result.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]


def call(module: str, function: str, **arguments: Any) -> Any:
    """Call a function in a new process; arguments and result are JSON values."""
    command = [sys.executable, "-m", "benchmarks.new_process", module, function, json.dumps(arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{module}.{function} failed in a new process:\n{done.stderr}")
    return json.loads(done.stdout)


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    return int(psutil.Process().memory_info().rss)


def peak_growth(job: Callable[[], object]) -> int:
    """Measure the peak growth of resident memory during a job, in bytes."""
    _trim()
    before = resident()
    _reset_peak()
    job()
    return max(0, _peak() - before)


def _trim() -> None:
    """Return free memory to the system if the C library can, so that a job cannot reuse it."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _reset_peak() -> None:
    """Reset the high-water mark on Linux; elsewhere it covers the whole process."""
    switch = Path("/proc/self/clear_refs")
    if switch.exists():
        switch.write_text("5")


def _peak() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return 1024 * int(line.split()[1])
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    name, function_name, text = sys.argv[1:]
    print(json.dumps(getattr(importlib.import_module(name), function_name)(**json.loads(text))))
