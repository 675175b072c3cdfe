"""Which kernels to choose from: the one that was given, with several values of its own parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dynmeans.estimators.kernel import KernelClusterer
from dynmeans.kernels import MST, RBF, Diffusion, Kernel, Precomputed, first_scene, kernel_named
from dynmeans.kernels.diffusion import TIME
from dynmeans.tuning.stream import TuningStream

FACTORS = (0.35, 0.6, 1.0, 1.7, 3.0)  # around what the kernel would estimate by itself


def check_kernel(model: KernelClusterer) -> None:
    """Refuse a kernel without rows."""
    if isinstance(kernel_named(model.kernel), Precomputed):
        raise ValueError("a precomputed kernel cannot be tuned: it has no rows to cut into halves")


def kernel_choices(
    model: KernelClusterer, stream: TuningStream, kernels: Sequence[Kernel] | None
) -> list[dict[str, Any]]:
    """Parameters that set the kernel; an empty one keeps it as it is."""
    if kernels is not None:
        return [{"kernel": kernel_named(kernel)} for kernel in kernels]
    family = _family(kernel_named(model.kernel), stream)
    return [{"kernel": kernel} for kernel in family] or [{}]


def _family(kernel: Kernel, stream: TuningStream) -> list[Kernel]:
    middle = stream.batches[len(stream.batches) // 2]
    if isinstance(kernel, RBF) and kernel.bandwidth is None:
        width = kernel.fitted(first_scene(middle)).bandwidth
        return [] if width is None else [replace(kernel, bandwidth=factor * width) for factor in FACTORS]
    if isinstance(kernel, MST) and kernel.scale is None:
        scale = kernel.fitted(first_scene(middle)).scale
        return [] if scale is None else [replace(kernel, scale=factor * scale) for factor in FACTORS]
    if isinstance(kernel, Diffusion) and kernel.time is None:
        rows = float(np.median([len(batch) for batch in stream.batches]))
        return [replace(kernel, time=factor * TIME * rows) for factor in FACTORS]
    return []
