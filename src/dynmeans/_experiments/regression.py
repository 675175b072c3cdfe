"""Gaussian process regression of a set of observations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynmeans._experiments.parameters import GPS_KERNEL
from dynmeans._model.types import FloatArray

GRID: FloatArray = np.linspace(0.0, 1.0, 51)  # the paper's spacing of 0.02


class Process(NamedTuple):
    """Posterior of a Gaussian process on the grid."""

    mean: FloatArray  # (51,)
    deviation: FloatArray  # (51,)  of the function, without the noise


def posterior(x: FloatArray, y: FloatArray) -> Process:
    """Compute the posterior given observations y (p,) at x (p,)."""
    noisy = _covariance(x, x) + GPS_KERNEL["noise"] ** 2 * np.eye(len(x))
    across = _covariance(GRID, x)
    solved = np.linalg.solve(noisy, np.column_stack([y, across.T]))
    variance = GPS_KERNEL["signal"] ** 2 - np.einsum("gp,pg->g", across, solved[:, 1:])
    return Process(across @ solved[:, 0], np.sqrt(np.maximum(variance, 0.0)))


def posterior_means(rows: FloatArray) -> FloatArray:
    """Compute the posterior mean (s, 51) of every set; a row has its inputs, then its outputs."""
    x, y = np.split(rows, 2, axis=1)
    noisy = _covariance(x, x) + GPS_KERNEL["noise"] ** 2 * np.eye(x.shape[1])
    solved = np.linalg.solve(noisy, y[:, :, None])
    inputs = np.broadcast_to(GRID, (len(rows), len(GRID)))
    means: FloatArray = (_covariance(inputs, x) @ solved)[:, :, 0]
    return means


def _covariance(a: FloatArray, b: FloatArray) -> FloatArray:
    scaled = (a[..., :, None] - b[..., None, :]) / GPS_KERNEL["length_scale"]
    covariance: FloatArray = GPS_KERNEL["signal"] ** 2 * np.exp(-0.5 * scaled**2)
    return covariance
