"""The relaxed problem: old clusters and points in one matrix, its largest eigenvalues, and a certificate."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np

from dynmeans._algorithms.kernel_space.lanczos import Eigenpairs, Operator, lanczos_pairs
from dynmeans._core import eigenpairs, relax, relaxed_bound
from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans._model.types import FloatArray
from dynmeans.kernels.base import Similarity

Route = Literal["auto", "dense", "lanczos", "reduced"]

LARGEST_DENSE = 256  # up to this size LAPACK's range of eigenvalues is faster than Lanczos


class Spectrum(NamedTuple):
    """The relaxed optimum."""

    values: FloatArray  # sigma (c,)  descending, above the birth cost; the largest one if none is
    vectors: FloatArray  # V* (R + K, c)  unit eigenvectors of G: points, then remembered clusters
    lower_bound: float  # no clustering of the batch costs less


def relaxed(similarity: Similarity, prior: Prior, costs: Costs, route: Route = "auto") -> Spectrum:
    """Eq. (relaxedopt): the eigenvectors of G with eigenvalues above the birth cost.

    Parameters
    ----------
    similarity : Similarity
        Of R representatives and K remembered clusters.
    prior, costs : Prior, Costs
        Weights and revival costs of the remembered clusters, and the birth cost.
    route : {"auto", "dense", "lanczos", "reduced"}
        Method; all give the same result. "reduced" needs features.

    Returns
    -------
    Spectrum
        Eigenpairs and lower bound.

    Notes
    -----
    A feasible Z has a column for each remembered cluster, seen or not, and at least one in all. So the bound
    sums at least max(K, 1) eigenvalues, even if some are below the birth cost. Otherwise every sleeping
    cluster would make it looser by up to a birth cost.

    Examples
    --------
    >>> import numpy as np
    >>> from dynmeans.kernels.base import Similarity
    >>> from dynmeans._model.costs import Costs
    >>> from dynmeans._model.prior import Prior
    >>> empty = np.empty(0)
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))  # two groups of three equal points
    >>> similarity = Similarity(np.ones(6), np.ones(6), np.empty((6, 0)), empty, matrix=blocks)
    >>> empty_prior = Prior(np.empty((0, 1)), empty, empty, empty)
    >>> found = relaxed(similarity, empty_prior, Costs(birth=0.5, lifetime=3.0, drift=1.0))
    >>> found.values.round(6), round(found.lower_bound, 6)
    (array([3., 3.]), 1.0)
    """
    chosen = _route(similarity, prior) if route == "auto" else route
    arguments = core_arguments(similarity, prior, costs.birth)
    pairs = None if chosen == "dense" else _eigenpairs(similarity, prior, costs.birth, chosen)
    if pairs is None:
        return Spectrum(*relax(**arguments, matrix=_among_points(similarity)))
    above = max(1, int(np.count_nonzero(pairs.values > costs.birth)))
    bound = relaxed_bound(pairs.values, **arguments)
    return Spectrum(pairs.values[:above], np.ascontiguousarray(pairs.vectors[:, :above]), bound)


class CoreArguments(TypedDict):
    """Arguments that the compiled functions of SD-Means share, by name."""

    weights: FloatArray
    diagonal: FloatArray
    y_phi: FloatArray
    phi_phi: FloatArray
    gammas: FloatArray
    revival: FloatArray
    birth: float


def core_arguments(s: Similarity, prior: Prior, birth: float) -> CoreArguments:
    """Collect the arguments of the compiled functions besides K_YY."""
    return {
        "weights": s.weights,
        "diagonal": s.diagonal,
        "y_phi": s.y_phi,
        "phi_phi": s.phi_phi,
        "gammas": prior.gammas,
        "revival": prior.revival,
        "birth": birth,
    }


def _eigenpairs(s: Similarity, prior: Prior, birth: float, route: Route) -> Eigenpairs | None:
    """Return at least K eigenpairs; None if they are too many for Lanczos."""
    at_least = max(1, len(prior.gammas))
    if route == "reduced":
        return _reduced_pairs(s, prior, birth, at_least)
    return lanczos_pairs(_operator(s, prior), birth, at_least, _initial_vectors(s, prior))


def has_small_matrix(s: Similarity, prior: Prior) -> bool:
    """Return whether K_YY is a dense matrix that is small enough for LAPACK."""
    return isinstance(s.matrix, np.ndarray) and _is_small(s, prior)


def _route(s: Similarity, prior: Prior) -> Route:
    if s.features is not None and s.features.shape[1] < len(s.weights):
        return "reduced"
    return "dense" if _is_small(s, prior) else "lanczos"


def _is_small(s: Similarity, prior: Prior) -> bool:
    return len(s.weights) + len(prior.gammas) <= LARGEST_DENSE


def _old_diagonal(s: Similarity, prior: Prior) -> FloatArray:
    """Return Gamma K_PhiPhi + Omega; only the diagonal of K_PhiPhi is used."""
    diagonal: FloatArray = prior.gammas * s.phi_phi + prior.revival
    return diagonal


def _among_points(s: Similarity) -> Any:
    """Return K_YY as a dense matrix."""
    if s.features is not None:
        return s.features @ s.features.T
    return s.matrix if isinstance(s.matrix, np.ndarray) else s.matrix.toarray()


def _operator(s: Similarity, prior: Prior) -> Operator:
    """Return G as a product with vectors, which uses the structure of the kernel."""
    size, root = len(s.weights), np.sqrt(s.weights)[:, None]
    cross, diagonal = s.y_phi * np.sqrt(prior.gammas), _old_diagonal(s, prior)[:, None]

    def multiply(vectors: FloatArray) -> FloatArray:
        points, past = root * vectors[:size], vectors[size:]
        above = root * (s.multiply(points) + cross @ past)
        return np.concatenate([above, cross.T @ points + diagonal * past])

    return Operator(size + len(prior.gammas), multiply)


def _initial_vectors(s: Similarity, prior: Prior) -> FloatArray:
    """Return the eigenvectors of clusters that do not move (R + K, K)."""
    past = np.diag(np.sqrt(prior.gammas) * s.phi_phi)
    return np.concatenate([np.sqrt(s.weights)[:, None] * s.y_phi, past])


def _reduced_pairs(s: Similarity, prior: Prior, birth: float, at_least: int) -> Eigenpairs:
    """Return the eigenpairs of G from a matrix of size f + K; this is exact, because the others are 0.

    With features B, A = B'MB and P those of the old clusters, the columns of M^1/2 B A^-1/2 are orthonormal
    and span the point part of every eigenvector that is needed. In that basis G is
    [[A, A^1/2 P' Gamma^1/2], [., diag]]. An eigenvector (h, g) of it has the point part
    M^1/2 B (A^1/2 h + P' Gamma^1/2 g) / value in G, without a division by a small number.
    """
    features = np.sqrt(s.weights)[:, None] * s.features
    gram = features.T @ features
    if len(prior.gammas) == 0:
        pairs = _matrix_pairs(gram, birth, at_least)
        return pairs._replace(vectors=features @ (pairs.vectors / np.sqrt(_positive(pairs.values))))
    root, old = _square_root(gram), np.sqrt(prior.gammas)[:, None] * s.phi_features
    small = np.block([[gram, root @ old.T], [old @ root, np.diag(_old_diagonal(s, prior))]])
    values, vectors = _matrix_pairs(small, birth, at_least)
    above, past = vectors[: len(gram)], vectors[len(gram) :]
    points = features @ ((root @ above + old.T @ past) / _positive(values))
    return Eigenpairs(values, np.concatenate([points, past]))


def _matrix_pairs(matrix: FloatArray, birth: float, at_least: int) -> Eigenpairs:
    pairs = None
    if len(matrix) > LARGEST_DENSE:
        pairs = lanczos_pairs(Operator(len(matrix), matrix.__matmul__), birth, at_least)
    return pairs or Eigenpairs(*eigenpairs(matrix, birth, at_least))


def _positive(values: FloatArray) -> FloatArray:
    """Return positive divisors; the eigenvalue of a batch of zeros is 0, and so are its vectors."""
    return np.maximum(values, np.finfo(float).tiny)


def _square_root(gram: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(gram)
    root: FloatArray = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root
