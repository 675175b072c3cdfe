"""D-Means: the algorithm box of the paper."""

from __future__ import annotations

from dynmeans.algorithms.batch import Batch, Search
from dynmeans.core import descend
from dynmeans.model.costs import Costs
from dynmeans.model.lifecycle import Rolled, roll_forward
from dynmeans.model.motion import Motion
from dynmeans.model.objective import Fit
from dynmeans.model.prior import Prior, carry_forward
from dynmeans.model.state import ClusterState


def step(state: ClusterState, batch: Batch, costs: Costs, motion: Motion, search: Search) -> Rolled:
    """Algorithm (dynmeans): one time step, from the memory and a batch to the next memory and a report."""
    prior = carry_forward(state, batch.time, costs, motion)
    fit = cluster(batch, prior, costs, search, state.n_steps)
    return roll_forward(state, prior, fit, costs, motion, batch.time)


def cluster(batch: Batch, prior: Prior, costs: Costs, search: Search, n_steps: int) -> Fit:
    """Descend from several random orders; randomness comes from (seed, step number, restart)."""
    found = descend(
        batch.rows,
        batch.weights,
        prior.centers,
        prior.gammas,
        prior.revival,
        birth=costs.birth,
        seed=search.seed,
        step=n_steps,
        n_restarts=search.n_restarts,
        max_iter=search.max_iter,
        n_threads=search.n_threads,
    )
    return Fit(*found)
