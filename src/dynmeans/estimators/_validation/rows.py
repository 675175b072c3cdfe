"""Validation of the rows of a batch."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, validate_data

from dynmeans._algorithms.batch import Rows, check_range
from dynmeans._core import max_abs, max_abs_in_place
from dynmeans._model.types import FloatArray
from dynmeans.estimators._validation.columns import set_columns
from dynmeans.estimators._validation.parameters import valid_threads


def valid_rows(estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Rows:
    """Return finite (n, d) rows, C-contiguous, float32 or float64, read in place where possible."""
    if type(X) is np.ndarray and (reset or "feature_names_in_" not in vars(estimator)):
        n_features = None if reset else estimator.n_features_in_
        largest = max_abs_in_place(X, n_features, valid_threads(getattr(estimator, "n_jobs", 1)))
        if largest is not None:  # the validation of scikit-learn takes as long as several steps
            if reset:
                set_columns(estimator, X.shape[1], None)
            return check_range(X, largest)
    if min_rows == 0 and _is_nothing(X):
        return _no_rows(estimator, reset=reset)
    refuse_masked("X", X)
    _refuse_sparse(X)
    try:
        rows = validate_data(
            estimator, X, reset=reset, dtype=[np.float64, np.float32], order="C", ensure_min_samples=min_rows
        )
    except (ValueError, TypeError) as error:
        raise _explained(X, error) from error
    rows = np.require(rows, requirements=["C_CONTIGUOUS", "ALIGNED"])
    return check_range(rows, max_abs(rows))


def _is_nothing(X: Any) -> bool:
    """Return whether X is an empty list or an array of shape (0,), such as a frame without detections."""
    return (isinstance(X, (list, tuple)) and not X) or (isinstance(X, np.ndarray) and X.shape == (0,))


def _no_rows(estimator: Any, *, reset: bool) -> Rows:
    if reset:
        raise ValueError(
            "the first batch has no rows and no columns: "
            "pass np.empty((0, d)), where d is the number of features"
        )
    return np.empty((0, estimator.n_features_in_))


def finite_rows(X: Any) -> FloatArray:
    """Return finite (n, d) rows for which no estimator is needed: C-contiguous, float64, n may be 0."""
    refuse_masked("X", X)
    _refuse_sparse(X)
    try:
        rows = check_array(X, dtype=np.float64, order="C", ensure_min_samples=0)
    except (ValueError, TypeError) as error:
        raise _explained(X, error) from error
    finite: FloatArray = np.require(rows, requirements=["C_CONTIGUOUS", "ALIGNED"])
    check_range(finite, max_abs(finite))
    return finite


def _explained(X: Any, error: Exception) -> Exception:
    """Return the error with one line that describes what to pass instead of X."""
    kind: type[Exception] = ValueError if isinstance(error, ValueError) else TypeError
    is_number = [isinstance(part, Real) for part in X] if isinstance(X, tuple) else []
    if any(is_number) and not all(is_number):
        parts = ", ".join(type(part).__name__ for part in X)
        return kind(
            f"X must be rows, got a tuple ({parts}): pass the time as partial_fit(X, t=t), or in a stream of "
            "batches as {'X': X, 't': t}"
        )
    if type(X).__name__ == "LazyFrame":
        return kind("X is a LazyFrame, which has no rows yet: pass X.collect()")
    dated = _dated_columns(X) if kind is TypeError else []
    if dated:
        return kind(
            f"column {dated[0]!r} of X has dates or durations, but features must be numbers: leave it out "
            "and pass the time of the batch as t, or convert it to a number of seconds"
        )
    return kind(_in_one_line(str(error)))


def _dated_columns(X: Any) -> list[str]:
    """Return the columns of a pandas data frame that have dates or durations."""
    dtypes: Any = getattr(X, "dtypes", None)
    if not hasattr(dtypes, "items"):
        return []
    return [str(name) for name, dtype in dtypes.items() if getattr(dtype, "kind", "") in ("M", "m")]


def _in_one_line(message: str) -> str:
    """Shorten a message of scikit-learn: drop the lines that repeat the data."""
    lines = [line.strip() for line in message.splitlines()]
    advice = [line for line in lines[1:] if line.startswith("Reshape your data")]
    return " ".join([lines[0], *advice]) if lines else message


def _refuse_sparse(X: Any) -> None:
    """Raise for sparse rows, with what to do instead.

    Dense rows of a whole vocabulary take 40 times as long as 256 components, and cluster no better.
    """
    if issparse(X):
        raise TypeError(
            f"X is a sparse matrix of {X.shape[1]:,} columns, but rows must be dense: reduce it first, "
            "such as by TruncatedSVD(256), or hash texts by HashingVectorizer(n_features=1024)"
        )


def refuse_masked(name: str, values: Any) -> None:
    """Raise if a masked array has masked entries, which NumPy would silently unmask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        entry = tuple(int(axis[0]) for axis in np.nonzero(np.ma.getmaskarray(values)))
        raise ValueError(f"{name} must have no masked entries, got one at {entry}: fill or drop them first")
