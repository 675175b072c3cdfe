"""The Markov chain Gaussian mixture by enumeration: every labeling of a tiny batch, and its density."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from dynmeans.baselines._mcgmm import McgmmState, ModelParams


class KernelInput(NamedTuple):
    """A batch, and the clusters remembered before it."""

    X: np.ndarray  # (n, d)
    old: McgmmState
    law: ModelParams

    def arguments(self) -> dict:
        """The parameters of the model, as arguments of both samplers of the core."""
        return {
            "noise": self.law.noise,
            "concentration": self.law.concentration,
            "prior_variance": self.law.prior_variance,
            "prior_mean": self.law.prior_mean,
        }


def make_scene(seed: int, n: int, n_old: int, d: int = 1) -> KernelInput:
    """Few points that overlap, so that many labelings are likely."""
    rng = np.random.default_rng(seed)
    law = ModelParams(0.3, 0.2, 1.5, rng.normal(size=d), rng.uniform(0.4, 2.0), 0.7)
    counts = rng.integers(1, 6, size=n_old).astype(float)
    weights = counts * 0.7 ** rng.integers(1, 4, size=n_old)
    old = McgmmState(
        rng.normal(size=(n_old, d)), rng.uniform(0.1, 1.0, n_old), counts, weights, np.arange(n_old)
    )
    return KernelInput(rng.normal(size=(n, d)), old, law)


def labelings(n: int, n_old: int) -> Iterator[tuple[int, ...]]:
    """Every labeling of n rows; newborn slots are numbered as they appear."""

    def grow(head: tuple[int, ...], n_slots: int) -> Iterator[tuple[int, ...]]:
        if len(head) == n:
            yield head
            return
        for k in range(n_slots + 1):
            yield from grow((*head, k), max(n_slots, k + 1))

    yield from grow((), n_old)


def canonical(slots: np.ndarray, n_old: int) -> tuple[int, ...]:
    """Number the newborn slots as they appear."""
    names: dict[int, int] = {}
    return tuple(
        k if k < n_old else names.setdefault(k, n_old + len(names)) for k in np.asarray(slots).tolist()
    )


def log_marginal(X: np.ndarray, mean: np.ndarray, variance: float, noise: float) -> float:
    """Log density of points around one unknown center, from the covariance of all of them."""
    covariance = noise * np.eye(len(X)) + variance
    return sum(
        multivariate_normal(np.full(len(X), mean[j]), covariance).logpdf(X[:, j]) for j in range(X.shape[1])
    )


def log_points(scene: KernelInput, z: tuple[int, ...]) -> float:
    """Log p(y | z), centers integrated out."""
    total = 0.0
    for k in set(z):
        X = scene.X[np.array(z) == k]
        known = k < len(scene.old.ids)
        mean = scene.old.centers[k] if known else scene.law.prior_mean
        variance = scene.old.variances[k] if known else scene.law.prior_variance
        total += log_marginal(X, mean, variance, scene.law.noise)
    return total


def log_product_prior(scene: KernelInput, z: tuple[int, ...]) -> float:
    """The label prior of the paper without its normalizers: what Gibbs sampling leaves invariant."""
    total, seen = 0.0, dict.fromkeys(z, 0)
    for k in z:
        if k >= len(scene.old.ids):
            total += math.log(seen[k] or scene.law.concentration)
        else:
            total += math.log(scene.old.counts[k] + seen[k] if seen[k] else scene.old.weights[k])
        seen[k] += 1
    return total


def log_sequential_prior(scene: KernelInput, z: tuple[int, ...]) -> float:
    """The label prior of the paper, row by row, each row normalized."""
    weights = dict(enumerate(scene.old.weights))
    counts = dict(enumerate(scene.old.counts))
    total = 0.0
    for k in z:
        mass = weights.get(k, scene.law.concentration)
        total += math.log(mass / (sum(weights.values()) + scene.law.concentration))
        counts[k] = weights[k] = counts.get(k, 0.0) + 1
    return total


def log_urn_prior(scene: KernelInput, z: tuple[int, ...]) -> float:
    """Polya's urn that begins with the weights of the past: the posterior of a Dirichlet process."""
    weights = dict(enumerate(scene.old.weights))
    total = 0.0
    for k in z:
        mass = weights.get(k, scene.law.concentration)
        total += math.log(mass / (sum(weights.values()) + scene.law.concentration))
        weights[k] = weights.get(k, 0.0) + 1
    return total


def posterior(scene: KernelInput, log_prior) -> tuple[dict[tuple[int, ...], float], float]:
    """Probability of every labeling, and the log evidence."""
    every = list(labelings(len(scene.X), len(scene.old.ids)))
    logs = np.array([log_prior(scene, z) + log_points(scene, z) for z in every])
    evidence = float(logsumexp(logs))
    return dict(zip(every, np.exp(logs - evidence).tolist(), strict=True)), evidence


def distance(law: dict, samples: list[tuple[int, ...]]) -> float:
    """Total variation between a distribution and the frequencies of samples."""
    values, counts = np.unique(np.array(samples), axis=0, return_counts=True)
    seen = dict(zip(map(tuple, values.tolist()), (counts / len(samples)).tolist(), strict=True))
    return 0.5 * sum(abs(law.get(z, 0.0) - seen.get(z, 0.0)) for z in law.keys() | seen.keys())
