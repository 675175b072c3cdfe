"""Validation of the rows of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from dynmeans._algorithms.batch import Rows, check_range
from dynmeans._core import max_abs, max_abs_in_place
from dynmeans._model.types import FloatArray
from dynmeans.estimators._validation.columns import set_columns
from dynmeans.estimators._validation.parameters import valid_threads
from dynmeans.estimators._validation.unsuitable_rows import explained, refuse_unsuitable


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
    refuse_unsuitable(X)
    try:
        rows = validate_data(
            estimator, X, reset=reset, dtype=[np.float64, np.float32], order="C", ensure_min_samples=min_rows
        )
    except (ValueError, TypeError) as error:
        raise explained(X, error) from error
    rows = np.require(rows, requirements=["C_CONTIGUOUS", "ALIGNED"])
    return check_range(rows, max_abs(rows))


def _is_nothing(X: Any) -> bool:
    """Return whether X is an empty list, array or data frame, such as a frame without detections."""
    return (isinstance(X, (list, tuple)) and not X) or getattr(X, "shape", None) in ((0,), (0, 0))


def _no_rows(estimator: Any, *, reset: bool) -> Rows:
    if reset:
        raise ValueError(
            "the first batch has no rows and no columns: "
            "pass np.empty((0, d)), where d is the number of features"
        )
    return np.empty((0, estimator.n_features_in_))


def finite_rows(X: Any) -> FloatArray:
    """Return finite (n, d) rows for which no estimator is needed: C-contiguous, float64, n may be 0."""
    refuse_unsuitable(X)
    try:
        rows = check_array(X, dtype=np.float64, order="C", ensure_min_samples=0)
    except (ValueError, TypeError) as error:
        raise explained(X, error) from error
    finite: FloatArray = np.require(rows, requirements=["C_CONTIGUOUS", "ALIGNED"])
    check_range(finite, max_abs(finite))
    return finite
