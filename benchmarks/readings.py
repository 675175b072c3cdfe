"""Readings of the paper's ring experiment, where its text leaves a choice.

"Isotropic Gaussian noise of standard deviation 0.03" may be the noise of each coordinate, or of a length in
a random direction. "The minimum spanning tree of the dataset at each timestep" may contain the support
points of earlier steps, or the points of the step alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from dynmeans._core import tree_distances
from dynmeans.datasets import Stream, moving_rings
from dynmeans.kernels import KernelInput, Similarity
from dynmeans.kernels._geometry.forest import build_forest
from dynmeans.kernels.base import combine


def gusty_rings(n_steps: int, *, noise: float = 0.03, together: bool = True, random_state: int = 0) -> Stream:
    """Make rings whose points are displaced by a Gaussian length in a random direction."""
    stream = moving_rings(n_steps, noise=0.0, together=together, random_state=random_state)
    rng = np.random.default_rng([random_state, 1])
    return stream._replace(batches=[X + _gusts(len(X), noise, rng) for X in stream.batches])


def _gusts(n: int, noise: float, rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(0.0, 2.0 * math.pi, n)
    return rng.normal(0.0, noise, (n, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@dataclass(frozen=True)
class RowsOnlyMST:
    """The paper's kernel with the tree of the batch alone; a support point is connected to its nearest row.

    This edge counts if it is longer than the scale, like the edges of the tree.
    """

    scale: float

    def fitted(self, inputs: KernelInput) -> RowsOnlyMST:
        """Return the kernel itself: nothing is estimated."""
        return self

    def compare(self, inputs: KernelInput) -> Similarity:
        """Compute the similarities of one step, as a dense matrix."""
        n = len(inputs.rows)
        kernel = self._square(inputs, np.arange(n), np.arange(len(inputs.kept)))
        n_kept = len(inputs.kept)
        y_phi, phi_phi = combine(inputs, kernel[n_kept:, :n_kept], kernel[:n_kept, :n_kept])
        matrix = np.ascontiguousarray(kernel[n_kept:, n_kept:])
        return Similarity(inputs.weights, np.ones(n), y_phi, phi_phi, matrix=matrix)

    def gram(self, inputs: KernelInput, members: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """Return W of support points, then rows."""
        return self._square(inputs, members, kept)

    def _square(self, inputs: KernelInput, members: np.ndarray, kept: np.ndarray) -> np.ndarray:
        forest = build_forest(inputs.rows, self.scale)
        hook, near = cKDTree(inputs.rows).query(inputs.kept[kept]) if len(kept) else (np.empty(0), kept)
        where = forest.component[np.concatenate([near, members])]
        length = np.concatenate([np.where(hook > self.scale, hook, 0.0), np.zeros(len(members))])
        paths = tree_distances(forest.parent, forest.length)
        distance = paths[np.ix_(where, where)] + length + length[:, None]
        np.fill_diagonal(distance, 0.0)
        kernel: np.ndarray = np.exp(-0.5 * np.minimum(distance / self.scale, 50.0) ** 2)
        return kernel
