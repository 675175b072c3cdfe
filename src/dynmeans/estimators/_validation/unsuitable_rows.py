"""Errors about rows that cannot be clustered, each with what to pass instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse

# How the names of such types begin, in NumPy, pandas, polars and Arrow.
DATES = ("date", "time", "duration", "period")


def refuse_unsuitable(X: Any) -> None:
    """Raise for rows that would be read, but not as what they are: masked, sparse, dates."""
    refuse_masked("X", X)
    _refuse_sparse(X)
    for name, kind in _types(X):
        if str(kind).lower().startswith(DATES):
            raise _dates(name)


def explained(X: Any, error: Exception) -> Exception:
    """Return an error of scikit-learn as one line that describes what to pass instead of X."""
    kind: type[Exception] = ValueError if isinstance(error, ValueError) else TypeError
    if isinstance(X, Mapping):
        return kind("X must be rows, got a mapping: pass its entries, such as partial_fit(X, t=t)")
    if _are_tables(X):
        return kind(
            "X must be the rows of one time step, got several tables: use stream(batches), or partial_fit "
            "for one after another"
        )
    is_number = [isinstance(part, Real) for part in X] if isinstance(X, tuple) else []
    if any(is_number) and not all(is_number):
        parts = ", ".join(type(part).__name__ for part in X)
        return kind(
            f"X must be rows, got a tuple ({parts}): pass the time as partial_fit(X, t=t), or in a stream of "
            "batches as {'X': X, 't': t}"
        )
    if type(X).__name__ == "LazyFrame":
        return kind("X is a LazyFrame, which has no rows yet: pass X.collect()")
    return _error_of_column(X) or kind(_in_one_line(str(error)))


def refuse_masked(name: str, values: Any) -> None:
    """Raise if a masked array has masked entries, which NumPy would silently unmask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        entry = tuple(int(axis[0]) for axis in np.nonzero(np.ma.getmaskarray(values)))
        raise ValueError(f"{name} must have no masked entries, got one at {entry}: fill or drop them first")


def _refuse_sparse(X: Any) -> None:
    """Raise for sparse rows, with what to do instead.

    Dense rows of a whole vocabulary take 40 times as long as 256 components, and cluster no better.
    """
    if issparse(X):
        raise TypeError(
            f"X is a sparse matrix of {X.shape[1]:,} columns, but rows must be dense: reduce it first, "
            "such as by TruncatedSVD(256), or hash texts by HashingVectorizer(n_features=1024)"
        )


def refuse_time_as_y(y: Any) -> None:
    """Raise if a number is passed as y, which is ignored: it is a time."""
    if isinstance(y, Real):
        raise TypeError(f"y is ignored, got {y!r}: pass the time by its name, partial_fit(X, t=t)")


def refuse_one_table(batches: Any) -> None:
    """Raise if something that must be a sequence of batches is one table, or tables by time."""
    shape = getattr(batches, "shape", ())
    if len(shape) == 2:
        raise ValueError(f"batches is one table of shape {shape}; pass a list of tables, one per time step")
    if isinstance(batches, Mapping):
        raise ValueError("batches is a mapping; pass a list of tables, or of {'X': X, 't': t}")


def _are_tables(X: Any) -> bool:
    """Return whether X is an array or a list of tables."""
    first = X[0] if isinstance(X, (list, tuple)) and X else None
    return getattr(first, "ndim", 0) == 2 or (isinstance(X, np.ndarray) and X.ndim == 3)


def _types(X: Any) -> Iterable[tuple[Any, Any]]:
    """Return the names and types of the columns of a data frame or Arrow table; of an array, its type."""
    if isinstance(X, np.ndarray):
        return [(None, X.dtype)]
    schema: Any = getattr(X, "schema", None)  # of polars and Arrow
    if hasattr(schema, "types"):
        return zip(schema.names, schema.types, strict=True)
    columns: Any = getattr(X, "dtypes", None) if schema is None else schema
    return columns.items() if hasattr(columns, "items") else []


def _error_of_column(X: Any) -> Exception | None:
    """Return an error about the first column of a frame that has no numbers, or values that are missing."""
    names = [name for name, _ in _types(X)] if hasattr(X, "__getitem__") else []
    repeated = [name for name, n in Counter(names).items() if n > 1]
    if repeated:
        return ValueError(f"the columns of X must have unique names, got {repeated[0]!r} more than once")
    errors = (_error_of_values(name, np.asarray(X[name])) for name in names if name is not None)
    return next((error for error in errors if error is not None), None)


def _error_of_values(name: Any, values: np.ndarray[Any, Any]) -> Exception | None:
    """Return an error about the values of one column, None if they are numbers."""
    try:
        numbers = values.astype(np.float64)
    except (ValueError, TypeError):
        example = next(_not_numbers(values.tolist()), None)
        if hasattr(example, "__array__") or isinstance(example, (list, tuple, dict)):
            return ValueError(
                f"column {name!r} of X has lists, but features must be numbers: "
                f"pass it alone as an array, such as np.stack(X[{name!r}])"
            )
        if type(example).__name__.lower().startswith(DATES):
            return _dates(name)
        return ValueError(
            f"column {name!r} of X has values such as {example!r}, but features must be numbers: "
            "leave it out, or encode it"
        )
    if np.isnan(numbers).any():
        row = int(np.isnan(numbers).argmax())
        return ValueError(
            f"Input X contains NaN: column {name!r} has no value in row {row}; fill it, or drop the row"
        )
    return None


def _not_numbers(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values that cannot be read as numbers; None stands for a missing number."""
    for value in values:
        try:
            float("nan" if value is None else value)
        except (ValueError, TypeError):
            yield value


def _dates(name: Any) -> TypeError:
    what = "X has" if name is None else f"column {name!r} of X has"
    return TypeError(
        f"{what} dates or durations, but features must be numbers: leave it out and pass the time of the "
        "batch as t, or convert it to a number of seconds"
    )


def _in_one_line(message: str) -> str:
    """Shorten a message of scikit-learn: drop the lines that repeat the data."""
    lines = [line.strip() for line in message.splitlines()]
    if message.startswith("The feature names should match"):  # the other lines name the columns
        return " ".join(lines).rstrip()
    advice = [line for line in lines[1:] if line.startswith("Reshape your data")]
    return " ".join([lines[0], *advice]) if lines else message
