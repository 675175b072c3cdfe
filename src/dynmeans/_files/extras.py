"""Optional packages: imported on use; if one is missing, the error has the install command."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """Import an optional module; if it is missing, raise an error with the install command.

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
        If the module is missing; the message has the install command.

    Examples
    --------
    >>> require("json", "plot").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise  # the module is installed, but one of its own imports fails
        package = module.partition(".")[0]
        raise ImportError(
            f'{package} is not installed; install it with: pip install "dynmeans[{extra}]"'
        ) from None
