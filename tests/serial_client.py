"""A stand-in for a Dask client that runs each task at once in this process."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
from dask.sizeof import sizeof

from dynmeans._algorithms.batch import SearchOptions
from dynmeans._core import descend
from dynmeans.distributed import _tasks as tasks
from dynmeans.distributed._batch import RemoteRows
from dynmeans.distributed._chunks import Chunks
from dynmeans.distributed._step import cluster


class Done:
    """A future whose result is known."""

    key = "done"

    def __init__(self, value):
        self.value = value

    def result(self):
        return self.value


def _value(argument):
    if isinstance(argument, Done):
        return argument.value
    return [_value(each) for each in argument] if type(argument) is list else argument


class SerialClient:
    def submit(self, function, *arguments, pure, **options):
        options = {name: _value(value) for name, value in options.items()}
        return Done(function(*map(_value, arguments), **options))

    def map(self, function, *columns, pure, workers=None, allow_other_workers=False, **options):
        assert all(sizeof(value) < 1e5 for value in options.values() if not isinstance(value, Done))
        return [self.submit(function, *row, pure=pure, **options) for row in zip(*columns, strict=True)]

    def who_has(self, futures):
        return {future.key: ["here"] for future in futures}

    def gather(self, futures):
        return [future.result() for future in futures]


def chunks_of(rows, weights, cuts):
    """Cut a batch into chunks."""
    edges = [0, *sorted(cuts), len(rows)]
    parts = [
        tasks.RowChunk(rows[a:b], None if weights is None else weights[a:b])
        for a, b in itertools.pairwise(edges)
    ]
    return Chunks(SerialClient(), [Done(part) for part in parts], rows.dtype, rows.shape[1])


def cluster_in_chunks(rows, weights, prior, cuts, **options):
    """Run the distributed step on chunks: (fit, slots of all rows)."""
    centers, gammas, revival = prior
    prior = SimpleNamespace(centers=centers, gammas=gammas, revival=revival)
    costs, search = SimpleNamespace(birth=options.pop("birth")), SearchOptions(**options, n_threads=1)
    found = cluster(RemoteRows(chunks_of(rows, weights, cuts)), prior, costs, search, 3)
    slots = np.concatenate([future.result() for future in found.slots])
    return found.fit, found.numbers[slots]


def check_equal(rows, weights, prior, cuts, *, seed, birth=0.5, n_restarts=2, max_iter=100):
    """Check that a batch in chunks gives the bits of the local descent."""
    centers, gammas, revival = prior
    options = {"birth": birth, "seed": seed, "n_restarts": n_restarts, "max_iter": max_iter}
    known = {"centers": centers, "gammas": gammas, "revival": revival}
    slots, centers, slot_weights, cost, n_iter, costs = descend(
        X=rows, weights=weights, **known, **options, step=3, n_threads=1
    )
    fit, found = cluster_in_chunks(rows, weights, prior, cuts, **options)
    assert found.tolist() == slots.tolist()
    assert fit.centers.tobytes() == centers.tobytes()
    assert fit.slot_weights.tobytes() == slot_weights.tobytes()
    assert (fit.cost, fit.n_iter, fit.restart_costs.tolist()) == (cost, n_iter, costs.tolist())
