"""The result of clustering one batch in kernel space."""

from __future__ import annotations

import math
from typing import NamedTuple

from dynmeans._model.types import FloatArray, IntArray


class KernelFit(NamedTuple):
    """One clustering of one batch in slots: 0 .. K-1 are the prior's clusters, the others are newborn."""

    labels: IntArray  # (R,) slot of every representative, or (n,) slot of every row
    cost: float  # Eq. krnmin of these labels, the lowest of all restarts
    n_iter: int  # sweeps or alternations until convergence, in the best restart
    restart_costs: FloatArray  # (n_restarts,)
    lower_bound: float = math.nan  # no clustering costs less; NaN if not computed
    n_eigenvectors: int = 0  # used by the spectral relaxation, at least 1 there
