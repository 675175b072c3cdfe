"""Costs of D-Means on the unit sphere, in units of 1 - cosine.

A cluster of large weight that was last seen one step ago is revived by a row x with

    1 - x . phi <= m + tau m (2 - m) / 2,    m = lambda - Q = (1 - 1 / T_Q) lambda       Eq. (sphere-reach)

so that tau = 2 (k_tau lambda - m) / (m (2 - m)) for a reach of k_tau birth costs. The smallest reach is
1 - 1 / T_Q, where tau = 0. It is the default: with drift, an orthogonal row revives a sleeping cluster.
"""

from __future__ import annotations

from dynmeans._model.costs import AgingDefaults, AgingParameters, Costs, make_costs

LARGEST_COSINE_COST = 2.0  # 1 - cosine of opposite directions
# A row of a cluster is far from its center, relative to the birth cost. With a lifetime of 3, the sum of its
# cost and the aging cost would exceed the birth cost after one step of absence for most clusters.
SPHERE_LIFETIME = 8.0


def make_sphere_costs(birth: float, parameters: AgingParameters) -> Costs:
    """Validate the parameters and convert them to the three costs of the model.

    Parameters
    ----------
    birth : float
        The birth cost lambda, 1 - cosine, in (0, 2].
    parameters : AgingParameters
        The default lifetime is 8, the default reach is 1 - 1 / lifetime, which is a drift of 0.
    """
    default = AgingDefaults(lifetime=SPHERE_LIFETIME)
    if not 0 < birth <= LARGEST_COSINE_COST:
        raise ValueError(
            f"birth_cost is 1 - cosine with metric='cosine'; it must lie in (0, 2], got {birth!r}"
        )
    costs = make_costs(birth, parameters._replace(reach=None), default)
    if parameters.aging_cost is not None or parameters.drift is not None:
        make_costs(birth, parameters, default)  # refuses a reach beside the raw pair
        return costs
    if parameters.reach is None:
        return costs._replace(drift=0.0)
    drift = drift_from_sphere_reach(birth, costs.lifetime / costs.interval, parameters.reach)
    return costs._replace(drift=drift / costs.interval)


def drift_from_sphere_reach(birth: float, lifetime: float, reach: float) -> float:
    """Eq. (sphere-reach), solved for the drift tau."""
    smallest = 1.0 - 1.0 / lifetime
    if not (smallest <= reach and reach * birth <= LARGEST_COSINE_COST):
        raise ValueError(
            f"reach must be at least 1 - 1/lifetime = {smallest:g} and at most 2/birth_cost = "
            f"{LARGEST_COSINE_COST / birth:g} with metric='cosine', got {reach!r}"
        )
    m = smallest * birth
    return max(2.0 * (reach * birth - m) / (m * (2.0 - m)), 0.0)
