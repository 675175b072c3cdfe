"""Measuring memory: in a process of its own, where no earlier benchmark has left anything.

``python -m benchmarks.fresh MODULE FUNCTION ARGUMENTS`` calls a function with JSON and prints its result.
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
    """Result of a function in a fresh process; arguments and result are plain JSON."""
    command = [sys.executable, "-m", "benchmarks.fresh", module, function, json.dumps(arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{module}.{function} failed in a fresh process:\n{done.stderr}")
    return json.loads(done.stdout)


def resident() -> int:
    """Bytes of memory that this process holds now."""
    return int(psutil.Process().memory_info().rss)


def peak_growth(job: Callable[[], object]) -> int:
    """Bytes by which resident memory rose at most while a job ran."""
    _give_back()
    before = resident()
    _forget_peak()
    job()
    return max(0, _peak() - before)


def _give_back() -> None:
    """Return what is free to the system, where the C library can: a job must not live on old leftovers."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _forget_peak() -> None:
    """Linux can start the high-water mark afresh; elsewhere it is that of the whole process."""
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
