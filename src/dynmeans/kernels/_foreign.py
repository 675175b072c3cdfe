"""Kernels that are not derived from `Kernel`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import Kernel, KernelInput, Similarity


@dataclass(frozen=True)
class ForeignKernel(Kernel):
    """Add the default methods of `Kernel` to an object with ``fitted``, ``compare`` and ``gram``."""

    kernel: Any

    def fitted(self, inputs: KernelInput) -> ForeignKernel:
        """Return the kernel with estimated parameters."""
        return ForeignKernel(self.kernel.fitted(inputs))

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step."""
        similarity: Similarity = self.kernel.compare(inputs)
        return similarity

    def gram(self, inputs: KernelInput, members: IntArray, kept: IntArray) -> FloatArray | None:
        """Return W of support points, then rows."""
        matrix: FloatArray | None = self.kernel.gram(inputs, members, kept)
        return matrix
