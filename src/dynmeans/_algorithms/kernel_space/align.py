"""Motion in kernel space: align the support points of each old cluster to the new batch.

This extends the paper, in which clusters stay where they were last seen.
"""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.kernel_space.wide_align import align_wide
from dynmeans._core import align_shifts
from dynmeans._model.types import FloatArray
from dynmeans.kernels._estimation.density import density_of
from dynmeans.kernels.base import KernelInput

WIDE = 12  # number of features up to which the compiled loop over coordinates is faster
MAX_ROWS = 2000  # maximum number of rows that are used; more do not improve the shifts


def align(inputs: KernelInput) -> tuple[KernelInput, FloatArray]:
    """Shift the support points of every old cluster by the translation that best explains the rows.

    Old clusters are densities around their support points. Expectation maximization finds the shifts while
    the densities narrow. It starts once without motion and once with a common motion of all clusters, and the
    result of higher likelihood is used. The bandwidth and the scale of the motion are estimated from the
    batch alone. A cluster that explains no row better than the others is not shifted.

    Parameters
    ----------
    inputs : KernelInput
        A batch of n rows and the support points of K old clusters.

    Returns
    -------
    inputs : KernelInput
        With shifted support points.
    shifts : ndarray of shape (K, d)
        Shift of each cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans._algorithms.kernel_space.align import align
    >>> from dynmeans.kernels import KernelInput
    >>> old = np.random.default_rng(0).normal(size=(50, 2))
    >>> rows, owner = old + [0.5, 0.0], np.zeros(50, dtype=int)
    >>> inputs = KernelInput(rows, np.ones(50), old, np.full(50, 0.02), owner, 1)
    >>> align(inputs)[1].round(1)
    array([[0.5, 0. ]])
    """
    if inputs.n_old == 0:
        return inputs, np.zeros((0, inputs.rows.shape[1]))
    bandwidth, background, shares = density_of(inputs)
    every = -(-len(inputs.rows) // MAX_ROWS)
    rows, weights = inputs.rows[::every], inputs.weights[::every]
    run = align_wide if rows.shape[1] > WIDE else align_shifts
    shifts = run(
        rows=rows,
        weights=weights,
        kept=inputs.kept,
        shares=shares,
        owner=inputs.owner,
        n_old=inputs.n_old,
        bandwidth=bandwidth,
        background=background,
    )
    return inputs._replace(kept=inputs.kept + shifts[inputs.owner]), shifts
