"""Errors and warnings about input, and the conversion of other libraries' errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """Invalid input; the message is one line with the file, the location and the rule."""


class InputWarning(UserWarning):
    """Suspicious input that is read anyway; the message is one line with the location."""


_LONGEST = 300  # maximum number of characters of a message
_UNCHANGED = (InputError, ImportError, KeyboardInterrupt, SystemExit, GeneratorExit)


@contextmanager
def error_context(location: str | Callable[[], str]) -> Iterator[None]:
    """Convert any exception of a damaged file into an `InputError` that names the location.

    Other libraries raise arbitrary exceptions for a damaged file. All are caught, also a panic of a library
    in Rust, which is not an `Exception`. Interruptions and missing packages pass unchanged.
    """
    try:
        yield
    except _UNCHANGED:
        raise
    except BaseException as error:
        cause = "not enough memory, " if isinstance(error, MemoryError) else ""
        raise InputError(f"{_words(location)}: {cause}{reason(error)}") from None


def _words(location: str | Callable[[], str]) -> str:
    return location if isinstance(location, str) else location()


def reason(error: BaseException) -> str:
    """Return the first line of an error message, without the path."""
    match error:
        case UnicodeDecodeError():
            return f"not UTF-8 text (byte 0x{error.object[error.start]:02x})"
        case UnicodeEncodeError():
            return f"not Unicode text (a lone surrogate, {error.object[error.start]!a})"
        case RecursionError():
            return "nested too deeply"
        case OSError() if error.strerror:
            return error.strerror
    text = str(error).strip()
    return text.splitlines()[0][:_LONGEST] if text else type(error).__name__
