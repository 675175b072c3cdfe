"""Parameters of `PersistentIds`, and the space in which it compares clusters."""

from __future__ import annotations

from typing import Any

from dynmeans._algorithms.link_spaces import CosineLinks, KernelLinks, LinkSpace, RowLinks
from dynmeans._model.motion import get_motion
from dynmeans.estimators.validation import valid_choice, valid_count
from dynmeans.kernels import get_kernel

METRICS = ("euclidean", "cosine")
NOISE_RULES = ("keep", "nearest")
KERNEL_MOTIONS = ("walk", "align")


def link_space(model: Any, lifetime: float) -> LinkSpace:
    """Return the space in which clusters are compared."""
    if model.kernel is not None:
        return KernelLinks(get_kernel(model.kernel), model.budget, model.motion == "align")
    if model.metric == "cosine":
        return CosineLinks(_cosine_scale(model, lifetime))
    return RowLinks(get_motion(model.motion))


def _cosine_scale(model: Any, lifetime: float) -> float:
    """Return the weight g of 1 - cos in the cost of a link: see `sphere_linking`."""
    if is_raw(model):
        return 1.0
    reach = model._aging_defaults.reach if model.reach is None else model.reach
    return (1.0 - 1.0 / lifetime) / float(reach)


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
