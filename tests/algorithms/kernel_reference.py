"""Random steps in the space of a kernel, and slow, obvious twins of the computations on them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_array

import reference
from dynmeans._model.costs import Costs
from dynmeans._model.prior import Prior
from dynmeans.kernels.base import Similarity
from strategies import seeds

Form = Literal["matrix", "features", "sparse"]


class Step(NamedTuple):
    """Input of the kernel algorithms."""

    similarity: Similarity
    prior: Prior
    costs: Costs


def prior_of(gammas: np.ndarray, revival: np.ndarray, centers: np.ndarray | None = None) -> Prior:
    """A prior; the kernel algorithms use only its weights and revival costs."""
    positions = np.empty((len(gammas), 0)) if centers is None else centers
    return Prior(positions, gammas, revival, np.ones(len(gammas)))


def costs_of(birth: float) -> Costs:
    return Costs(birth=birth, lifetime=3.0, drift=1.0)


def linear(rows: np.ndarray, weights: np.ndarray, old: np.ndarray, form: Form = "features") -> Similarity:
    """The linear kernel of rows (n, f) and old centers (K, f), by hand."""
    diagonal, phi_phi = np.sum(rows**2, axis=1), np.sum(old**2, axis=1)
    if form == "features":
        return Similarity(weights, diagonal, rows @ old.T, phi_phi, features=rows, phi_features=old)
    matrix = rows @ rows.T if form == "matrix" else csr_array(rows @ rows.T)
    return Similarity(weights, diagonal, rows @ old.T, phi_phi, matrix=matrix)


def make_step(seed: int, n: int, n_old: int, *, form: Form, weighted: bool, birth: float) -> Step:
    """Blobs of unit vectors, some where an old cluster was; old clusters of any weight and revival cost."""
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(1, 6))
    positions = rng.normal(size=(n_old + 2, n_features))
    rows = positions[rng.integers(len(positions), size=n)] + rng.choice([0.02, 0.3]) * rng.normal(
        size=(n, n_features)
    )
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    old = positions[:n_old] / np.linalg.norm(positions[:n_old], axis=1, keepdims=True) * rng.uniform(0.7, 1)
    weights = rng.choice([0.3, 1.0, 2.0, 3.5], size=n) if weighted else np.ones(n)
    gammas = 10.0 ** rng.uniform(-1.5, 1.5, size=n_old)
    revival = birth * rng.uniform(0.0, 1.3, size=n_old)
    return Step(linear(rows, weights, old, form), prior_of(gammas, revival, old), costs_of(birth))


@st.composite
def steps(draw: st.DrawFn, max_rows: int, max_old: int, form: Form | None = None) -> Step:
    return make_step(
        draw(seeds),
        draw(st.integers(1, max_rows)),
        draw(st.integers(0, max_old)),
        form=form or draw(st.sampled_from(["matrix", "features", "sparse"])),
        weighted=draw(st.booleans()),
        birth=draw(st.sampled_from([0.1, 0.5, 1.0, 2.5])),
    )


def kernel(similarity: Similarity) -> np.ndarray:
    """K_YY in full."""
    return np.asarray(similarity.multiply(np.eye(len(similarity.weights))))


def slow_cost(step: Step, labels: np.ndarray) -> float:
    """Eq. krnmin, term by term."""
    similarity, prior, costs = step
    m, among = similarity.weights, kernel(similarity)
    total = sum(m[i] * among[i, i] for i in range(len(m)))
    for k in np.unique(labels):
        mine = np.flatnonzero(labels == k)
        n, gamma, pull = m[mine].sum(), 0.0, 0.0
        if k < len(prior.gammas):
            gamma = prior.gammas[k]
            total += prior.revival[k] + gamma * n * similarity.phi_phi[k] / (gamma + n)
            pull = sum(2 * gamma * m[i] * similarity.y_phi[i, k] for i in mine)
        else:
            total += costs.birth
        total -= (pull + sum(m[i] * m[j] * among[i, j] for i in mine for j in mine)) / (gamma + n)
    return float(total)


def optimum(step: Step) -> float:
    """Lowest cost of all clusterings of a tiny batch."""
    n, n_old = len(step.similarity.weights), len(step.prior.gammas)
    return min(slow_cost(step, labels) for labels in reference.partitions(n, n_old))


def ideal_blocks(sizes: list[int], on_block: dict[int, tuple[float, float]], birth: float) -> Step:
    """Points that are equal within blocks and dissimilar between them, with old clusters at some blocks."""
    rows = np.repeat(np.eye(len(sizes)), sizes, axis=0)
    old = np.eye(len(sizes))[sorted(on_block)]
    pairs = np.array([on_block[k] for k in sorted(on_block)]).reshape(-1, 2)
    similarity = linear(rows, np.ones(len(rows)), old, "matrix")
    return Step(similarity, prior_of(pairs[:, 0], pairs[:, 1], old), costs_of(birth))


def blobs(seed: int, n: int, n_old: int, *, n_blobs: int = 5, birth_share: float = 0.05) -> Step:
    """Well separated blobs of equal size under an RBF kernel, with old clusters at the first of them."""
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(n_blobs) / n_blobs
    positions = 6.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    X = positions[np.sort(np.arange(n) % n_blobs)] + 0.3 * rng.normal(size=(n, 2))
    both = np.concatenate([X, positions[:n_old]])
    squared = np.sum((both[:, None] - both[None]) ** 2, axis=2)
    every = np.exp(-0.5 * squared)
    similarity = Similarity(np.ones(n), np.ones(n), every[:n, n:], np.ones(n_old), matrix=every[:n, :n])
    birth = birth_share * n
    # A revival costs at most half of a birth; otherwise a blob far from its old center is cheaper as new.
    prior = prior_of(rng.uniform(0.2, 20.0, size=n_old), birth * rng.uniform(0.1, 0.5, size=n_old))
    return Step(similarity, prior, costs_of(birth))


def as_features(step: Step) -> Step:
    """The same step with features instead of the matrix."""
    similarity = step.similarity
    every = np.block(
        [[kernel(similarity), similarity.y_phi], [similarity.y_phi.T, np.diag(similarity.phi_phi)]]
    )
    values, vectors = np.linalg.eigh(every)
    keep = values > 1e-13 * values[-1]
    rows = vectors[:, keep] * np.sqrt(values[keep])
    n = len(similarity.weights)
    return step._replace(
        similarity=similarity._replace(matrix=None, features=rows[:n], phi_features=rows[n:])
    )


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    return reference.canonical(a, 0).tolist() == reference.canonical(b, 0).tolist()
