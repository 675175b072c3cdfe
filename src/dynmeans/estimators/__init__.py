"""The scikit-learn estimators, without arithmetic: they validate, run a step and publish its result.

`dmeans`, `kdmeans`, `sdmeans` and `persistent` are the estimators. `shell` has their common base classes,
`validation` checks arguments, `parameters` converts and estimates parameters, `diagnostics` warns of results
that cannot be trusted, and `state_files` writes and reads models.
"""

from dynmeans.estimators.diagnostics.result_checks import ClusteringWarning
from dynmeans.estimators.dmeans import DMeans
from dynmeans.estimators.kdmeans import KDMeans
from dynmeans.estimators.persistent import PersistentIds
from dynmeans.estimators.sdmeans import SDMeans
from dynmeans.estimators.state_files.decoding import from_snapshot, load
from dynmeans.estimators.state_files.encoding import to_snapshot
from dynmeans.estimators.state_files.model_bytes import from_bytes

__all__ = [
    "ClusteringWarning",
    "DMeans",
    "KDMeans",
    "PersistentIds",
    "SDMeans",
    "from_bytes",
    "from_snapshot",
    "load",
    "to_snapshot",
]
