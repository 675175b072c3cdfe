"""The scikit-learn estimators, without arithmetic: they validate, run a step and publish its result.

`dmeans`, `kdmeans`, `sdmeans` and `persistent` are the estimators. `_shell` has their common base classes,
`_validation` checks arguments, `_parameters` converts and estimates parameters, `_diagnostics` warns of
results that cannot be trusted, and `_state_files` writes and reads models.
"""

from dynmeans.estimators._diagnostics.result_checks import ClusteringWarning
from dynmeans.estimators._state_files.decoding import from_snapshot, load
from dynmeans.estimators._state_files.encoding import to_snapshot
from dynmeans.estimators._state_files.model_bytes import from_bytes
from dynmeans.estimators.dmeans import DMeans
from dynmeans.estimators.kdmeans import KDMeans
from dynmeans.estimators.persistent import PersistentIds
from dynmeans.estimators.sdmeans import SDMeans

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
