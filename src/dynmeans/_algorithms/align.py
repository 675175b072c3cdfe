"""Motion in kernel space: the kept points of each old cluster move to where the new batch is.

An extension of the paper, whose clusters stay where they were last seen.
"""

from __future__ import annotations

import numpy as np

from dynmeans._core import align_shifts
from dynmeans._model.types import FloatArray
from dynmeans.kernels.base import KernelInput
from dynmeans.kernels.density import density_of

MOST_ROWS = 2000  # of a batch that are looked at; more would not make a shift better


def align(scene: KernelInput) -> tuple[KernelInput, FloatArray]:
    """Shift the kept points of every old cluster by the translation that best explains the rows.

    Old clusters are densities around their kept points. Expectation and maximisation finds the shifts while
    the densities narrow, from a start without motion and from one in which all clusters move as one; the
    likelier end wins. Bandwidth and the length of a step are estimated from the batch alone. A cluster
    that explains nothing which others do not stays where it was.

    Parameters
    ----------
    scene : Scene
        A batch of n rows and the kept points of K old clusters.

    Returns
    -------
    scene : Scene
        With the kept points moved.
    shifts : ndarray of shape (K, d)
        How far.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans._algorithms.align import align
    >>> from dynmeans.kernels import KernelInput
    >>> old = np.random.default_rng(0).normal(size=(50, 2))
    >>> scene = KernelInput(old + [0.5, 0.0], np.ones(50), old, np.full(50, 0.02), np.zeros(50, dtype=int), 1)
    >>> align(scene)[1].round(1)
    array([[0.5, 0. ]])
    """
    if scene.n_old == 0:
        return scene, np.zeros((0, scene.rows.shape[1]))
    h, background, shares = density_of(scene)
    every = -(-len(scene.rows) // MOST_ROWS)
    rows, weights = scene.rows[::every], scene.weights[::every]
    shifts = align_shifts(rows, weights, scene.kept, shares, scene.owner, scene.n_old, h, background)
    return scene._replace(kept=scene.kept + shifts[scene.owner]), shifts
