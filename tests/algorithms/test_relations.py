"""Relations between the results of a stream and of changed streams."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

import reference
from dynmeans._algorithms.batch import Batch, SearchOptions
from dynmeans._algorithms.dmeans import cluster, step
from dynmeans._model.costs import AgingParameters, Costs, make_costs
from dynmeans._model.motion import MOTIONS, get_motion
from dynmeans._model.objective import objective
from dynmeans._model.prior import predict_prior
from dynmeans._model.state import empty_state
from strategies import seeds, streams

COSTS = make_costs(0.05, AgingParameters(lifetime=3.0, reach=1.5))
SEARCH = SearchOptions(seed=7, n_restarts=3, max_iter=100, n_threads=1)
motions = st.sampled_from(sorted(MOTIONS))


def follow(batches, costs=COSTS, motion="walk", search=SEARCH, times=None, weights=None):
    """All finished steps of a stream."""
    state, result = empty_state(batches[0].shape[1]), []
    for i, rows in enumerate(batches):
        time = times[i] if times is not None else state.clock + 1.0
        weight = None if weights is None else weights[i]
        result.append(
            step(state, Batch(np.ascontiguousarray(rows), weight, time), costs, get_motion(motion), search)
        )
        state = result[-1].state
    return result


def labels_of(result):
    return [r.report.labels.tolist() for r in result]


@given(streams(), motions, seeds)
@settings(max_examples=80, deadline=None)
def test_a_shift_changes_no_label(batches, motion, seed):
    shift = np.random.default_rng(seed).normal(size=batches[0].shape[1]) * 100
    assert labels_of(follow(batches, motion=motion)) == labels_of(
        follow([b + shift for b in batches], motion=motion)
    )


@given(streams(), motions, seeds)
@settings(max_examples=80, deadline=None)
def test_a_rotation_changes_no_label(batches, motion, seed):
    d = batches[0].shape[1]
    turn = ortho_group.rvs(d, random_state=seed) if d > 1 else -np.ones((1, 1))
    assert labels_of(follow(batches, motion=motion)) == labels_of(
        follow([b @ turn for b in batches], motion=motion)
    )


@given(streams(), motions, st.sampled_from([1e-6, 0.5, 3.0, 1e5]))
@settings(max_examples=80, deadline=None)
def test_other_units_with_costs_in_their_square_change_no_label(batches, motion, scale):
    scaled = COSTS._replace(birth=COSTS.birth * scale**2)
    other = follow([b * scale for b in batches], costs=scaled, motion=motion)
    assert labels_of(follow(batches, motion=motion)) == labels_of(other)
    assert other[-1].report.cost == pytest.approx(
        follow(batches, motion=motion)[-1].report.cost * scale**2, rel=1e-6
    )


@given(streams(), motions, st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_weight_n_equals_n_copies(batches, motion, n):
    weights = [np.full(len(b), float(n)) for b in batches]
    weighted = follow(batches, motion=motion, weights=weights)
    copies = follow([b.repeat(n, axis=0) for b in batches], motion=motion)
    assert [r.report.labels.repeat(n).tolist() for r in weighted] == labels_of(copies)
    np.testing.assert_allclose(weighted[-1].state.centers, copies[-1].state.centers)
    np.testing.assert_allclose(weighted[-1].state.weights, copies[-1].state.weights)


@given(streams())
@settings(max_examples=60, deadline=None)
def test_without_aging_and_drift_a_center_is_the_mean_of_its_whole_life(batches):
    result = follow(batches, costs=Costs(0.05, np.inf, 0.0))
    rows = np.concatenate(batches)
    labels = np.concatenate([r.report.labels for r in result])
    state = result[-1].state
    for k, center, weight in zip(state.ids, state.centers, state.weights, strict=True):
        np.testing.assert_allclose(center, rows[labels == k].mean(axis=0), rtol=1e-9, atol=1e-12)
        assert weight == pytest.approx(np.count_nonzero(labels == k))


@given(streams())
@settings(max_examples=60, deadline=None)
def test_when_revival_costs_more_than_birth_every_batch_is_plain_dp_means(batches):
    result = follow(batches, costs=Costs(0.05, 0.5, 1.0))
    for i, batch in enumerate(batches):
        alone = reference.Problem(
            batch, np.ones(len(batch)), np.empty((0, batch.shape[1])), *[np.empty(0)] * 2, 0.05
        )
        runs = [reference.descend(alone, SEARCH.seed, i, r, 100)[0] for r in range(SEARCH.n_restarts)]
        best = min(reference.cost(alone, labels) for labels in runs)
        assert result[i].report.cost == pytest.approx(best)
        assert set(result[i].report.active) == set(result[i].report.born)


@given(streams(), motions)
@settings(max_examples=80, deadline=None)
def test_births_minus_deaths_is_the_change_in_number_and_ids_only_grow(batches, motion):
    known, newest = 0, -1
    for r in follow(batches, motion=motion):
        known += len(r.report.born) - len(r.report.died)
        assert known == len(r.state.ids)
        assert all(k > newest for k in r.report.born)
        newest = max([newest, *r.report.born])
        assert (np.diff(r.state.ids) > 0).all()


@given(streams(), motions)
@settings(max_examples=80, deadline=None)
def test_every_label_can_be_traced_through_the_events(batches, motion):
    active, asleep = set(), set()
    for r in follow(batches, motion=motion):
        for event in r.events:
            if event.kind == "birth":
                active.add(event.id)
            elif event.kind == "revival":
                asleep.remove(event.id)
                active.add(event.id)
            elif event.kind == "sleep":
                active.remove(event.id)
                asleep.add(event.id)
            elif event.kind == "death":
                asleep.remove(event.id)
        assert active == set(r.report.labels.tolist()) == set(r.report.active.tolist())
        assert active | asleep == set(r.state.ids.tolist())


@given(streams(max_steps=4), motions, st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_quiet_steps_equal_one_step_of_as_much_time(batches, motion, k):
    far = np.full((1, batches[0].shape[1]), 1e3)
    before = follow(batches, motion=motion)[-1].state
    quiet = before
    for _ in range(k - 1):
        quiet = step(quiet, Batch(far, None, quiet.clock + 1), COSTS, get_motion(motion), SEARCH).state
    last = Batch(batches[-1], None, before.clock + k)
    waited = step(quiet, last, COSTS, get_motion(motion), SEARCH)
    jumped = step(before._replace(n_steps=quiet.n_steps), last, COSTS, get_motion(motion), SEARCH)
    n_born = [len(r.report.born) for r in (waited, jumped)]
    assert n_born[0] == n_born[1]
    assert waited.report.cost == pytest.approx(jumped.report.cost)
    old = set(before.ids.tolist())
    assert set(waited.report.active.tolist()) & old == set(jumped.report.active.tolist()) & old


@given(streams(), motions, st.integers(0, 6))
@settings(max_examples=60, deadline=None)
def test_stopping_and_going_on_equals_never_stopping(batches, motion, cut):
    whole = follow(batches, motion=motion)
    cut = min(cut, len(batches) - 1)
    state = whole[cut].state
    for i, rows in enumerate(batches[cut + 1 :], start=cut + 1):
        result = step(state, Batch(rows, None, state.clock + 1), COSTS, get_motion(motion), SEARCH)
        assert result.report.labels.tolist() == whole[i].report.labels.tolist()
        assert result.report.cost == whole[i].report.cost
        state = result.state


@given(streams(), motions)
@settings(max_examples=60, deadline=None)
def test_the_reported_cost_is_the_objective_of_the_paper(batches, motion):
    state = empty_state(batches[0].shape[1])
    for rows in batches:
        batch, model = Batch(rows, None, state.clock + 1), get_motion(motion)
        prior = predict_prior(state, batch.time, COSTS, model)
        fit = cluster(batch, prior, COSTS, SEARCH, state.n_steps)
        assert fit.cost == pytest.approx(objective(rows, np.ones(len(rows)), fit, prior, COSTS), rel=1e-9)
        state = step(state, batch, COSTS, model, SEARCH).state


def test_a_cluster_dies_at_exactly_its_lifetime():
    here, far = np.zeros((1, 1)), np.full((1, 1), 99.0)
    result = follow([here, far, far, far, far], costs=COSTS)
    assert [r.report.died.tolist() for r in result] == [[], [], [], [], [0]]
    back = follow([here, far, far, here], costs=COSTS)
    assert back[-1].report.revived.tolist() == [0]
    assert [e.kind for r in back for e in r.events if e.id == 0] == ["birth", "sleep", "revival"]


def test_a_moving_cluster_is_found_where_it_should_be_only_with_velocity():
    rng = np.random.default_rng(0)
    train = [np.array([[0.3 * t, 0.0]]) + 0.01 * rng.normal(size=(10, 2)) for t in range(12)]
    hidden = [np.full((1, 2), 50.0)] * 2
    costs = make_costs(0.1, AgingParameters(lifetime=6.0, reach=2.0))
    stream = [*train[:9], *hidden, train[11]]
    assert labels_of(follow(stream, costs=costs, motion="velocity"))[-1] == [0] * 10
    assert labels_of(follow(stream, costs=costs, motion="walk"))[-1] != [0] * 10
