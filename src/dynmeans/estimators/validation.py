"""What a user hands over, checked and made ready for the model."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from dynmeans.algorithms.batch import Rows, in_range
from dynmeans.core import largest_size
from dynmeans.model.types import FloatArray, IntArray

LARGEST_SEED = 2**64 - 1  # what the core counts with


def valid_rows(estimator: Any, X: Any, *, reset: bool) -> Rows:
    """Return finite (n, d) rows, C-contiguous, float32 or float64, read in place where possible."""
    if _is_ready(X) and (reset or _is_known(estimator, X)):
        largest = largest_size(X)
        if math.isfinite(largest):
            if reset:
                _know_columns(estimator, X.shape[1], None)
            return in_range(X, largest)
    rows: Rows = validate_data(estimator, X, reset=reset, dtype=[np.float64, np.float32], order="C")
    return in_range(rows, largest_size(rows))


def _is_ready(X: Any) -> bool:
    """Tell whether X, if finite, is what is wanted: scikit-learn's look takes as long as several steps."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.char in "fd"
        and 0 not in X.shape
        and X.flags.c_contiguous
    )


def _is_known(estimator: Any, X: Any) -> bool:
    return X.shape[1] == estimator.n_features_in_ and "feature_names_in_" not in vars(estimator)


def valid_weights(sample_weight: Any, n: int) -> FloatArray | None:
    """Return (n,) weights, or None for all ones; a zero weight means that the row is absent."""
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weights.shape}")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        value = float(weights[row])
        raise ValueError(f"sample_weight must be finite and not negative, got {value} in row {row}")
    if not weights.any():
        raise ValueError(
            "sample_weight must not be zero everywhere: a zero weight means that the row is absent"
        )
    return weights


def valid_labels(labels: Any) -> IntArray:
    """Return (n,) labels of clusters that somebody else found, -1 for noise."""
    found = np.asarray(labels)
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


def valid_count(name: str, value: Any, least: int) -> int:
    """Return a whole number that is not below ``least``."""
    if type(value) is int and value >= least:  # the usual case: the general test takes ten times as long
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}")
    return int(value)


def valid_number(name: str, value: Any) -> float | None:
    """Return a number, or None if it was not given; what range it must have is the model's business."""
    if value is None or type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"{name} must be a number, got {value!r}")
    return float(value)


def valid_threads(n_jobs: Any) -> int:
    """Return the number of threads, 0 for as many as the batch pays for."""
    return 0 if n_jobs is None or n_jobs == -1 else valid_count("n_jobs", n_jobs, 1)


def adopt_columns(estimator: Any, other: Any) -> None:
    """Take over what another knows of the columns of its data."""
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
