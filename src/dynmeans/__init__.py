"""Clustering for data that arrives in batches and changes.

Clusters are born, move, fall asleep, are revived under the same id, and die.
"""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynmeans._files.errors import InputError
    from dynmeans._files.snapshot import SnapshotError
    from dynmeans._model.events import Event, StepParameters, StepReport
    from dynmeans._model.forecast import Forecast
    from dynmeans.estimators import (
        ClusteringWarning,
        DMeans,
        KDMeans,
        PersistentIds,
        SDMeans,
        from_bytes,
        load,
    )
    from dynmeans.tuning import tune

__version__ = _version("dynmeans")
__all__ = [
    "ClusteringWarning",
    "DMeans",
    "Event",
    "Forecast",
    "InputError",
    "KDMeans",
    "PersistentIds",
    "SDMeans",
    "SnapshotError",
    "StepParameters",
    "StepReport",
    "__version__",
    "from_bytes",
    "load",
    "tune",
]

_MODULES = (
    "baselines",
    "datasets",
    "distributed",
    "estimators",
    "kernels",
    "metrics",
    "plots",
    "runs",
    "streams",
    "text",
    "tuning",
)
_SOURCES = {  # other names are in dynmeans.estimators
    "Event": "dynmeans._model.events",
    "Forecast": "dynmeans._model.forecast",
    "InputError": "dynmeans._files.errors",
    "SnapshotError": "dynmeans._files.snapshot",
    "StepParameters": "dynmeans._model.events",
    "StepReport": "dynmeans._model.events",
    "tune": "dynmeans.tuning",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line starts before NumPy and SciPy are loaded."""
    if name in _MODULES:
        return _import_module(f"dynmeans.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'dynmeans' has no attribute {name!r}")
    source = _SOURCES.get(name, "dynmeans.estimators")
    value = globals()[name] = getattr(_import_module(source), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})
