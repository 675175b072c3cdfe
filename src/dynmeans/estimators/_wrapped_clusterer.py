"""The clusterer that `PersistentIds` wraps."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.linking.link_step import NOISE
from dynmeans._model.types import IntArray
from dynmeans.estimators._validation import valid_labels

# Parameters of clusterers and reducers that cannot exceed the number of rows.
ROWS_NEEDED = ("n_clusters", "n_components", "n_neighbors", "min_cluster_size", "min_samples")


def fit_labels(estimator: Any, batch: Batch, seed: int, n_steps: int) -> IntArray:
    """Return the labels of a clone, whose randomness depends on the seed and the step number.

    If the batch has fewer rows than the clusterer needs, all rows are noise.
    """
    if estimator is None:
        raise ValueError(
            "no estimator is set: use PersistentIds(estimator), or load(path, estimator=...) for a saved "
            "model, which does not contain it; or pass labels to update"
        )
    clusterer = clone(estimator)
    params = clusterer.get_params()
    clusterer.set_params(**_seeds(params, int(np.random.default_rng([seed, n_steps]).integers(2**31))))
    weighted = batch.weights is not None and has_fit_parameter(clusterer, "sample_weight")
    extra = {"sample_weight": batch.weights} if weighted else {}
    n = len(batch.rows)
    try:
        labels = valid_labels(clusterer.fit_predict(batch.rows, **extra))
    except ValueError:
        if n > _rows_needed(params):
            raise
        return np.full(n, NOISE)
    if len(labels) != n:
        raise ValueError(f"labels must have one entry for each of {n} rows, got {len(labels)}")
    return labels


def _seeds(params: dict[str, Any], seed: int) -> dict[str, int]:
    """Return the seed for every ``random_state`` that is None."""
    return {
        name: seed
        for name, value in params.items()
        if value is None and name.rpartition("__")[2] == "random_state"
    }


def _rows_needed(params: dict[str, Any]) -> int:
    """Return the number of rows up to which an error may be due to their number."""
    counts = [
        int(value)
        for name, value in params.items()
        if name.rpartition("__")[2] in ROWS_NEEDED and isinstance(value, numbers.Integral)
    ]
    return max([1, *counts])
