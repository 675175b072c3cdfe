"""Dask collections give the labels, ids, centers and state files of the local estimator, bit for bit."""

import os
import signal
import threading
import time
from contextlib import suppress

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import dynmeans
from dynmeans import distributed
from dynmeans.distributed import _all_rows as all_rows
from quick_workers import quick_workers

N = 6000


def stream(n_steps=2, n=N, d=3, dtype=np.float64, seed=0):
    random = np.random.default_rng(seed)
    centers = random.normal(size=(9, d)) * 3 + 50
    for t in range(n_steps):
        active = random.permutation(9)[: 7 if t % 2 else 9]
        centers = centers + 0.05 * random.normal(size=(9, d))
        yield (centers[random.choice(active, n)] + 0.1 * random.normal(size=(n, d))).astype(dtype)


def check_equal(local, remote):
    assert np.array_equal(local.labels_, remote.labels_.compute())
    assert np.array_equal(local.cluster_centers_, remote.cluster_centers_)
    assert local.step_._replace(labels=None, **_arrays()) == remote.step_._replace(labels=None, **_arrays())
    for name in ("active", "sizes", "born", "revived", "asleep", "died", "restart_costs"):
        assert np.array_equal(getattr(local.step_, name), getattr(remote.step_, name))
    assert local.to_bytes() == remote.to_bytes()


def _arrays():
    names = (
        "active",
        "sizes",
        "born",
        "revived",
        "asleep",
        "died",
        "restart_costs",
        "tentative",
        "confirmed",
    )
    return dict.fromkeys(names) | {"lower_bound": 0.0}


def run_both(batches, chunks, **parameters):
    local = dynmeans.DMeans(random_state=0, **parameters)
    remote = distributed.DMeans(random_state=0, **parameters)
    for X in batches:
        local.partial_fit(X)
        remote.partial_fit(da.from_array(X, chunks=(chunks, -1)))
        check_equal(local, remote)
    return local, remote


@pytest.mark.parametrize("chunks", [(1, 2500, 3499), 1700])
def test_chunks_give_the_local_result(client, chunks):
    local, _ = run_both(stream(), chunks, birth_cost=3.0)
    assert local.n_clusters_ >= 7


def test_float32_velocity_and_weights(client):
    local = dynmeans.DMeans(2.0, motion="velocity", min_hits=2, random_state=1)
    remote = distributed.DMeans(2.0, motion="velocity", min_hits=2, random_state=1)
    for t, X in enumerate(stream(2, dtype=np.float32)):
        weights = np.random.default_rng(t).uniform(0.2, 4.0, len(X))
        local.partial_fit(X, sample_weight=weights, t=1.5 * t)
        remote.partial_fit(
            da.from_array(X, chunks=(2500, 2)), sample_weight=da.from_array(weights, chunks=2500), t=1.5 * t
        )
        check_equal(local, remote)


def test_estimated_birth_cost(client):
    run_both(stream(2), 2000, refine=False, exclusive=False)


def test_hundreds_of_clusters_are_estimated_as_by_the_local_estimator(client):
    random = np.random.default_rng(0)
    centers = random.uniform(-300, 300, (300, 2))
    local, _ = run_both([centers[random.integers(300, size=3000)] + random.normal(size=(3000, 2))], 1100)
    assert local.n_clusters_ > 100


def test_merged_clusters(client):
    rng = np.random.default_rng(0)
    sides = np.repeat([[0.0, 0.0], [1.0, 0.0]], 300, axis=0)
    batches = [x * sides + rng.normal(scale=0.1, size=(600, 2)) for x in (60, 40, 27, 18, 12, 8, 5.3, 3.5)]
    parameters = {"birth_cost": 2000.0, "lifetime": 1e4, "refine": False, "exclusive": False}
    merged, _ = run_both(batches, 170, merge=True, **parameters)
    separate, _ = run_both(batches, 170, merge=False, **parameters)
    assert (len(merged.step_.active), len(separate.step_.active)) == (1, 2)


def test_data_frames_and_state_files(client, tmp_path):
    first, second = (pd.DataFrame(X, columns=list("abc")) for X in stream(2))
    local = dynmeans.DMeans(3.0, random_state=0).partial_fit(first)
    remote = distributed.DMeans(3.0, random_state=0).partial_fit(dd.from_pandas(first, npartitions=3))
    check_equal(local, remote)
    remote.save(tmp_path / "remote")
    local.save(tmp_path / "local")
    local_again, remote_again = dynmeans.load(tmp_path / "remote"), distributed.load(tmp_path / "local")
    local_again.partial_fit(second)
    remote_again.partial_fit(dd.from_pandas(second, npartitions=2))
    check_equal(local_again, remote_again)


def test_small_and_empty_batches(client):
    X = next(stream(1, n=300))
    local, remote = run_both([X, X[:7]], 100, birth_cost=3.0, refine=True)
    local.partial_fit(X[:0])
    remote.partial_fit(da.from_array(X[:0], chunks=(100, -1)))
    check_equal(local, remote)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"birth_cost": 3.0, "refine": True}, "refine=True needs .* set refine=False"),
        ({"birth_cost": 3.0, "exclusive": True}, "exclusive=True needs .* set exclusive=False"),
        ({"birth_cost": 3.0, "certify": True}, "certify=True needs .* set certify=False"),
        ({"birth_cost": 0.3, "metric": "cosine"}, "metric='cosine' needs .* set metric='euclidean'"),
        (
            {"birth_cost": 3.0, "feature_scales": (1.0, 2.0, 1.0)},
            "feature_scales needs .* scale the rows",
        ),
        ({}, "refine is estimated, and refine=True needs .* set refine=False"),
        ({"refine": False}, "exclusive is estimated, and exclusive=True needs .* set exclusive=False"),
    ],
)
def test_large_batches_refuse_parameters_that_need_all_rows(client, monkeypatch, parameters, message):
    """At the first step, also where a mode is estimated and would be needed later."""
    monkeypatch.setattr(all_rows, "LARGEST", N * 3 * 8 - 1)
    X = da.from_array(next(stream(1)), chunks=(2000, -1))
    with pytest.raises(NotImplementedError, match=message) as error:
        distributed.DMeans(**parameters).partial_fit(X)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "parameters",
    [{"refine": True}, {"exclusive": True, "duplicates": True}, {"feature_scales": (1.0, 2.0, 0.5)}],
)
def test_parameters_that_need_all_rows_give_the_local_result(client, parameters):
    run_both(stream(2), 2500, birth_cost=3.0, n_restarts=1, **parameters)


def unit_stream(n):
    random = np.random.default_rng(0)
    centers = random.normal(size=(6, 40))
    for _ in range(2):
        X = centers[random.integers(0, 6, n)] + 0.2 * random.normal(size=(n, 40))
        yield X / np.linalg.norm(X, axis=1, keepdims=True) * (1 + 1e-4)


@pytest.mark.parametrize("n", [300, 5000])
def test_directions_give_the_local_result(client, n):
    """Rows that are unit vectors up to rounding choose the cosine metric, in small and large batches."""
    local, _ = run_both(unit_stream(n), 2000)
    assert local.metric_ == "cosine"


def test_one_row_that_is_no_unit_vector_excludes_the_cosine_metric(client):
    X = next(unit_stream(5000))
    X[-1] *= 2
    local, _ = run_both([X], 2000, refine=False, exclusive=False)
    assert local.metric_ == "euclidean"


def test_modes_are_estimated_as_by_the_local_estimator(client):
    """Default parameters: the second batch shows that clusters should be refined."""
    random = np.random.default_rng(15)
    centers = 10 * random.uniform(size=(6, 2))
    batches = [centers[random.integers(0, 6, 5000)] + 0.3 * random.normal(size=(5000, 2)) for _ in range(2)]
    local, _ = run_both(batches, 2000, n_restarts=1)
    assert local.parameters_.refine


def test_repeated_rows(client):
    """Quantized readings: most rows have copies, in the same chunk and in others."""
    local, _ = run_both((np.round(2 * X) for X in stream(2)), 2500, birth_cost=40.0)
    assert local.n_clusters_ >= 7


@pytest.mark.parametrize("share", [0.3, 0.9])  # of rows of weight 0; of 0.9 few rows are left
def test_weights_of_zero(client, share):
    local, remote = (kind(3.0, random_state=0) for kind in (dynmeans.DMeans, distributed.DMeans))
    for t, X in enumerate(stream(2)):
        random = np.random.default_rng(t)
        weights = random.integers(1, 4, N) * (random.random(N) > share)
        weights[:2500] *= X[:2500, 0] < 51.0  # clusters without rows of positive weight fall asleep
        local.partial_fit(X, sample_weight=weights)
        chunks = (1000, 1500, 3500)
        remote.partial_fit(
            da.from_array(X, chunks=(chunks, -1)), sample_weight=da.from_array(weights, chunks=(chunks,))
        )
        check_equal(local, remote)


def test_no_positive_weight_is_refused(client):
    X = da.from_array(next(stream(1)), chunks=(2500, -1))
    with pytest.raises(ValueError, match="must not be zero everywhere"):
        distributed.DMeans(3.0).partial_fit(X, sample_weight=da.zeros(N, chunks=2500))
    with pytest.raises(ValueError, match=r"partition \d: sample_weight must be finite and not negative"):
        distributed.DMeans(3.0).partial_fit(X, sample_weight=da.full(N, -1.0, chunks=2500))


def test_an_invalid_row_leaves_the_model_unchanged(client):
    X = next(stream(1))
    model = distributed.DMeans(3.0, random_state=0).partial_fit(da.from_array(X, chunks=(2000, -1)))
    before = model.to_bytes()
    X[-1, 1] = np.nan
    with pytest.raises(ValueError, match="partition 2: Input X contains NaN"):
        model.partial_fit(da.from_array(X, chunks=(2000, -1)))
    assert model.to_bytes() == before


def test_no_client():
    with pytest.raises(ValueError, match="needs a Dask client"):
        distributed.DMeans(3.0).partial_fit(da.zeros((10, 2)))


def slow(block, seconds):
    """Return a block after some time, so that workers can be killed while it is read."""
    time.sleep(seconds)
    return block


def test_workers_killed_added_and_removed_during_a_step(client, cluster):
    """Kill one of two workers, go on to four and back to one, at random moments of steps."""
    local, remote = (
        kind(3.0, random_state=0, n_restarts=2) for kind in (dynmeans.DMeans, distributed.DMeans)
    )
    moment = np.random.default_rng().uniform(0.5, 1.5)
    events = (lambda: kill_one(cluster), lambda: cluster.scale(4), lambda: cluster.scale(1))
    try:
        for event, chunk, X in zip(events, (2000, 3500, 2000), stream(3), strict=True):
            timer = threading.Timer(moment, event)
            timer.start()
            remote.partial_fit(da.from_array(X, chunks=(chunk, -1)).map_blocks(slow, 1.0, dtype=X.dtype))
            timer.join()
            check_equal(local.partial_fit(X), remote)
        assert len(cluster.scheduler.workers) <= 2  # one, or also one that is about to leave
    finally:
        cluster.scale(2)


@pytest.mark.parametrize("n_workers", [1, 4])
def test_other_numbers_of_workers(client, cluster, n_workers):
    try:
        cluster.scale(n_workers)
        cluster.sync(cluster._correct_state)
        run_both(stream(2), 1700, birth_cost=3.0)
    finally:
        cluster.scale(2)


SPILL = {  # above 2% of the memory limit, chunks are kept on disk
    "distributed.worker.memory.target": 0.02,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
}


def test_a_worker_short_of_memory():
    """A worker that can hold a fifth of the batch keeps the rest on disk."""
    X = np.concatenate(list(stream(40)))
    local = dynmeans.DMeans(3.0, random_state=0).partial_fit(X)
    with (
        quick_workers(),
        dask.config.set(SPILL),
        LocalCluster(
            n_workers=1, threads_per_worker=1, memory_limit="200MB", dashboard_address=":0"
        ) as small,
        Client(small) as client,
    ):
        rows = da.from_array(X, chunks=(20_000, -1))
        remote = distributed.DMeans(3.0, random_state=0).partial_fit(rows)
        spilled = client.run(lambda dask_worker: dask_worker.data.spilled_total.disk)
        check_equal(local, remote)
    assert min(spilled.values()) > 1e6


def kill_one(cluster):
    pids = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
    with suppress(ProcessLookupError):
        os.kill(pids[0], signal.SIGKILL)
