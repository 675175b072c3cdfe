"""Worker processes that start quickly: forked from a process that has imported all modules."""

from __future__ import annotations

import dask
from distributed.utils import get_mp_context

OPTIONS = {
    "distributed.worker.multiprocessing-method": "forkserver",
    "distributed.scheduler.allowed-failures": 1000,  # workers are killed on purpose
    "distributed.scheduler.worker-saturation": 1.1,
    "distributed.comm.timeouts.connect": "60s",
    "distributed.comm.timeouts.tcp": "60s",
    "distributed.worker.memory.terminate": False,
}


def quick_workers() -> dask.config.set:
    """Return a context in which workers start quickly and may die often."""
    context = dask.config.set(OPTIONS)
    get_mp_context().set_forkserver_preload(["distributed", "pyarrow.parquet", "dynmeans.distributed._runs"])
    return context
