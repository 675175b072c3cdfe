"""Restarts of D-Means over chunks: the serial part, which runs where `partial_fit` is called.

Each restart is a generator that yields a command for all chunks and is sent their merged reply. All restarts
run in step, so that one task per chunk serves them all.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from dynmeans._core import DescentDriver
from dynmeans._model.types import FloatArray
from dynmeans.distributed._messages import (
    NOTHING_MOVED,
    NOTHING_VALIDATED,
    Command,
    Epoch,
    FinalCost,
    MovedRows,
    Pass,
    Reply,
    Slots,
    SlotTable,
    StepSetup,
    Sums,
    Validated,
    in_order,
)

FIRST_EPOCH = 4096  # rows of the first epoch; most of them may be proposals
GROWTH = 16  # maximum ratio of the sizes of two epochs
PROPOSALS = 100_000  # approximate number of proposals per epoch


class RestartResult(NamedTuple):
    """Clusters at the end of one restart."""

    numbers: Slots  # (slots,) slot of the result: remembered, then newborn; -1 for empty slots
    centers: FloatArray  # (L, d)
    slot_weights: FloatArray  # (L,)
    cost: float
    n_iter: int


Restart: TypeAlias = Generator[Command, Reply, RestartResult]
RunRound: TypeAlias = Callable[[list[Command | None]], Sequence[Reply | None]]


def run_restarts(
    setup: StepSetup, n_restarts: int, max_iter: int, run_round: RunRound
) -> list[RestartResult]:
    """Run all restarts. ``run_round`` sends one command per restart to all chunks and merges the replies."""
    restarts = [_restart(setup, r, max_iter) for r in range(n_restarts)]
    commands: list[Command | None] = [next(restart) for restart in restarts]
    results: dict[int, RestartResult] = {}
    while len(results) < n_restarts:
        for r, reply in enumerate(run_round(commands)):
            if reply is None:
                continue
            try:
                commands[r] = restarts[r].send(reply)
            except StopIteration as end:
                commands[r], results[r] = None, end.value
    return [results[r] for r in range(n_restarts)]


def _restart(setup: StepSetup, restart: int, max_iter: int) -> Restart:
    driver = DescentDriver(
        **setup.scale.arguments(),
        n_total=setup.n_rows,
        centers=setup.centers,
        gammas=setup.gammas,
        revival=setup.revival,
        birth=setup.birth,
        seed=setup.seed,
        step=setup.step,
        restart=restart,
    )
    yield from _first_pass(driver, setup.n_rows)
    n_iter, moved = yield from _later_passes(driver, max_iter)
    reply = yield FinalCost(_table(driver), moved)
    assert reply.cost is not None
    numbers, centers, slot_weights, cost = driver.finish(reply.cost)
    return RestartResult(numbers, centers, slot_weights, cost, n_iter)


def _first_pass(driver: DescentDriver, n: int) -> Generator[Command, Reply, None]:
    """Assign every row once, in epochs (`src/core/dmeans/first_pass/first_pass.hpp`)."""
    validated_first, first, last = 0, 0, min(FIRST_EPOCH, n)
    validated = NOTHING_VALIDATED
    while first < n:
        reply = yield Epoch(_table(driver), validated_first, first, last, validated)
        assert reply.rows is not None
        sent = in_order(reply.rows)
        slots, activated, activated_at = driver.validate(
            visits=sent.rows, y=sent.y, weights=sent.weights, slots=sent.slots, costs=sent.costs
        )
        validated = Validated(activated, activated_at, sent.rows, slots)
        share = max(len(slots), 1) / (last - first)
        size = min(GROWTH * (last - first), max(FIRST_EPOCH, int(PROPOSALS / share)))
        validated_first, first, last = first, last, min(last + size, n)
    reply = yield Epoch(_table(driver), validated_first, n, n, validated)
    assert reply.sums is not None
    _update(driver, reply.sums)


def _later_passes(driver: DescentDriver, max_iter: int) -> Generator[Command, Reply, tuple[int, MovedRows]]:
    """Repeat passes until no row moves; return their number and the rows that the driver reassigned last."""
    moved = NOTHING_MOVED
    before, trusted, n_iter, is_moving = np.empty((0, 0)), False, 1, True
    while is_moving and n_iter < max_iter:
        table = _table(driver)
        old_centers = np.zeros_like(table.centers)
        if trusted:
            old_centers[: len(before)] = before
        reply = yield Pass(table, old_centers, trusted, moved)
        assert reply.rows is not None
        assert reply.sums is not None
        is_moving = len(reply.sums.slots) > 0
        if is_moving:
            _update(driver, reply.sums)
        n_activations = driver.n_activations()
        sent = in_order(reply.rows)
        rows, slots = driver.reassign(rows=sent.rows, y=sent.y, weights=sent.weights, slots=sent.slots)
        moved = MovedRows(rows, slots)
        before, trusted = table.centers, n_activations == driver.n_activations()
        is_moving |= len(moved.rows) > 0
        n_iter += 1
    return n_iter, moved


def _table(driver: DescentDriver) -> SlotTable:
    active, centers = driver.slots()
    return SlotTable(active, centers)


def _update(driver: DescentDriver, sums: Sums) -> None:
    driver.update(touched=sums.slots, sums=sums.rows, weights=sums.weights, rows=sums.counts)
