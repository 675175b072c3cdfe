"""Optional packages: imported only where they are used, and missed with a line that says how to get them."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """Import an optional module, or say how to install it.

    Parameters
    ----------
    module : str
        Name of the module, as in an import statement.
    extra : str
        Name of the extra of dynmeans that brings it.

    Returns
    -------
    module

    Raises
    ------
    ImportError
        With the install line as its message.

    Examples
    --------
    >>> require("json", "plot").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise  # the module is there, but something it needs itself is broken
        package = module.partition(".")[0]
        raise ImportError(
            f'{package} is not installed; get it with: pip install "dynmeans[{extra}]"'
        ) from None
