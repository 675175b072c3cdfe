"""Description of the machine and package versions of a measurement."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dynmeans._core import simd_level

PACKAGES = ("dynmeans", "numpy", "scipy", "scikit-learn")


@cache
def describe_machine(packages: tuple[str, ...] = PACKAGES) -> dict[str, Any]:
    """Processor, cores, system, and versions of Python and packages.

    Parameters
    ----------
    packages : tuple of str
        Installed packages whose versions are reported.

    Returns
    -------
    dict
        JSON values.

    Examples
    --------
    >>> sorted(describe_machine())
    ['machine', 'versions']
    """
    machine = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "lanes": simd_level(),
    }
    versions = {"python": platform.python_version(), **{name: version(name) for name in packages}}
    return {"machine": machine, "versions": versions}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
