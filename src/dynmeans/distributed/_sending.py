"""Messages from the driver to many tasks."""

from __future__ import annotations

from typing import Any

from dask.sizeof import sizeof
from distributed import Client

SHORT = 1 << 15  # bytes; sending this much with each task takes about as long as one more task


def send(client: Client, message: Any) -> Any:
    """Return a message as an argument of tasks: itself if it is short, else a future.

    Workers fetch the result of a future from each other. `Client.map` must not get arguments of more than
    100 kB by name: it would give them the name as key, so that two calls could mix them up.
    """
    return message if sizeof(message) < SHORT else client.submit(same, message, pure=False)


def same(message: Any) -> Any:
    """Return a message, as the result of a task."""
    return message
