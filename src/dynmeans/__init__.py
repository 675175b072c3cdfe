"""Clustering for data that arrives in batches and changes.

Clusters are born, move, fall asleep, come back under the same id, and die.
"""

from importlib.metadata import version as _version

from dynmeans.estimators import DMeans, KDMeans, PersistentIds, SDMeans, load
from dynmeans.tuning import tune

__version__ = _version("dynmeans")
__all__ = ["DMeans", "KDMeans", "PersistentIds", "SDMeans", "__version__", "load", "tune"]
