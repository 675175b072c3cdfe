"""Where to look with a kernel: costs as shares of a batch, and the kernel's own parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dynmeans._model.costs import Default
from dynmeans._model.types import FloatArray
from dynmeans.estimators.kernel import BIRTH_SHARE, KernelClusterer
from dynmeans.kernels import MST, RBF, Diffusion, Kernel, Precomputed, first_input, get_kernel
from dynmeans.kernels.diffusion import TIME
from dynmeans.tuning.separation import MEASURE_ROWS
from dynmeans.tuning.space import Axis, Space, lifetimes, make_space
from dynmeans.tuning.stream import TuningStream

SHARES = (0.01, 0.5)  # of a batch: more clusters than a hundred, or than two, are no use
WIDTHS = (1.0 / 3.0, 3.0)  # of the kernel's parameter, in units of what it would estimate by itself


def check_kernel(kernel: Kernel) -> None:
    """Refuse a matrix, whose columns would have to follow each setting's own choice of rows to keep."""
    if isinstance(kernel, Precomputed):
        raise ValueError(
            "a precomputed kernel cannot be tuned, since every setting keeps other rows: tune on batches of "
            "row numbers, with a function as kernel that looks up the similarities"
        )


def kernel_space(
    model: KernelClusterer,
    stream: TuningStream,
    choices: Sequence[Mapping[str, Any]],
    kernels: Sequence[Kernel] | None,
    interval: float,
) -> Space:
    """The space around the defaults, which are its home."""
    usual = model._default
    own = get_kernel(model.kernel)
    named = [{"kernel": get_kernel(kernel)} for kernel in kernels or ()]
    each = [{**choice, **kernel, "relative": True} for choice in choices for kernel in named or [{}]]
    height = _height(own, stream)
    space = make_space((SHARES[0] * height, SHARES[1] * height), len(stream.batches), each, interval)
    longest = max(lifetimes(len(stream.batches))[1], usual.lifetime)
    axes = tuple(axis._replace(high=longest) if axis.name == "lifetime" else axis for axis in space.axes)
    widen = None if kernels else _widening(own, stream)
    width = () if widen is None else (Axis("width", *WIDTHS),)
    return space._replace(axes=(*axes, *width), home=_home((*axes, *width), usual, height), widen=widen)


def _height(kernel: Kernel, stream: TuningStream) -> float:
    """How alike a row is to itself: shares of a batch are in units of it."""
    if isinstance(kernel, MEASURE_ROWS):
        return 1.0
    scene = first_input(stream.batches[0])
    return float(kernel.compare(scene).diagonal.mean())


def _home(axes: Sequence[Axis], usual: Default, height: float) -> FloatArray:
    values = {
        "birth_cost": BIRTH_SHARE * height,
        "lifetime": usual.lifetime,
        "reach": usual.reach,
        "width": 1.0,
    }
    return np.array([axis.share(values[axis.name]) for axis in axes])


def _widening(kernel: Kernel, stream: TuningStream) -> Callable[[float], Kernel] | None:
    """The kernel with its parameter at a multiple of what it would estimate; None if it estimates none.

    At 1 it is the kernel as it was given, which estimates for itself.
    """
    name, usual = _estimate(kernel, stream)
    if usual is None:
        return None

    def widen(factor: float) -> Kernel:
        if np.isclose(factor, 1.0, rtol=1e-9, atol=0.0):
            return kernel
        wider: Kernel = replace(kernel, **{name: factor * usual})  # type: ignore[type-var]
        return wider

    return widen


def _estimate(kernel: Kernel, stream: TuningStream) -> tuple[str, float | None]:
    """Name and usual value of the parameter that the kernel estimates."""
    if isinstance(kernel, RBF) and kernel.bandwidth is None:
        return "bandwidth", _median([kernel.fitted(first_input(X)).bandwidth for X in stream.batches])
    if isinstance(kernel, MST) and kernel.scale is None:
        return "scale", _median([kernel.fitted(first_input(X)).scale for X in stream.batches])
    if isinstance(kernel, Diffusion) and kernel.time is None:
        return "time", TIME * float(np.median([len(batch) for batch in stream.batches]))
    return "", None


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None
