"""DMeans with at most one row per cluster and step, and with duplicate rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynmeans
from dynmeans import DMeans
from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.exclusive import assign_rows, assign_with_duplicates
from dynmeans._model.costs import AgingParameters, make_costs
from dynmeans._model.objective import objective
from dynmeans._model.prior import Prior
from reference import Problem
from strategies import problems, seeds, streams

motions = st.sampled_from(["walk", "velocity"])


def exclusive(**params):
    return DMeans(**{"birth_cost": 0.05, "exclusive": True, "random_state": 0} | params)


def crossing_walkers(n_steps=20):
    """Two objects that pass each other at a distance of 0.2, with one row each."""
    x = np.linspace(-3.0, 3.0, n_steps)
    return [np.array([[a, 0.0], [-a, 0.2]]) for a in x]


@given(streams(), motions, st.booleans())
@settings(max_examples=60, deadline=None)
def test_no_two_rows_of_a_step_have_one_id_and_the_gap_is_zero(batches, motion, weighted):
    model = exclusive(motion=motion)
    for step, X in enumerate(batches):
        weights = np.random.default_rng(step).uniform(0.1, 1.0, len(X)) if weighted else None
        model.partial_fit(X, sample_weight=weights)
        assert len(set(model.labels_.tolist())) == len(X)
        assert model.step_.gap == 0.0
        assert model.step_.splits == model.step_.merges == ()
        assert model.step_.active.tolist() == sorted(model.labels_.tolist())


@given(streams(), motions, seeds)
@settings(max_examples=60, deadline=None)
def test_a_permutation_of_rows_permutes_labels_up_to_the_order_of_births(batches, motion, seed):
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(X)) for X in batches]
    straight = [s.labels for s in exclusive(motion=motion).stream(batches)]
    shuffled = exclusive(motion=motion).stream(X[o] for X, o in zip(batches, orders, strict=True))
    pairs = [
        pair
        for labels, order, step in zip(straight, orders, shuffled, strict=True)
        for pair in zip(labels[order].tolist(), step.labels.tolist(), strict=True)
    ]
    assert len(set(pairs)) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@given(streams(), motions)
@settings(max_examples=40, deadline=None)
def test_search_options_change_nothing(batches, motion):
    labels = [s.labels.tolist() for s in exclusive(motion=motion).stream(batches)]
    other = exclusive(motion=motion, refine=True, n_restarts=1, max_iter=1, n_jobs=1, random_state=9)
    assert [s.labels.tolist() for s in other.stream(batches)] == labels


@given(streams(), motions, st.booleans(), st.integers(0, 7))
@settings(max_examples=40, deadline=None)
def test_save_load_continue_equals_never_stopping(tmp_path_factory, batches, motion, duplicates, cut):
    path = tmp_path_factory.mktemp("state") / "model.dynmeans"
    params = {"birth_cost": "auto", "motion": motion, "duplicates": duplicates}
    expected = [s.labels.tolist() for s in exclusive(**params).stream(batches)]
    model, cut = exclusive(**params), min(cut, len(batches) - 1) + 1
    found = [s.labels.tolist() for s in model.stream(batches[:cut])]
    model.save(path)
    again = dynmeans.load(path)
    assert (again.exclusive, again.duplicates) == (True, duplicates)
    assert found + [s.labels.tolist() for s in again.stream(batches[cut:])] == expected


def test_objects_that_pass_each_other_keep_their_ids():
    plain = DMeans(birth_cost=1.0, motion="velocity", random_state=0)
    model = exclusive(birth_cost=1.0, motion="velocity")
    labels = [s.labels.tolist() for s in model.stream(crossing_walkers())]
    assert labels == [labels[0]] * len(labels)
    assert any(len(s.active) == 1 for s in plain.stream(crossing_walkers()))


def test_event_time_sleep_and_revival():
    model = exclusive(birth_cost=1.0, lifetime=5)
    model.partial_fit([[0.0], [10.0]], t=0.0)
    model.partial_fit([[0.1]], t=0.5)
    assert model.step_.asleep.tolist() == [1]
    assert model.partial_fit([[10.1], [0.1]], t=4.0).labels_.tolist() == [1, 0]
    assert model.step_.revived.tolist() == [1]
    assert model.partial_fit([[30.0]], t=20.0).labels_.tolist() == [2]
    assert model.step_.died.tolist() == [0, 1]


def test_empty_batches_and_predict():
    model = exclusive(birth_cost=1.0, lifetime=5, motion="velocity")
    for t in range(6):
        model.partial_fit([[t, 0.0], [14.0, 0.0]], t=t)
    model.partial_fit(np.empty((0, 2)), t=6)
    assert model.step_.asleep.tolist() == [0, 1]
    assert model.step_.gap == 0.0
    row = [[7.0, 0.0]]
    assert model.predict(row).tolist() == model.partial_fit(row, t=7).labels_.tolist() == [0]


def test_rows_of_weight_zero_are_absent_and_get_the_nearest_id():
    model = exclusive(birth_cost=1.0).partial_fit([[0.0], [0.1], [9.0]], sample_weight=[1, 0, 1])
    assert model.n_clusters_ == 2
    assert model.labels_[0] == model.labels_[1] != model.labels_[2]


def test_automatic_birth_cost_is_the_square_of_half_the_spacing():
    model = exclusive(birth_cost="auto").partial_fit([[0.0], [2.0], [4.0], [6.0]])
    assert model.birth_cost_ == 1.0
    assert not model.step_.birth_cost_final


def test_one_object_alone_keeps_its_id_whatever_the_unit():
    model = exclusive(birth_cost="auto", motion="velocity")
    labels = [model.partial_fit([[20.0 * t, 0.0]]).labels_.tolist() for t in range(10)]
    assert labels == [[0]] * 10
    assert len(set(model.partial_fit([[200.0, 0.0], [900.0, 0.0]]).labels_.tolist())) == 2
    assert 0 in model.labels_


def test_a_double_detection_joins_its_object_instead_of_founding_a_second_one():
    steps = [np.array([[t, 0.0], [t, 8.0], [t + 0.2, 0.1]]) for t in np.arange(0.0, 5.0, 0.5)]
    hard, soft = exclusive(birth_cost=1.0), exclusive(birth_cost=1.0, duplicates=True)
    for X in steps:
        hard.partial_fit(X)
        labels = soft.partial_fit(X).labels_
        assert labels[0] == labels[2] != labels[1]
    assert (hard.n_clusters_, soft.n_clusters_) == (3, 2)
    assert [event.kind for event in soft.history_] == ["birth", "birth"]


def test_two_known_objects_stay_apart_with_duplicates():
    far, near = [[0.0], [3.0]], [[1.4], [1.6]]
    model = exclusive(birth_cost=2.0, reach=3.0, duplicates=True)
    model.partial_fit(far)
    first = model.labels_.tolist()
    assert model.partial_fit(near).labels_.tolist() == first
    plain = DMeans(birth_cost=2.0, reach=3.0, random_state=0).partial_fit(far).partial_fit(near)
    assert len(set(plain.labels_.tolist())) == 1


@given(problems(max_rows=12, max_old=6), seeds)
@settings(max_examples=150, deadline=None)
def test_cost_with_duplicates_is_the_objective_and_no_higher_than_without(problem: Problem, seed):
    prior = Prior(problem.phi, problem.gamma, problem.revival, problem.revival)
    costs = make_costs(problem.birth, AgingParameters(lifetime=3.0))
    batch = Batch(problem.X, problem.weights, 1.0)
    hard = assign_rows(batch, prior, costs)
    soft = assign_with_duplicates(batch, prior, costs, SearchOptions(seed, 3, 100, 1), 0)
    assert soft.cost == pytest.approx(objective(*batch[:2], soft, prior, costs), rel=1e-9)
    assert soft.restart_costs.min() == soft.cost
    is_linked = hard.slots < len(prior.gammas)
    np.testing.assert_array_equal(soft.slots[is_linked], hard.slots[is_linked])
    if np.all(problem.weights == 1.0):  # the plain descent assigns the copies of a heavy row one by one
        assert soft.cost <= hard.cost * (1 + 1e-9)


def test_duplicates_need_exclusive():
    with pytest.raises(ValueError, match="duplicates=True needs exclusive=True"):
        DMeans(duplicates=True).fit([[0.0]])


def test_certify_bounds_the_cost_with_duplicates():
    X = np.random.default_rng(0).normal(size=(12, 2))
    step = exclusive(birth_cost=1.0, duplicates=True, certify=True).fit(X).step_
    assert 0.0 <= step.lower_bound <= step.cost
