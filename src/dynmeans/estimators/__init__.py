"""The shell: scikit-learn estimators around the model, without arithmetic."""

from dynmeans.estimators.dmeans import DMeans
from dynmeans.estimators.kdmeans import KDMeans
from dynmeans.estimators.model_bytes import from_bytes
from dynmeans.estimators.persistent import PersistentIds
from dynmeans.estimators.sdmeans import SDMeans
from dynmeans.estimators.serialization import from_snapshot, load, to_snapshot

__all__ = [
    "DMeans",
    "KDMeans",
    "PersistentIds",
    "SDMeans",
    "from_bytes",
    "from_snapshot",
    "load",
    "to_snapshot",
]
