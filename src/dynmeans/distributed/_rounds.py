"""Rounds of a descent: one task per chunk for all restarts, and a tree that merges their replies."""

from __future__ import annotations

from collections.abc import Sequence

from distributed import Future

from dynmeans.distributed import _tasks as tasks
from dynmeans.distributed._chunks import Chunks
from dynmeans.distributed._messages import Command, Reply, StepSetup, merge_replies
from dynmeans.distributed._sending import send
from dynmeans.distributed._tree import reduce_tree


class Rounds:
    """Runs commands over all chunks; labels and bounds stay on the workers as futures."""

    def __init__(self, chunks: Chunks, setup: StepSetup) -> None:
        self.chunks = chunks
        self.n_rounds = 0
        self.outcomes: list[Future | None] = [None] * len(chunks.futures)
        self._setup = send(chunks.client, setup)

    def __call__(self, commands: list[Command | None]) -> Sequence[Reply | None]:
        """Send one command per restart to all chunks, and return the merged replies."""
        client, message = self.chunks.client, send(self.chunks.client, commands)
        outcomes: list[Future | None] = [None] * len(self.outcomes)
        for worker, members in self._residents().items():
            found = client.map(
                tasks.run_round,
                [self.chunks.futures[c] for c in members],
                [self.outcomes[c] for c in members],
                [self.chunks.firsts[c] for c in members],
                setup=self._setup,
                commands=message,
                pure=False,
                workers=worker,
                allow_other_workers=worker is not None,
            )
            for c, outcome in zip(members, found, strict=True):
                outcomes[c] = outcome
        replies = client.map(tasks.reply_of, outcomes, pure=False)
        merged: Sequence[Reply | None] = reduce_tree(client, merge_replies, replies).result()
        self.outcomes = outcomes
        self.n_rounds += 1
        return merged

    def _residents(self) -> dict[str | None, list[int]]:
        """Return the chunks of each worker, None for lost ones.

        A task also needs the message. Without a preference Dask would run it where the message is, and move
        the chunk there.
        """
        latest = [
            chunk if outcome is None else outcome
            for chunk, outcome in zip(self.chunks.futures, self.outcomes, strict=True)
        ]
        holders = self.chunks.client.who_has(latest)
        found: dict[str | None, list[int]] = {}
        for c, future in enumerate(latest):
            found.setdefault(next(iter(holders[future.key]), None), []).append(c)
        return found
