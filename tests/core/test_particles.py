"""The compiled particle filter against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from dynmeans._core import particle_learning_step
from mcgmm_twins import (
    KernelInput,
    canonical,
    distance,
    log_points,
    log_sequential_prior,
    make_scene,
    posterior,
)


def learn(scene: KernelInput, n_particles: int, seed: int = 0):
    """All particles have the same memory."""
    n_old = len(scene.old.ids)
    return particle_learning_step(
        scene.X,
        np.arange(n_particles + 1) * n_old,
        np.tile(scene.old.ids, n_particles),
        np.tile(scene.old.centers, (n_particles, 1)),
        *(np.tile(column, n_particles) for column in scene.old[1:4]),
        np.zeros(n_particles),
        **scene.arguments(),
        first_number=n_old,
        seed=seed,
        step=0,
    )


@pytest.mark.parametrize(("n", "n_old", "d"), [(4, 0, 1), (4, 2, 1), (3, 3, 2)])
def test_many_particles_have_the_exact_posterior_and_evidence(n, n_old, d):
    scene = make_scene(8 + n_old, n, n_old, d)
    law, evidence = posterior(scene, log_sequential_prior)
    *_, labels, log_evidence = learn(scene, 40_000)
    assert max(law.values()) < 0.6  # otherwise the test would find little
    assert distance(law, [canonical(z, n_old) for z in labels]) < 0.02
    assert log_evidence == pytest.approx(evidence, abs=0.02)


def test_density_of_every_path_is_the_exact_joint_density():
    scene = make_scene(5, 6, 2, 2)
    *_, log_densities, labels, _ = learn(scene, 40)
    for path, log_density in zip(labels, log_densities, strict=True):
        z = canonical(path, 2)
        assert log_density == pytest.approx(log_sequential_prior(scene, z) + log_points(scene, z))


def test_clusters_of_every_particle_are_those_of_its_path():
    scene = make_scene(7, 8, 2, 2)
    begin, founders, centers, variances, counts, weights, _, labels, _ = learn(scene, 30)
    law, old = scene.law, scene.old
    for p, path in enumerate(labels):
        for k in range(begin[p], begin[p + 1]):
            mine, who = path == founders[k], founders[k]
            mean, variance = (old.centers[who], old.variances[who]) if who < 2 else law[3:1:-1]
            precision = 1 / variance + mine.sum() / law.noise
            expected = (mean / variance + scene.X[mine].sum(axis=0) / law.noise) / precision
            np.testing.assert_allclose(centers[k], expected)
            past = old.counts[who] if who < 2 else 0.0
            asleep = old.weights[who] if who < 2 else 0.0
            assert variances[k] == pytest.approx(1 / precision)
            assert counts[k] == past + mine.sum()
            assert weights[k] == (counts[k] if mine.any() else asleep)
        assert set(path.tolist()) <= set(founders[begin[p] : begin[p + 1]].tolist())


def test_cluster_is_named_by_the_row_that_founded_it():
    scene = make_scene(2, 7, 2)
    *_, labels, _ = learn(scene, 50)
    for path in labels:
        for founder in set(path.tolist()) - {0, 1}:
            assert np.flatnonzero(path == founder)[0] == founder - 2


def test_same_seed_same_paths_and_another_seed_others():
    scene = make_scene(1, 20, 2)
    one, two, other = (learn(scene, 20, seed)[7] for seed in (4, 4, 5))
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()
