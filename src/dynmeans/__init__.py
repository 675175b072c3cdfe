"""Clustering for data that arrives in batches and changes.

Clusters are born, move, fall asleep, come back under the same id, and die.
"""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynmeans.estimators import DMeans, KDMeans, PersistentIds, SDMeans, load
    from dynmeans.tuning import tune

__version__ = _version("dynmeans")
__all__ = ["DMeans", "KDMeans", "PersistentIds", "SDMeans", "__version__", "load", "tune"]

_MODULES = ("baselines", "datasets", "estimators", "kernels", "metrics", "model", "plots", "tuning")


def __getattr__(name: str) -> Any:
    """Import on first use: the command line answers to Ctrl-C before NumPy and its companions are loaded."""
    if name in _MODULES:
        return _import_module(f"dynmeans.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'dynmeans' has no attribute {name!r}")
    home = "dynmeans.tuning" if name == "tune" else "dynmeans.estimators"
    value = globals()[name] = getattr(_import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, *_MODULES])
