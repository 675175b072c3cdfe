"""Validation of single parameters."""

from __future__ import annotations

import numbers
import reprlib
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

LARGEST_SEED = 2**64 - 1  # the core counts in unsigned 64-bit integers
LARGEST_COUNT = 2**31 - 1  # the core counts in 32-bit integers
MAX_RESTARTS = 1_000_000  # a step keeps the cost of every restart in memory
MAX_THREADS = 4096  # more than a machine has


def valid_choice(name: str, value: Any, choices: tuple[str, ...], where: str = "") -> str:
    """Return one of the choices."""
    if not isinstance(value, str) or value not in choices:
        rule = " ".join(filter(None, [f"{name} must be one of {list(choices)}", where]))
        raise ValueError(f"{rule}, got {shown(value)}")
    return value


def valid_count(name: str, value: Any, minimum: int, maximum: int = LARGEST_COUNT) -> int:
    """Return a whole number from ``minimum`` to ``maximum``."""
    # The usual case: the general test takes ten times as long.
    if type(value) is int and minimum <= value <= maximum:
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < minimum:
        raise ValueError(f"{name} must be a whole number >= {minimum}, got {shown(value)}")
    if int(value) > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {shown(value)}")
    return int(value)


def valid_flag(name: str, value: Any, *others: Any) -> None:
    """Raise if a value is neither True nor False nor one of the others."""
    if value is True or value is False or isinstance(value, np.bool_):
        return
    if not (value is None or isinstance(value, str)) or value not in others:
        rule = f"True, False or {others[-1]!r}" if others else "True or False"
        raise ValueError(f"{name} must be {rule}, got {shown(value)}")


def valid_number(name: str, value: Any) -> float | None:
    """Return a number, or None if it was not given; the model validates its range."""
    if value is None or type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"{name} must be a number, got {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be a finite number, got {shown(value)}") from None


def valid_birth_cost(value: Any) -> float:
    """Return a birth cost that is not estimated; the model validates its range."""
    if value is None or isinstance(value, str):
        raise ValueError(f"birth_cost must be a number or 'auto', got {shown(value)}")
    number = valid_number("birth_cost", value)
    assert number is not None
    return number


def valid_threads(n_jobs: Any) -> int:
    """Return the number of threads, 0 for as many as the size of the batch justifies."""
    return 0 if n_jobs is None or n_jobs == -1 else valid_count("n_jobs", n_jobs, 1, MAX_THREADS)


def draw_seed(random_state: Any) -> int:
    """Return the seed of the whole run; after that, randomness depends on it and the step number."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        if random_state > LARGEST_SEED:
            raise ValueError(f"random_state must be below 2**64, got {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))


def shown(value: Any) -> str:
    """Return a value as one short line."""
    return reprlib.repr(value).replace("\n", " ")
