"""Reduction of many results in a tree, so that neither a worker nor the driver receives all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from distributed import Client, Future

FAN_IN = 8  # results that one task merges


def reduce_tree(client: Client, merge: Callable[[Sequence[Any]], Any], parts: Sequence[Future]) -> Future:
    """Merge futures by tasks of at most FAN_IN inputs and return the future of the result."""
    while len(parts) > 1:
        groups = [list(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
        parts = client.map(merge, groups, pure=False)  # one message to the scheduler per level
    return parts[0]
