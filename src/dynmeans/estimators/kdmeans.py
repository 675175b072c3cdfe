"""KD-Means as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynmeans._algorithms.batch import SearchOptions
from dynmeans._algorithms.kernel_space.kdmeans import descend_kernel
from dynmeans._algorithms.kernel_space.kernel_fit import KernelFit
from dynmeans._algorithms.kernel_space.relaxation import relaxed
from dynmeans._algorithms.kernel_space.support_selection import Selection
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event
from dynmeans._model.prior import Prior
from dynmeans.estimators._shell.kernel_base import KernelClusterer
from dynmeans.kernels import Similarity


class KDMeans(KernelClusterer):
    """Cluster batches in the space of a kernel by coordinate descent: clusters of any shape, no eigenvectors.

    The cost is that of D-Means, with similarities instead of distances. Each row in turn is assigned to the
    cluster that lowers the cost most, until no row moves.

    Parameters
    ----------
    kernel : str, kernel or callable, default="rbf"
        ``"rbf"``, ``"linear"``, ``"mst"``, ``"diffusion"``, ``"gaussian_process"``, ``"precomputed"``,
        a kernel object from :mod:`dynmeans.kernels` with its parameters, or a function of two arrays.
    birth_cost : float or "auto", default="auto"
        Cost of a new cluster (the paper's lambda), in units of the kernel. ``"auto"`` estimates it from the
        first batch with different rows: the middle of the range of birth costs that keeps the separated
        clusters of that batch, relative to its weight; a tenth of the weight if there are none. For the
        linear kernel it is estimated as in :class:`DMeans`.
    lifetime : float, default=12
        Number of time steps without points after which a cluster dies (T_Q, > 1).
    reach : float, default=5
        Mobility of clusters (k_tau, >= 1 - 1/lifetime); see :class:`DMeans`. Increase it if clusters that
        persist get new ids. With ``birth_cost="auto"`` the ``"diffusion"`` kernel has another default.
    aging_cost, drift : float, optional
        The parameters Q and tau of the paper, instead of ``lifetime`` and ``reach``.
    relative : bool, optional
        Costs are relative to the batch: the birth and aging cost are multiplied by its weight, the drift is
        divided by it. The eigenvalues of a kernel grow with the batch, and so should the costs. By default
        true if ``birth_cost`` is ``"auto"``.
    motion : {"walk", "align"}, default="walk"
        ``"walk"`` is the paper's random walk. ``"align"``, an extension of the paper, first shifts the
        support points of each remembered cluster by the translation that best explains the new batch.
    budget : int, default=80
        Maximum number of support points per cluster: past points that represent its center in kernel space.
    selection : {"greedy", "l1"}, default="greedy"
        How support points are selected.
    certify : bool, default=False
        Also compute ``step_.lower_bound``, a lower bound on the cost of any clustering of the batch.
    n_jobs : int, optional
        Maximum number of threads for the minimum spanning tree of the ``"mst"`` kernel; by default all cores.
        Results do not depend on it. Other compiled parts use one thread; the threads of the linear algebra
        library are not affected.
    n_restarts, max_iter, random_state, history_size, on_event
        As in :class:`DMeans`.

    Attributes
    ----------
    labels_, n_clusters_, cluster_ids_, cluster_weights_, cluster_ages_, step_, history_, n_steps_, n_iter_, \
    birth_cost_
        As in :class:`DMeans`.
    cluster_centers_ : ndarray of shape (K, n_features)
        Mean of the rows of each cluster, which may lie outside of a cluster that is not convex; without
        columns for a precomputed kernel.
    kept_rows_ : ndarray of shape (M, 2)
        For a precomputed kernel: step and row of every support point, in the order of the columns of the next
        batch, whose matrix has shape (n, n + M).

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans import KDMeans
    >>> near = np.random.default_rng(0).normal(size=(20, 2))
    >>> model = KDMeans(kernel="rbf", random_state=0)
    >>> model.partial_fit(np.concatenate([near, near + 9.0])).step_.active
    array([0, 1])
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        birth_cost: float | str = "auto",
        lifetime: float | None = None,
        reach: float | None = None,
        *,
        aging_cost: float | None = None,
        drift: float | None = None,
        relative: bool | None = None,
        motion: str = "walk",
        budget: int = 80,
        selection: Selection = "greedy",
        certify: bool = False,
        n_restarts: int = 3,
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: Any = None,
        history_size: int = 10_000,
        on_event: Callable[[Event], object] | None = None,
    ) -> None:
        self.kernel = kernel
        self.birth_cost = birth_cost
        self.lifetime = lifetime
        self.reach = reach
        self.aging_cost = aging_cost
        self.drift = drift
        self.relative = relative
        self.motion = motion
        self.budget = budget
        self.selection = selection
        self.certify = certify
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.history_size = history_size
        self.on_event = on_event

    def _cluster(
        self, similarity: Similarity, prior: Prior, costs: Costs, search: SearchOptions, n_steps: int
    ) -> KernelFit:
        fit = descend_kernel(similarity, prior, costs, search, n_steps)
        if not self.certify:
            return fit
        return fit._replace(lower_bound=min(relaxed(similarity, prior, costs).lower_bound, fit.cost))
