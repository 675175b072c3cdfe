"""Properties of the rounding of eigenvectors to clusters."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

from algorithms import kernel_reference as twin
from algorithms.rounding_twin import (
    Embedding,
    best_rotation,
    embed,
    embed_slowly,
    largest_row,
    nearest_axes,
    round_slowly,
    round_to_labels,
)
from dynmeans._algorithms.kernel_space.relaxation import relaxed
from strategies import seeds


def indicators(labels, noise, seed):
    """Unit rows near the axes of their labels, rotated at random."""
    rng, c = np.random.default_rng(seed), labels.max() + 1
    turn = ortho_group.rvs(c, random_state=seed % 2**31) if c > 1 else np.ones((1, 1))
    rows = np.eye(c)[labels] + noise * rng.normal(size=(len(labels), c))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)) @ turn


def every_label(seed, n, c):
    rng = np.random.default_rng(seed)
    return np.concatenate([np.arange(c), rng.integers(c, size=n - c)])


def distance(embedding, labels, rotation):
    """The squared distance of Eq. xuopt, with weights."""
    residuals = np.eye(rotation.shape[1])[labels] - embedding.rows @ rotation
    return np.sum(embedding.weights * np.sum(residuals**2, axis=1))


@given(seeds, st.integers(1, 6))
@settings(max_examples=80, deadline=None)
def test_rows_near_turned_axes_get_back_their_labels_from_any_first_row(seed, c):
    labels = every_label(seed, 40, c)
    embedding = Embedding(indicators(labels, 0.05, seed), np.ones(40), np.ones(40))
    for first in (0, 17, 39):
        found = round_to_labels(embedding, first, 100).labels
        assert twin.same_partition(found, labels)


@given(seeds, st.integers(1, 6), st.integers(0, 39), st.sampled_from([0.1, 0.4, 0.8]))
@settings(max_examples=150, deadline=None)
def test_the_compiled_rounding_equals_its_twin(seed, c, first, noise):
    """Except for axes that have no members at some time, which leave the rotation undetermined."""
    rng, labels = np.random.default_rng(seed), every_label(seed, 40, c)
    embedding = Embedding(indicators(labels, noise, seed), np.ones(40), rng.uniform(0.5, 3.0, size=40))
    slow_labels, slow_n_iter, slow_mean_cosine, fewest = round_slowly(embedding, first, 100)
    assume(fewest == c)
    found = round_to_labels(embedding, first, 100)
    np.testing.assert_array_equal(found.labels, slow_labels)
    assert found.n_iter == slow_n_iter
    assert found.mean_cosine == pytest.approx(slow_mean_cosine)


@given(seeds, st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_each_alternation_brings_indicators_and_rows_nearer(seed, c):
    rng = np.random.default_rng(seed)
    labels = every_label(seed, 40, c)
    embedding = Embedding(indicators(labels, 0.6, seed), np.ones(40), rng.uniform(0.5, 3.0, size=40))
    found, last = rng.integers(c, size=40), np.inf
    for _ in range(6):
        rotation, _ = best_rotation(embedding, found)
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(c), atol=1e-12)
        found = nearest_axes(embedding, rotation)
        assert distance(embedding, found, rotation) <= last + 1e-9
        last = distance(embedding, found, rotation)


@given(seeds, st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_no_random_rotation_is_better_than_the_best_rotation(seed, c):
    labels = every_label(seed, 30, c)
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, size=30)
    embedding = Embedding(indicators(labels, 0.8, seed), np.ones(30), weights)
    rotation, agreement = best_rotation(embedding, labels)
    best = distance(embedding, labels, rotation)
    assert best == pytest.approx(2.0 * (weights.sum() - agreement))
    for other in ortho_group.rvs(c, size=20, random_state=seed % 2**31):
        assert best <= distance(embedding, labels, other) + 1e-9


@given(seeds, st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_mean_cosine_is_one_on_the_axes_and_less_beside_them(seed, c):
    labels, weights = every_label(seed, 30, c), np.random.default_rng(seed).uniform(0.5, 3.0, size=30)
    clear, vague = (Embedding(indicators(labels, noise, seed), np.ones(30), weights) for noise in (0.0, 0.5))
    assert round_to_labels(clear, 0, 100).mean_cosine == pytest.approx(1.0)
    assert c == 1 or round_to_labels(vague, 0, 100).mean_cosine < 0.99


@given(seeds, st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_labels_are_numbered_without_gaps_by_first_appearance(seed, c, spare):
    """Axes that no row is near are dropped."""
    labels = every_label(seed, 30, c)
    rows = np.hstack([indicators(labels, 0.3, seed), np.zeros((30, spare))])
    found = round_to_labels(Embedding(rows, np.ones(30), np.ones(30)), 3, 100).labels
    firsts = [np.flatnonzero(found == label)[0] for label in range(found.max() + 1)]
    assert firsts == sorted(firsts)


def test_it_stops_after_the_alternations_it_is_given():
    labels = every_label(0, 40, 4)
    embedding = Embedding(indicators(labels, 0.8, 0), np.ones(40), np.ones(40))
    assert round_to_labels(embedding, 0, 1).n_iter == 1
    assert 1 < round_to_labels(embedding, 0, 100).n_iter < 100


def test_points_that_no_eigenvector_touches_are_never_an_axis():
    rows = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    found = round_to_labels(Embedding(rows, np.linalg.norm(rows, axis=1), np.ones(4)), 0, 100).labels
    assert found[0] != found[2] == found[3]


def copies_of(step, counts):
    """The step with as many copies of every row as its weight."""
    one, rows = step.similarity, np.repeat(np.arange(len(counts)), counts)
    similarity = one._replace(
        weights=np.ones(len(rows)),
        diagonal=one.diagonal[rows],
        y_phi=one.y_phi[rows],
        matrix=one.matrix[np.ix_(rows, rows)],
    )
    return step._replace(similarity=similarity), rows


@given(seeds, st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_merging_equal_rows_into_one_weighted_row_changes_no_label(seed, n_old):
    counts = np.random.default_rng(seed).integers(1, 5, size=40)
    step = twin.blobs(seed, 40, n_old, birth_share=0.1)
    merged = step._replace(similarity=step.similarity._replace(weights=counts.astype(float)))
    copies, rows = copies_of(step, counts)
    few, many = (embed(relaxed(*s).vectors, s.similarity.weights, s.prior.gammas) for s in (merged, copies))
    np.testing.assert_allclose(few.lengths[rows], many.lengths)
    np.testing.assert_allclose(np.linalg.norm(few.rows, axis=1), 1.0)
    found, expected = (round_to_labels(one, largest_row(one), 100).labels for one in (few, many))
    assert found[rows].tolist() == expected.tolist()


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_an_unseen_old_cluster_takes_no_direction_for_any_rotation_of_the_vectors(seed):
    """Equal eigenvalues leave the rotation of their vectors undetermined."""
    rows = np.repeat(np.eye(3)[:2], 3, axis=0)
    similarity = twin.linear(rows, np.ones(6), np.eye(3)[2:], "matrix")
    prior = twin.prior_of(np.array([0.5]), np.array([2.5]))
    spectrum = relaxed(similarity, prior, twin.costs_of(0.4))
    np.testing.assert_allclose(spectrum.values, 3.0)
    turned = spectrum.vectors @ ortho_group.rvs(3, random_state=seed)
    embedding = embed(turned, similarity.weights, prior.gammas)
    assert embedding.rows.shape == (6, 2)
    np.testing.assert_allclose(embedding.rows @ embedding.rows.T, rows @ rows.T, atol=1e-9)


def test_a_single_point_keeps_the_direction_of_a_well_known_cluster():
    step = twin.ideal_blocks([1, 5], {0: (1000.0, 0.1)}, birth=0.5)
    spectrum = relaxed(*step)
    assert embed(spectrum.vectors, step.similarity.weights, step.prior.gammas).rows.shape == (6, 2)


@given(seeds, st.integers(1, 30), st.integers(0, 4), st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_compiled_embedding_equals_its_twin_up_to_a_turn(seed, n, n_old, weighted):
    step = twin.make_step(seed, n, n_old, form="matrix", weighted=weighted, birth=0.5)
    vectors, gammas = relaxed(*step).vectors, step.prior.gammas
    found, slow = (make(vectors, step.similarity.weights, gammas) for make in (embed, embed_slowly))
    assert found.rows.shape == slow.rows.shape
    np.testing.assert_allclose(found.lengths, slow.lengths, atol=1e-12)
    np.testing.assert_allclose(found.rows @ found.rows.T, slow.rows @ slow.rows.T, atol=1e-6)
