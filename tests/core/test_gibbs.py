"""The compiled Gibbs sampler against enumeration, and Geweke's test of the joint distribution."""

from __future__ import annotations

import numpy as np
import pytest

from dynmeans._core import gibbs
from mcgmm_twins import (
    KernelInput,
    canonical,
    distance,
    labelings,
    log_points,
    log_product_prior,
    make_scene,
    posterior,
)


def sample(scene: KernelInput, n_samples: int, *, seed: int = 0, start: np.ndarray | None = None):
    return gibbs(
        scene.X,
        *scene.old[:4],
        **scene.arguments(),
        seed=seed,
        step=0,
        n_samples=n_samples,
        keep=True,
        start=start,
    )


@pytest.mark.parametrize(("n", "n_old", "d"), [(4, 0, 1), (4, 2, 1), (3, 3, 2)])
def test_frequencies_of_labels_are_their_exact_posterior(n, n_old, d):
    scene = make_scene(8 + n_old, n, n_old, d)
    law, _ = posterior(scene, log_product_prior)
    _, _, samples = sample(scene, 40_000)
    assert max(law.values()) < 0.6  # otherwise the test would find little
    assert distance(law, [canonical(z, n_old) for z in samples]) < 0.02


def test_density_of_every_sample_is_the_exact_joint_density():
    scene = make_scene(5, 6, 2, 2)
    best, log_densities, samples = sample(scene, 50)
    for slots, log_density in zip(samples, log_densities, strict=True):
        z = canonical(slots, 2)
        assert log_density == pytest.approx(log_product_prior(scene, z) + log_points(scene, z))
    np.testing.assert_array_equal(best, samples[log_densities.argmax()])


def test_joint_distribution_is_invariant_if_labels_and_points_are_drawn_alternately():
    """Geweke (2004): forward draws and alternating conditional draws must have the same distribution."""
    scene, rng = make_scene(3, 4, 1), np.random.default_rng(0)
    every = list(labelings(4, 1))
    odds = np.exp([log_product_prior(scene, z) for z in every])
    drawn = rng.choice(len(every), size=8_000, p=odds / odds.sum())
    direct = [statistics(draw_points(scene, every[i], rng), every[i]) for i in drawn]
    in_turns, z = [], np.array(every[drawn[0]], dtype=np.int32)
    for step in range(8_000):
        scene = scene._replace(X=draw_points(scene, z, rng))
        z = sample(scene, 1, seed=step, start=z)[0]
        in_turns.append(statistics(scene.X, z))
    # A weight or a variance that is off by a fifth in the sampler gives 2.7 or more.
    np.testing.assert_array_less(np.abs(z_scores(np.array(direct), np.array(in_turns))), 2.5)


def draw_points(scene: KernelInput, z, rng: np.random.Generator) -> np.ndarray:
    """Centers from their prior, then points around them."""
    centers = {}
    for k in set(np.asarray(z).tolist()):
        known = k < len(scene.old.ids)
        mean = scene.old.centers[k] if known else scene.law.prior_mean
        variance = scene.old.variances[k] if known else scene.law.prior_variance
        centers[k] = rng.normal(mean, np.sqrt(variance))
    means = np.array([centers[k] for k in np.asarray(z).tolist()])
    return rng.normal(means, np.sqrt(scene.law.noise))


def statistics(X: np.ndarray, z) -> list[float]:
    slots = np.asarray(z)
    same = float((slots[:, None] == slots).mean())
    return [
        len(set(slots.tolist())),
        float((slots == 0).mean()),
        same,
        X.mean(),
        (X**2).mean(),
        X[0, 0] * X[1, 0],
    ]


def z_scores(direct: np.ndarray, chain: np.ndarray) -> np.ndarray:
    """Differences of the means over their standard error; in blocks for the chain, which is correlated."""
    blocks = chain.reshape(80, -1, chain.shape[1]).mean(axis=1)
    error = direct.var(axis=0) / len(direct) + blocks.var(axis=0) / len(blocks)
    return (direct.mean(axis=0) - chain.mean(axis=0)) / np.sqrt(error)


def test_same_seed_same_samples_and_another_seed_others():
    scene = make_scene(1, 20, 2)
    one, two, other = (sample(scene, 20, seed=seed)[2] for seed in (4, 4, 5))
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_rows_too_far_for_any_density_still_get_a_cluster():
    scene = make_scene(1, 3, 2)._replace(X=np.array([[1e6], [-1e6], [0.0]]))
    best, log_densities, _ = sample(scene, 5)
    assert len(set(best.tolist())) == 3
    assert np.isfinite(log_densities).all()
