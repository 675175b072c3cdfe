"""Names and number of the features that an estimator was fitted with."""

from __future__ import annotations

from typing import Any


def columns_of(estimator: Any) -> dict[str, Any]:
    """Return the attributes that describe the columns of the data."""
    names = ("n_features_in_", "feature_names_in_")
    return {name: vars(estimator)[name] for name in names if name in vars(estimator)}


def adopt_columns(estimator: Any, other: Any) -> None:
    """Copy the attributes that describe the columns of the data from another estimator."""
    set_columns(estimator, other.n_features_in_, getattr(other, "feature_names_in_", None))


def set_columns(estimator: Any, number: int, names: Any) -> None:
    """Set the attributes that describe the columns of the data."""
    estimator.n_features_in_ = number
    if names is not None:
        estimator.feature_names_in_ = names
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
