"""One cluster of processes for all tests of this folder."""

import pytest

pytest.importorskip("distributed")

from distributed import Client, LocalCluster

from dataset_runs import write_parts
from quick_workers import quick_workers


@pytest.fixture(scope="session")
def cluster():
    with (
        quick_workers(),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


@pytest.fixture
def folder(tmp_path):
    """A folder with three Parquet files of rows."""
    return write_parts(tmp_path)
