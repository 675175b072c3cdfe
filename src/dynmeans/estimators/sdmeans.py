"""SD-Means as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynmeans._algorithms.batch import Search
from dynmeans._algorithms.kernel_step import Clusterer, Found
from dynmeans._algorithms.sdmeans import cluster_spectral
from dynmeans._algorithms.support_selection import Selection
from dynmeans._model.costs import Costs
from dynmeans._model.events import Event
from dynmeans._model.prior import Prior
from dynmeans.estimators.kernel import KernelClusterer
from dynmeans.kernels import Similarity


class SDMeans(KernelClusterer):
    """Cluster batches by spectral relaxation: clusters of any shape, with a certificate for each step.

    The relaxed problem is solved by eigenvectors, rounded to clusters, linked to the remembered ones at
    least cost, and refined. ``step_.lower_bound`` says what no clustering of the batch can cost less than;
    where ``step_.gap`` is small, there is no better clustering to look for.

    Parameters
    ----------
    kernel : str, kernel or callable, default="rbf"
        ``"rbf"``, ``"linear"``, ``"mst"``, ``"diffusion"``, ``"gaussian_process"``, ``"precomputed"``,
        a kernel from :mod:`dynmeans.kernels` with parameters of its own, or a function of two arrays.
    birth_cost : float or "auto", default="auto"
        Price of a new cluster (the paper's lambda), in units of the kernel. ``"auto"`` is a tenth of the
        points of each batch, which suits kernels that are 1 for equal points; for the linear kernel it is
        estimated as in :class:`DMeans`.
    lifetime : float, default=12
        Time steps that a cluster may go unseen before it is forgotten (T_Q, > 1).
    reach : float, default=5
        How freely clusters move (k_tau, >= 1); see :class:`DMeans`. Raise it if clusters that are still
        there get new ids.
    aging_cost, drift : float, optional
        The paper's raw pair Q and tau, instead of ``lifetime`` and ``reach``.
    relative : bool, optional
        Costs are shares of the batch: the birth and aging cost times its weight, the drift divided by it.
        The eigenvalues of a kernel grow with the batch, and so should what they are compared with. By
        default true where ``birth_cost`` is ``"auto"``.
    motion : {"walk", "align"}, default="walk"
        ``"walk"`` is the paper's random walk. ``"align"``, an extension of the paper, first shifts the kept
        points of each remembered cluster by the translation that best explains the new batch.
    budget : int, default=80
        Most past points that stand for the centre of a cluster in the space of the kernel.
    selection : {"greedy", "l1"}, default="greedy"
        How these points are chosen.
    refine : bool, default=True
        Polish the rounded clusters by the descent of :class:`KDMeans`, which can only lower the cost.
    n_restarts, max_iter, n_jobs, random_state, history_size, on_event
        As in :class:`DMeans`.

    Attributes
    ----------
    labels_, cluster_ids_, cluster_weights_, cluster_ages_, step_, history_, n_steps_, n_iter_, birth_cost_
        As in :class:`DMeans`.
    cluster_centers_ : ndarray of shape (K, n_features)
        Mean place of each cluster among the rows, which may lie outside of a cluster that is not round;
        without columns for a precomputed kernel.
    kept_rows_ : ndarray of shape (M, 2)
        For a precomputed kernel: step and row of every kept point, in the order of its columns in the next
        batch, whose matrix has shape (n, n + M).

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans import SDMeans
    >>> near = np.random.default_rng(0).normal(size=(20, 2))
    >>> model = SDMeans(kernel="rbf", random_state=0)
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
        refine: bool = True,
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
        self.refine = refine
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.history_size = history_size
        self.on_event = on_event

    def _clusterer(self) -> Clusterer:
        refine = bool(self.refine)

        def cluster(alike: Similarity, prior: Prior, costs: Costs, search: Search, n_steps: int) -> Found:
            fit = cluster_spectral(alike, prior, costs, search, n_steps, refine=refine)
            return Found(fit.labels, fit.cost, fit.n_iter, fit.restart_costs, fit.lower_bound)

        return cluster
