"""Rounds of a descent: one task per chunk for all restarts, and a tree that merges their replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dask.sizeof import sizeof
from distributed import Future

from dynmeans.distributed import tasks
from dynmeans.distributed.chunks import Chunks
from dynmeans.distributed.messages import Command, Reply, StepSetup, merge_replies
from dynmeans.distributed.tree import reduce_tree

SHORT = 1 << 15  # bytes; a task of its own takes about as long as to send so much with each task


class Rounds:
    """Runs commands over all chunks; labels and bounds stay on the workers as futures."""

    def __init__(self, chunks: Chunks, setup: StepSetup) -> None:
        self.chunks = chunks
        self.n_rounds = 0
        self.outcomes: list[Future | None] = [None] * len(chunks.futures)
        self._setup = self._broadcast(setup)

    def __call__(self, commands: list[Command | None]) -> Sequence[Reply | None]:
        """Send one command per restart to all chunks, and return the merged replies."""
        client = self.chunks.client
        outcomes = client.map(
            tasks.run_round,
            self.chunks.futures,
            self.outcomes,
            self.chunks.firsts,
            setup=self._setup,
            commands=self._message(list(commands)),
            pure=False,
        )
        replies = client.map(tasks.reply_of, outcomes, pure=False)
        merged: Sequence[Reply | None] = reduce_tree(client, merge_replies, replies).result()
        self.outcomes = outcomes
        self.n_rounds += 1
        return merged

    def _message(self, commands: list[Command | None]) -> Any:
        """Return commands as they are sent: with every task if they are short, else once."""
        return commands if sizeof(commands) < SHORT else self._broadcast(commands)

    def _broadcast(self, message: Any) -> Future:
        """Return a message as the result of a task: workers fetch it from each other."""
        return self.chunks.client.submit(tasks.same, message, pure=False)
