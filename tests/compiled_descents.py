"""Calls of the compiled descent of D-Means, with named arguments and defaults."""

import numpy as np

from dynmeans._core import descend
from reference import Problem

DEFAULTS = {"seed": 0, "step": 0, "n_restarts": 1, "max_iter": 300, "n_threads": 1}


def descend_problem(problem: Problem, *, dtype=None, weights=True, **options):
    """Run the descent on a batch and the clusters remembered before it."""
    return descend(
        X=problem.X.astype(dtype or problem.X.dtype),
        weights=problem.weights if weights else None,
        centers=problem.phi,
        gammas=problem.gamma,
        revival=problem.revival,
        birth=problem.birth,
        **(DEFAULTS | options),
    )


def descend_rows(X, weights=None, *, birth, **options):
    """Run the descent on a batch without remembered clusters."""
    centers, empty = np.empty((0, X.shape[1])), np.empty(0)
    prior = {"centers": centers, "gammas": empty, "revival": empty}
    return descend(X=X, weights=weights, birth=birth, **prior, **(DEFAULTS | options))
