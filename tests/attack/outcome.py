"""Outcomes of attacks, and their limits."""

from __future__ import annotations

import math
import resource
from typing import NamedTuple

OK, REFUSED, FAILED = "ok", "one-line error", "FAILED"
SECONDS = 10.0  # a longer attack counts as a hang
WAIT = 12  # factor by which a busy machine may take longer than the computation
MEGABYTES = 1024  # resident memory above that before the attack


class Outcome(NamedTuple):
    """Result of one attack."""

    kind: str  # OK, REFUSED or FAILED
    detail: str = ""  # description of the attack and its result, sufficient to repeat it


def limit_time(seconds: float) -> None:
    """End this process by a signal after this many more seconds of computation."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = usage.ru_utime + usage.ru_stime
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used + seconds), resource.RLIM_INFINITY))
