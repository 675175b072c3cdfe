"""One cluster of processes for all tests of this folder."""

import pytest

pytest.importorskip("distributed")

import dask
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def cluster():
    options = {
        "distributed.scheduler.allowed-failures": 100,  # workers are killed on purpose
        "distributed.scheduler.worker-saturation": 1.1,
        "distributed.comm.timeouts.connect": "60s",
        "distributed.comm.timeouts.tcp": "60s",
        "distributed.worker.memory.terminate": False,
    }
    with (
        dask.config.set(options),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client
