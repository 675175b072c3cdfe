"""The one error that bad input raises, and how the errors of other libraries become it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """Input that cannot be clustered; the message is one line that names the file, the place and the rule."""


class InputWarning(UserWarning):
    """Input that is read, but may not be what it seems; the message is one line that names the place."""


_LONGEST = 300  # characters of an error that are passed on
_NOT_OURS = (InputError, ImportError, KeyboardInterrupt, SystemExit, GeneratorExit)


@contextmanager
def error_context(place: str | Callable[[], str]) -> Iterator[None]:
    """Turn whatever a damaged file raises into an `InputError` that names the place.

    A damaged file reaches the inside of other libraries, which then raise anything. Everything is therefore
    caught, also a panic of a library in Rust, which is not an `Exception`. An interruption and a missing
    package are no fault of the file.
    """
    try:
        yield
    except _NOT_OURS:
        raise
    except BaseException as error:
        cause = "not enough memory, " if isinstance(error, MemoryError) else ""
        raise InputError(f"{_words(place)}: {cause}{reason(error)}") from None


def _words(place: str | Callable[[], str]) -> str:
    return place if isinstance(place, str) else place()


def reason(error: BaseException) -> str:
    """First line of an error's message, without the path that the caller names anyway."""
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
