"""The line of the user's code that a warning points to."""

from __future__ import annotations

import inspect

_PACKAGE = __name__.partition(".")[0]


def caller_level() -> int:
    """Return the ``stacklevel`` for `warnings.warn`: the innermost caller outside of this package."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    return level
