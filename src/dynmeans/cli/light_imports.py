"""Import scikit-learn without two libraries that it imports and the commands do not need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

_DEFERRED = "scipy.stats"
_HIDDEN = "pandas"


def import_sklearn() -> None:
    """Import scikit-learn in about half of the time.

    It imports pandas and scipy.stats, which take 1 of 2 seconds of CPU time of ``dynmeans cluster`` on one
    row. Afterwards both can be imported as usual: scipy.stats is loaded when an attribute of it is used.
    """
    if "sklearn" in sys.modules:
        return
    if _DEFERRED not in sys.modules:
        sys.modules[_DEFERRED] = _DeferredModule(_DEFERRED)
    with _hidden(_HIDDEN):
        import_module("sklearn.utils.validation")


class _DeferredModule(ModuleType):
    """Module that is loaded when an attribute of it is used; `importlib.util.LazyLoader` loads on import."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)


@contextmanager
def _hidden(name: str) -> Iterator[None]:
    """Make an optional library look as if it were not installed."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
