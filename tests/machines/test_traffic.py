"""The tasks of a step: one per chunk and pass for all restarts, merged in a tree; rows do not travel."""

from collections import Counter
from contextlib import contextmanager

import dask.array as da
import numpy as np
import pytest
from distributed.diagnostics.plugin import SchedulerPlugin

from dynmeans.distributed import DMeans
from dynmeans.distributed import _rounds as rounds
from dynmeans.distributed import _sending as sending
from dynmeans.distributed._tree import FAN_IN

N_CHUNKS = 10
N = 2_000 * N_CHUNKS


class TaskCounter(SchedulerPlugin):
    """Counts tasks by the function that they call."""

    name = "task-counter"

    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.tasks, self.inputs, self.graphs = {}, Counter(), 0
        self.impure = []

    def update_graph(self, *arguments, **options):
        self.graphs += 1

    def transition(self, key, start, finish, *arguments, **options):
        if finish != "memory":
            return
        task = self.scheduler.tasks[key]
        self.tasks[key] = task.prefix.name
        self.inputs[task.prefix.name] = max(self.inputs[task.prefix.name], len(task.dependencies))
        if task.actor or task.run_spec is None:  # scattered data has nothing to run
            self.impure.append(key)


@contextmanager
def counted_tasks(cluster):
    counter = TaskCounter(cluster.scheduler)
    cluster.scheduler.add_plugin(counter)
    try:
        yield counter
    finally:
        cluster.scheduler.remove_plugin(counter.name)


def moved_tasks(client):
    """Return the names of the tasks whose results have moved between workers, with their bytes."""

    def incoming(dask_worker):
        return [item for each in dask_worker.transfer_incoming_log for item in each["keys"].items()]

    moved = Counter()
    for items in client.run(incoming).values():
        for key, size in items:
            moved[str(key).split("-")[0]] += size
    return moved


@pytest.fixture
def no_stealing(cluster):
    """Without work stealing, by which Dask moves chunks to idle workers."""
    balance = cluster.scheduler.periodic_callbacks["stealing"]
    cluster.loop.add_callback(balance.stop)
    yield
    cluster.loop.add_callback(balance.start)


@pytest.fixture
def fitted():
    """Return a model after its first step, and the rows of the next one."""
    random = np.random.default_rng(0)
    centers = 5 * random.normal(size=(30, 3))

    def rows():
        return centers[random.integers(0, 30, N)] + 0.1 * random.normal(size=(N, 3))

    model = DMeans(3.0, n_restarts=3, random_state=0)
    return model, [da.from_array(rows(), chunks=(N // N_CHUNKS, -1)) for _ in range(2)]


def test_tasks_of_a_step(client, cluster, fitted, monkeypatch):
    model, (first, second) = fitted
    calls, run = [], rounds.Rounds.__call__
    monkeypatch.setattr(
        rounds.Rounds, "__call__", lambda self, commands: calls.append(1) or run(self, commands)
    )
    model.partial_fit(first)
    calls.clear()
    with counted_tasks(cluster) as counted:
        model.partial_fit(second)
    n_rounds = len(calls)
    counts = Counter(counted.tasks.values())
    assert counted.impure == []
    assert counts["run_round"] == counts["reply_of"] == N_CHUNKS * n_rounds  # not times three restarts
    assert counts["merge_replies"] <= n_rounds * (N_CHUNKS // (FAN_IN - 1) + 2)
    assert 1 < counted.inputs["merge_replies"] <= FAN_IN
    others = sum(counts.values()) - counts["run_round"] - counts["reply_of"] - counts["merge_replies"]
    assert others <= 8.5 * N_CHUNKS  # the cost model of docs/distributed.md
    assert counted.graphs <= 6 * n_rounds + 12  # messages from the driver to the scheduler


@pytest.mark.parametrize("short", [0, 1 << 15])  # messages are results of tasks, or sent with every task
def test_only_centers_sums_and_proposals_travel(client, no_stealing, fitted, monkeypatch, short):
    monkeypatch.setattr(sending, "SHORT", short)
    model, (first, second) = fitted
    model.partial_fit(first)
    before = moved_tasks(client)
    model.partial_fit(second)
    moved = moved_tasks(client) - before
    assert moved["merge_replies"] + moved["reply_of"] > 0
    assert set(moved) <= {"merge_replies", "reply_of", "measure_terms", "merge_scales", "same"}
