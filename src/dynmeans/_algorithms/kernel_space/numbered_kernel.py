"""Precomputed kernels in the update of support points: points are numbers instead of rows."""

from __future__ import annotations

import numpy as np

from dynmeans._algorithms.kernel_space.support import Support
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Kernel, KernelInput, Similarity


class NumberedKernel(Kernel):
    """A precomputed kernel whose points are numbers: support points first, then rows of the batch."""

    def __init__(self, kernel: Kernel, inputs: KernelInput) -> None:
        self.kernel, self.inputs = kernel, inputs

    def fitted(self, inputs: KernelInput) -> Kernel:
        """Return the kernel."""
        return self

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step."""
        return self.kernel.compare(self.inputs)

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray | None:
        """Return W of support points, then rows, all given by their numbers."""
        return self.kernel.gram(self.inputs, members, kept)


def number_points(
    kernel: Kernel, support: Support, inputs: KernelInput
) -> tuple[Support, KernelInput, NumberedKernel]:
    """Replace similarities by point numbers: the selected points determine which similarities are kept."""
    n_kept = len(inputs.kept)
    kept = np.arange(n_kept, dtype=np.float64)[:, None]
    rows = np.arange(n_kept, n_kept + len(inputs.rows), dtype=np.float64)[:, None]
    return support._replace(rows=kept), inputs._replace(rows=rows, kept=kept), NumberedKernel(kernel, inputs)
