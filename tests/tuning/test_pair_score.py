"""The pair score against its definition over pairs, and `tune` on directions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from dynmeans import DMeans, PersistentIds, tune
from dynmeans.metrics import identity_f1
from dynmeans.tuning import pair_score
from dynmeans.tuning.pair_score import automatic_birth_cost, make_pair_reference, pair_loss
from sphere_twin import unit
from strategies import seeds


def topics(seed, *, n_steps=8, n_topics=6, d=48, noise=0.9, rows=60):
    rng = np.random.default_rng(seed)
    means = unit(rng.normal(size=(n_topics, d)))
    batches, truth = [], []
    for _ in range(n_steps):
        present = rng.permutation(n_topics)[: n_topics - 2]
        names = rng.choice(present, size=rows)
        batches.append(unit(means[names] + noise * rng.normal(size=(rows, d)) / np.sqrt(d)))
        truth.append(names)
    return batches, truth


def literal(batches, labels, weights, chance):
    """Sum over all ordered pairs of different rows, literally."""
    rows, ids, mass = np.concatenate(batches), np.concatenate(labels), np.concatenate(weights)
    gain = most = 0.0
    for i in range(len(rows)):
        for j in range(len(rows)):
            if i != j:
                excess = mass[i] * mass[j] * (rows[i] @ rows[j] - chance)
                gain += excess if ids[i] == ids[j] >= 0 else 0.0
                most += max(excess, 0.0)
    return 1.0 - gain / most


@given(seeds, st.booleans())
@settings(max_examples=20, deadline=None)
def test_equals_the_sum_over_pairs(seed, weighted):
    rng = np.random.default_rng(seed)
    batches = [unit(rng.normal(size=(9, 4))) for _ in range(3)]
    labels = [rng.integers(-1, 3, size=9) for _ in range(3)]
    weights = [rng.uniform(0.5, 2, size=9) if weighted else np.ones(9) for _ in range(3)]
    reference = make_pair_reference(batches, weights, chance=0.2)
    # U is a share of all ordered pairs, of a row with itself too, which count 0.
    assert pair_loss(reference, labels) == pytest.approx(literal(batches, labels, weights, 0.2))


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_names_of_ids_and_lengths_of_rows_do_not_matter(seed):
    batches, truth = topics(seed, n_steps=3)
    renamed = [17 - names for names in truth]
    assert pair_score(batches, truth) == pytest.approx(pair_score([3 * X for X in batches], renamed))


def test_the_truth_is_better_than_splits_and_merges():
    batches, truth = topics(0)
    by_step = [names + 10 * step for step, names in enumerate(truth)]
    halves = [2 * names + np.arange(len(names)) % 2 for names in truth]
    merged = [names // 2 for names in truth]
    best = pair_score(batches, truth)
    assert all(best < pair_score(batches, other) for other in (by_step, halves, merged))


def test_rows_that_are_alone_score_one():
    batches, _ = topics(0, n_steps=2)
    assert pair_score(batches, [np.full(60, -1)] * 2) == pytest.approx(1.0)


def test_labels_must_fit():
    with pytest.raises(ValueError, match="labels.0.: must be 60 whole numbers, got an array of int64 .3,."):
        pair_score(topics(0, n_steps=1)[0], [[0, 1, 2]])


def test_tune_finds_topics():
    batches, truth = topics(1)
    found = tune(batches, DMeans(metric="cosine"), budget=12, random_state=0, n_jobs=1)
    assert sorted(found.best_params_) == ["birth_cost", "lifetime", "refine"]
    assert identity_f1(truth, cluster_all(found, batches)) > 0.95
    assert found.best_score_ == pytest.approx(pair_score(batches, truth), abs=0.05)


@pytest.mark.parametrize("strategy", ["paper", "grid"])
def test_other_strategies_find_topics(strategy):
    batches, truth = topics(1)
    model = DMeans(metric="cosine")
    found = tune(batches, model, budget=6, random_state=0, n_jobs=1, strategy=strategy)
    assert identity_f1(truth, cluster_all(found, batches)) > 0.9


def cluster_all(found, batches):
    model = clone(found.best_estimator_)  # also has the metric, which is not searched
    return [step.labels for step in model.stream(batches)]


def test_a_list_of_estimators_is_scored_by_pairs():
    from sklearn.cluster import KMeans

    batches, truth = topics(1)
    models = [PersistentIds(KMeans(2, n_init=2)), DMeans(metric="cosine")]
    found = tune(batches, models, budget=8, random_state=0, n_jobs=1)
    assert found.best_estimator_.metric == "cosine"
    assert identity_f1(truth, cluster_all(found, batches)) > 0.9


def test_tune_with_event_times_and_labels():
    batches, truth = topics(2, n_steps=5)
    steps = [{"X": X, "t": 10.0 * i} for i, X in enumerate(batches)]
    found = tune(steps, DMeans(metric="cosine"), budget=6, random_state=0, n_jobs=1, labels=truth)
    assert found.best_params_["drift"] == 0.0
    assert found.best_score_ < 0.1


def test_the_labels_of_another_clusterer_can_be_scored():
    from sklearn.cluster import KMeans

    batches, _ = topics(3, n_steps=4)
    reference = make_pair_reference(batches)
    scores = []
    for n in (2, 4):
        model = PersistentIds(KMeans(n, n_init=2), random_state=0)
        scores.append(pair_loss(reference, [step.labels for step in model.stream(batches)]))
    assert scores[1] < scores[0]


def test_the_default_is_the_automatic_birth_cost():
    batches, _ = topics(4)
    model = DMeans(metric="cosine", random_state=0)
    for X in batches:
        model.partial_fit(X)
    assert automatic_birth_cost(batches) == pytest.approx(model.birth_cost_)
