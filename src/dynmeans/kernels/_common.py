"""What several kernels share: checks, points picked from a scene, and similarities put together."""

from __future__ import annotations

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.kernels.base import KernelInput, Similarity, combine


def check_positive(name: str, value: float | None) -> None:
    """Refuse a number that is not finite and above 0; None stands for a value that will be estimated."""
    if value is not None and not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name} is {value!r}; it must be finite and above 0")


def first_input(rows: FloatArray, weights: FloatArray | None = None) -> KernelInput:
    """The scene of a batch before which nothing is remembered."""
    return KernelInput(
        rows,
        np.ones(len(rows)) if weights is None else weights,
        np.empty((0, rows.shape[1])),
        np.empty(0),
        np.empty(0, dtype=np.int64),
        0,
    )


def pick(scene: KernelInput, members: IntArray, kept: IntArray) -> FloatArray:
    """Some kept points, then some rows of the batch: the order of W."""
    return np.concatenate([scene.kept[kept], scene.rows[members]])


def mixing(scene: KernelInput, places: IntArray, n_places: int) -> FloatArray:
    """Coefficients of the old clusters as a table (n_places, K), where kept point j counts at places[j]."""
    size = n_places * scene.n_old
    cells = np.bincount(places * scene.n_old + scene.owner, weights=scene.coefficients, minlength=size)
    return cells.astype(np.float64).reshape(n_places, scene.n_old)


def from_matrices(
    scene: KernelInput, matrix: FloatArray, y_kept: FloatArray, kept_kept: FloatArray
) -> Similarity:
    """Similarity of a kernel without structure, from K_YY and the kernel of either with kept points."""
    y_phi, phi_phi = combine(scene, y_kept, kept_kept)
    return Similarity(scene.weights, matrix.diagonal().copy(), y_phi, phi_phi, matrix=matrix)


def from_features(scene: KernelInput, features: FloatArray, kept_features: FloatArray) -> Similarity:
    """Similarity of a kernel that is a product of features, of the rows (n, f) and of kept points (M, f)."""
    n_kept = len(scene.kept)
    phi = mixing(scene, np.arange(n_kept), n_kept).T @ kept_features
    return Similarity(
        scene.weights,
        np.einsum("ij,ij->i", features, features),
        features @ phi.T,
        np.einsum("kj,kj->k", phi, phi),
        features=features,
        phi_features=phi,
    )
