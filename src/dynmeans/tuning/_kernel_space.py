"""Search space for kernels: costs as shares of a batch, and the kernel's own parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.kernel_space.kernel_birth_cost import estimate_birth_share
from dynmeans._algorithms.kernel_space.kernel_state import first_batch
from dynmeans._model.costs import AgingDefaults
from dynmeans._model.types import FloatArray
from dynmeans._sampling import evenly_spaced
from dynmeans.estimators._shell.kernel_base import KERNEL_AGING, KernelClusterer
from dynmeans.kernels import MST, RBF, Diffusion, Kernel, first_input, get_kernel
from dynmeans.kernels.base import BIRTH_SHARE
from dynmeans.kernels.diffusion import RELATIVE_TIME
from dynmeans.tuning._separation import MEASURE_ROWS
from dynmeans.tuning._space import BATCHES, Axis, Space, lifetimes, make_space
from dynmeans.tuning._stream import TuningStream

SHARES = (0.01, 0.5)  # range of the birth cost as a share of a batch: at most 100 clusters, at least 2
MARGIN = 4.0  # the range also extends to this multiple of the default, and to its inverse
WIDTHS = (1.0 / 3.0, 3.0)  # range of the kernel's parameter, in units of its estimate


def check_kernel(kernel: Kernel) -> None:
    """Reject a precomputed matrix: its columns depend on the support rows of each trial."""
    if kernel.is_pairwise():
        raise ValueError(
            "a precomputed kernel cannot be tuned, because every trial keeps other support rows: tune "
            "on batches of row numbers, with a function as kernel that looks up the similarities"
        )


def kernel_space(
    model: KernelClusterer,
    stream: TuningStream,
    choices: Sequence[Mapping[str, Any]],
    kernels: Sequence[Kernel] | None,
    interval: float,
) -> Space:
    """Build the search space of an estimator with a kernel, with its defaults."""
    default = KERNEL_AGING
    own = get_kernel(model.kernel)
    named = [{"kernel": get_kernel(kernel)} for kernel in kernels or ()]
    each = [{**choice, **kernel, "relative": True} for choice in choices for kernel in named or [{}]]
    unit = _self_similarity(own, stream)
    share = _birth_share(own, stream, unit)
    births = min(SHARES[0] * unit, share / MARGIN), max(SHARES[1] * unit, share * MARGIN)
    space = make_space(births, len(stream.batches), each, interval)
    longest = max(lifetimes(len(stream.batches))[1], default.lifetime)
    axes = tuple(axis._replace(high=longest) if axis.name == "lifetime" else axis for axis in space.axes)
    widen = None if kernels else _make_widen(own, stream)
    width = () if widen is None else (Axis("width", *WIDTHS),)
    return space._replace(
        axes=(*axes, *width), defaults=_default_position((*axes, *width), default, share), widen=widen
    )


def _self_similarity(kernel: Kernel, stream: TuningStream) -> float:
    """Compute the mean similarity of a row with itself, the unit of birth costs."""
    if isinstance(kernel, MEASURE_ROWS):
        return 1.0
    scene = first_input(stream.batches[0])
    return float(kernel.compare(scene).diagonal.mean())


def _birth_share(kernel: Kernel, stream: TuningStream, unit: float) -> float:
    """Return the estimate of the first batch that has one, as the estimator does."""
    if kernel.birth_share() is not None:
        for X in stream.batches:
            share = estimate_birth_share(kernel, first_batch(kernel, Batch(X, None, 0.0)))
            if share is not None:
                return share
    return BIRTH_SHARE * unit


def _some(stream: TuningStream) -> list[FloatArray]:
    """Return at most BATCHES evenly spaced batches."""
    return [stream.batches[i] for i in evenly_spaced(len(stream.batches), BATCHES)]


def _default_position(axes: Sequence[Axis], default: AgingDefaults, share: float) -> FloatArray:
    values = {
        "birth_cost": share,
        "lifetime": default.lifetime,
        "reach": default.reach,
        "width": 1.0,
    }
    return np.array([axis.share(values[axis.name]) for axis in axes])


def _make_widen(kernel: Kernel, stream: TuningStream) -> Callable[[float], Kernel] | None:
    """Return a function that multiplies the kernel's estimated parameter; None if it estimates none.

    For factor 1 it returns the given kernel, which estimates its parameter itself.
    """
    name, estimate = _estimate(kernel, stream)
    if estimate is None:
        return None
    base = kernel.fitted(first_input(stream.batches[0])) if isinstance(kernel, Diffusion) else kernel

    def widen(factor: float) -> Kernel:
        if np.isclose(factor, 1.0, rtol=1e-9, atol=0.0):
            return kernel
        wider: Kernel = replace(base, **{name: factor * estimate})  # type: ignore[type-var]
        return wider

    return widen


def _estimate(kernel: Kernel, stream: TuningStream) -> tuple[str, float | None]:
    """Return name and median estimate of the parameter that the kernel estimates."""
    if isinstance(kernel, RBF) and kernel.bandwidth is None:
        return "bandwidth", _median([kernel.fitted(first_input(X)).bandwidth for X in _some(stream)])
    if isinstance(kernel, MST) and kernel.scale is None:
        return "scale", _median([kernel.fitted(first_input(X)).scale for X in _some(stream)])
    if isinstance(kernel, Diffusion) and kernel.time is None and kernel.relative_time is None:
        return "relative_time", kernel.fitted(first_input(stream.batches[0])).relative_time or RELATIVE_TIME
    return "", None


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None
