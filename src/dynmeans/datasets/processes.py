"""The paper's Gaussian processes: sets of noisy observations of a few latent functions."""

from __future__ import annotations

import math

import numpy as np

from dynmeans.datasets._common import (
    FloatArray,
    IntArray,
    RandomState,
    Stream,
    check_between,
    check_count,
    make_rng,
)

_FUNCTIONS = (np.positive, np.negative, np.sin, np.cos)  # x, -x, sin x, cos x
_GRID = np.linspace(0.0, 1.0, 51)  # the paper's spacing of 0.02


def gaussian_processes(
    n_steps: int = 10,
    *,
    sets_per_step: int = 100,
    n_observations: int = 30,
    noise: float = 0.2,
    random_state: RandomState = None,
) -> Stream:
    """Make a stream of sets of noisy observations of the functions x, -x, sin x and cos x.

    The defaults are the experiment of the paper. Each set belongs to one of the four functions, at
    random, and is observed at uniformly random inputs within its own interval, whose ends are two uniformly
    random numbers in [0, 1]. A set has no observations in large parts of the domain.

    Parameters
    ----------
    n_steps : int
        Batches in the stream.
    sets_per_step : int
        Sets of observations, that is rows, in a batch.
    n_observations : int
        Observations in a set.
    noise : float
        Standard deviation of an observation around its function.
    random_state : int, numpy.random.Generator or None
        Seed for a reproducible stream. A generator is used directly and advanced; None draws a random seed.

    Returns
    -------
    Stream
        `batches`, arrays of shape (sets_per_step, 2 * n_observations): the inputs of a set, then its
        outputs. `labels`, the true function of each row: 0 for x, 1 for -x, 2 for sin x, 3 for cos x.
        `centers`, arrays of shape (K, 51): the functions that occur in the step, at 51 evenly spaced
        inputs from 0 to 1.

    Raises
    ------
    ValueError
        If a number is out of range.
    TypeError
        If a count is not an integer, or `random_state` has an invalid type.

    Examples
    --------
    >>> from dynmeans.datasets import gaussian_processes
    >>> stream = gaussian_processes(random_state=0)
    >>> len(stream.batches), stream.batches[0].shape, stream.labels[0].shape, stream.centers[0].shape
    (10, (100, 60), (100,), (4, 51))
    """
    counts = {"n_steps": n_steps, "sets_per_step": sets_per_step, "n_observations": n_observations}
    for name, count in counts.items():
        check_count(name, count)
    check_between("noise", noise, 0, math.inf)
    rng = make_rng(random_state)
    stream = Stream([], [], [])
    for _ in range(n_steps):
        labels = rng.integers(len(_FUNCTIONS), size=sets_per_step)
        inputs = _inputs(sets_per_step, n_observations, rng)
        outputs = _values(inputs, labels) + rng.normal(0.0, noise, inputs.shape)
        shown = np.unique(labels)
        stream.batches.append(np.hstack([inputs, outputs]))
        stream.labels.append(labels)
        stream.centers.append(_values(np.tile(_GRID, (len(shown), 1)), shown))
    return stream


def _inputs(n_sets: int, n_observations: int, rng: np.random.Generator) -> FloatArray:
    """Draw uniform inputs of each set within its own interval."""
    begin, end = np.sort(rng.random((n_sets, 2)), axis=1).T
    return rng.uniform(begin[:, None], end[:, None], (n_sets, n_observations))


def _values(inputs: FloatArray, labels: IntArray) -> FloatArray:
    """Evaluate the function of each row at the inputs of the row."""
    table: FloatArray = np.stack([function(inputs) for function in _FUNCTIONS])
    return table[labels, np.arange(len(labels))]
