"""D-Means on many machines, with Dask: the labels, ids and centers of the local estimator, bit for bit."""

from dynmeans._files.extras import require as _require

_require("distributed", "dask")
_require("dask.array", "dask")

from dynmeans.distributed.estimator import DMeans, load  # noqa: E402

__all__ = ["DMeans", "load"]
