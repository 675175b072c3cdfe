"""What a user hands over, checked and made ready for the model."""

from __future__ import annotations

import math
import numbers
import reprlib
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from dynmeans._algorithms.batch import Rows, check_range
from dynmeans._core import max_abs
from dynmeans._model.types import FloatArray, IntArray

LARGEST_SEED = 2**64 - 1  # what the core counts with
LARGEST_COUNT = 2**31 - 1  # the same
LIGHTEST, HEAVIEST = 1e-100, 1e100  # weights: their inverses and their products with squares are finite
LARGEST_MOMENT = 1e305  # weight times squared coordinates
MAX_RESTARTS = 1_000_000
MAX_THREADS = 4096
NO_WEIGHT = "sample_weight must not be zero everywhere: a zero weight means that the row is absent"


def valid_rows(estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Rows:
    """Return finite (n, d) rows, C-contiguous, float32 or float64, read in place where possible."""
    if _is_ready(X) and (reset or _is_known(estimator, X)):
        largest = max_abs(X)
        if math.isfinite(largest):
            if reset:
                _know_columns(estimator, X.shape[1], None)
            return check_range(X, largest)
    refuse_masked("X", X)
    _refuse_sparse(X)
    try:
        rows = validate_data(
            estimator, X, reset=reset, dtype=[np.float64, np.float32], order="C", ensure_min_samples=min_rows
        )
    except ValueError as error:
        raise ValueError(_in_one_line(str(error))) from error
    rows = np.require(rows, requirements=["C_CONTIGUOUS", "ALIGNED"])
    return check_range(rows, max_abs(rows))


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
        place = tuple(int(axis[0]) for axis in np.nonzero(np.ma.getmaskarray(values)))
        raise ValueError(f"{name} must have no masked entries, got one at {place}: fill or drop them first")


def _is_ready(X: Any) -> bool:
    """Return whether X is valid if it is finite; the check of scikit-learn takes as long as several steps."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.char in "fd"
        and 0 not in X.shape
        and X.dtype.isnative
        and X.flags.c_contiguous
        and X.flags.aligned
    )


def _is_known(estimator: Any, X: Any) -> bool:
    return X.shape[1] == estimator.n_features_in_ and "feature_names_in_" not in vars(estimator)


def valid_weights(sample_weight: Any, n: int) -> FloatArray | None:
    """Return (n,) weights, or None for all ones; a zero weight means that the row is absent."""
    if sample_weight is None:
        return None
    weights = _as_weights(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weights.shape}")
    weights_in_range(weights)
    if n > 0 and not weights.any():
        raise ValueError(NO_WEIGHT)
    return weights


def weights_in_range(sample_weight: Any) -> FloatArray:
    """Return weights as float64 numbers; raise if one is invalid."""
    weights = _as_weights(sample_weight)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        value = float(weights[row])
        raise ValueError(f"sample_weight must be finite and not negative, got {value} in row {row}")
    bad = (weights > HEAVIEST) | ((weights < LIGHTEST) & (weights > 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight must be 0 or lie within {LIGHTEST:g} .. {HEAVIEST:g}, "
            f"got {float(weights[row])!r} in row {row}"
        )
    return weights


def _as_weights(sample_weight: Any) -> FloatArray:
    """Return float64 numbers in native byte order, aligned and contiguous; a scalar stays one."""
    refuse_masked("sample_weight", sample_weight)
    given = np.asarray(sample_weight)
    if given.dtype.kind == "c":
        raise ValueError(f"sample_weight must be real numbers, got {given.dtype}")
    weights: FloatArray = np.require(given.astype(np.float64, copy=False), requirements=["C", "A"])
    return weights.reshape(given.shape)


def valid_balance(rows: Rows, weights: FloatArray | None) -> None:
    """Raise if the cost of a batch could overflow: weights times squared coordinates."""
    if weights is None:
        return
    largest, total = max_abs(rows), float(weights.sum())
    if total * max(largest, 1.0) ** 2 > LARGEST_MOMENT:
        raise ValueError(
            f"the sum of sample_weight times the largest squared coordinate must be at most "
            f"{LARGEST_MOMENT:g}, got {total:g} times {largest:g} squared"
        )


def valid_labels(labels: Any) -> IntArray:
    """Return the given labels (n,), -1 for noise."""
    refuse_masked("labels", labels)
    found = np.asarray(labels)
    if found.shape == (0,):
        return np.empty(0, dtype=np.int64)  # an empty list is an array of floats
    if found.ndim != 1 or found.dtype.kind not in "iub":
        raise ValueError(
            f"labels must be a list of whole numbers, got an array of {found.dtype} {found.shape}"
        )
    whole: IntArray = found.astype(np.int64)
    if whole.min(initial=0) < -1:
        row = int(np.argmin(whole))
        raise ValueError(
            f"labels must be whole numbers >= -1, where -1 is noise, got {whole[row]} in row {row}"
        )
    return whole


def valid_choice(name: str, value: Any, choices: tuple[str, ...], where: str = "") -> str:
    """Return one of the choices."""
    if not isinstance(value, str) or value not in choices:
        rule = " ".join(filter(None, [f"{name} must be one of {list(choices)}", where]))
        raise ValueError(f"{rule}, got {shown(value)}")
    return value


def valid_count(name: str, value: Any, least: int, most: int = LARGEST_COUNT) -> int:
    """Return a whole number from ``least`` to ``most``."""
    if (
        type(value) is int and least <= value <= most
    ):  # the usual case: the general test takes ten times as long
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {shown(value)}")
    if int(value) > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(value)}")
    return int(value)


def shown(value: Any) -> str:
    """Return a value as one short line."""
    return reprlib.repr(value).replace("\n", " ")


def valid_number(name: str, value: Any) -> float | None:
    """Return a number, or None if it was not given; what range it must have is the model's business."""
    if value is None or type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"{name} must be a number, got {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be a finite number, got {shown(value)}") from None


def valid_threads(n_jobs: Any) -> int:
    """Return the number of threads, 0 for as many as the size of the batch justifies."""
    return 0 if n_jobs is None or n_jobs == -1 else valid_count("n_jobs", n_jobs, 1, MAX_THREADS)


def columns_of(estimator: Any) -> dict[str, Any]:
    """Return the attributes that describe the columns of the data."""
    names = ("n_features_in_", "feature_names_in_")
    return {name: vars(estimator)[name] for name in names if name in vars(estimator)}


def adopt_columns(estimator: Any, other: Any) -> None:
    """Copy the attributes that describe the columns of the data from another estimator."""
    _know_columns(estimator, other.n_features_in_, getattr(other, "feature_names_in_", None))


def _know_columns(estimator: Any, number: int, names: Any) -> None:
    estimator.n_features_in_ = number
    if names is not None:
        estimator.feature_names_in_ = names
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def draw_seed(random_state: Any) -> int:
    """Return the seed of the whole run; after that, randomness depends on it and the step number."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        if random_state > LARGEST_SEED:
            raise ValueError(f"random_state must be below 2**64, got {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))
