"""Parameters of `PersistentIds`, and the space in which it compares clusters."""

from __future__ import annotations

from typing import Any

from dynmeans._algorithms.linking.link_spaces import CosineLinks, KernelLinks, LinkSpace, RowLinks
from dynmeans._model.costs import AgingDefaults, Costs
from dynmeans._model.motion import get_motion
from dynmeans.estimators._parameters.cost_parameters import step_costs
from dynmeans.estimators._validation import valid_choice, valid_count
from dynmeans.kernels import get_kernel

METRICS = ("euclidean", "cosine")
NOISE_RULES = ("keep", "nearest")
KERNEL_MOTIONS = ("walk", "align")
LINK_AGING = AgingDefaults(lifetime=3.0, reach=1.0)


def link_costs(model: Any, estimate: float | None) -> Costs:
    """Return the costs of a step; ``estimate`` counts if the birth cost is not given."""
    costs = step_costs(model, estimate, LINK_AGING)
    if is_raw(model):
        return costs
    return costs._replace(drift=0.0) if model.metric == "cosine" else costs.for_groups()


def link_space(model: Any) -> LinkSpace:
    """Return the space in which clusters are compared."""
    if model.kernel is not None:
        return KernelLinks(get_kernel(model.kernel), model.budget, model.motion == "align")
    if model.metric == "cosine":
        return CosineLinks(_cosine_scale(model))
    return RowLinks(get_motion(model.motion))


def _cosine_scale(model: Any) -> float:
    """Return the weight g of 1 - cos in the cost of a link: see `sphere_linking`."""
    if is_raw(model):
        return 1.0
    reach = LINK_AGING.reach if model.reach is None else model.reach
    return (1.0 - 1.0 / step_costs(model, None, LINK_AGING).lifetime) / float(reach)


def is_raw(model: Any) -> bool:
    """Return whether the raw pair of costs is given, instead of lifetime and reach."""
    return model.aging_cost is not None or model.drift is not None


def check_link_parameters(model: Any) -> None:
    """Raise if a parameter of `PersistentIds` is invalid."""
    if model.estimator is not None and not hasattr(model.estimator, "fit_predict"):
        raise ValueError(f"estimator must have a method fit_predict, got {model.estimator!r}")
    valid_choice("noise", model.noise, NOISE_RULES)
    valid_choice("metric", model.metric, METRICS)
    if model.metric == "cosine":
        if model.kernel is not None:
            raise ValueError("metric='cosine' compares clusters without a kernel: set one of the two")
        valid_choice("motion", model.motion, ("walk",), "with metric='cosine'")
    if model.kernel is None:
        get_motion(model.motion)
        return
    valid_count("budget", model.budget, 1)
    if get_kernel(model.kernel).is_pairwise():
        raise ValueError("kernel must compare rows, got 'precomputed': use SDMeans or KDMeans for that")
    valid_choice("motion", model.motion, KERNEL_MOTIONS, "with a kernel")
