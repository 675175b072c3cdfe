"""The one error that bad input raises, and how the errors of other libraries become it."""

from __future__ import annotations

import csv
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """Input that cannot be clustered; the message is one line that names the file, the place and the rule."""


# What damaged, truncated and foreign files raise inside csv, gzip, zipfile, NumPy and pyarrow. The errors of
# pyarrow derive from ValueError, OSError, KeyError and NotImplementedError.
_DAMAGE = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    NotImplementedError,
    csv.Error,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def blame(place: str | Callable[[], str]) -> Iterator[None]:
    """Turn whatever a damaged file raises into an `InputError` that names the place."""
    try:
        yield
    except InputError:
        raise
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(f"{_words(place)}: not UTF-8 text (byte 0x{byte:02x})") from None
    except RecursionError:
        raise InputError(f"{_words(place)}: nested too deeply") from None
    except _DAMAGE as error:
        raise InputError(f"{_words(place)}: {reason(error)}") from None


def _words(place: str | Callable[[], str]) -> str:
    return place if isinstance(place, str) else place()


def reason(error: BaseException) -> str:
    """First line of an error's message, without the path that the caller names anyway."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
