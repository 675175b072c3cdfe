"""Patterns of file names."""

from __future__ import annotations

import glob
from pathlib import Path

from dynmeans._files.errors import InputError


def expand_pattern(name: str) -> list[str]:
    """Return the files that a pattern such as ``data/*.csv`` matches, sorted, or the name itself.

    Raises
    ------
    InputError
        If no file matches.
    """
    if not glob.has_magic(name) or Path(name).exists():
        return [name]
    found = sorted(glob.glob(name))  # noqa: PTH207
    if not found:
        raise InputError(f"{name}: no file matches")
    return found
