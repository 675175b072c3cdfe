"""The two parametrizations of the costs, and invalid values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._model.costs import AgingParameters, Costs, make_costs, reach_from_drift
from dynmeans._model.sphere_costs import make_sphere_costs
from dynmeans._model.state import empty_state

births = st.floats(1e-6, 1e6)
lifetimes = st.floats(1.01, 100.0)
drifts = st.floats(0.0, 100.0)


@given(births, lifetimes, drifts)
def test_a_well_known_cluster_is_found_one_step_later_up_to_its_reach(birth, lifetime, drift):
    reach = reach_from_drift(lifetime, drift)
    costs = make_costs(birth, AgingParameters(lifetime=lifetime, reach=reach))
    assert costs.drift == pytest.approx(drift, abs=1e-9)
    share = 1 / (1 + costs.drift)  # gamma / (gamma + 1) for a weight without bound and dt = 1
    assert (birth - costs.aging) / share == pytest.approx(reach * birth)


@given(births, lifetimes, drifts)
def test_both_parametrizations_give_the_same_costs(birth, lifetime, drift):
    reach = reach_from_drift(lifetime, drift)
    words = make_costs(birth, AgingParameters(lifetime=lifetime, reach=reach))
    raw = make_costs(birth, AgingParameters(aging_cost=words.aging, drift=words.drift))
    assert raw.lifetime == pytest.approx(words.lifetime)
    assert raw.drift == words.drift


@pytest.mark.parametrize("interval", [0.05, 1.0, 86400.0])
@pytest.mark.parametrize("make", [make_costs, make_sphere_costs])
def test_an_interval_scales_time(make, interval):
    """A velocity changes by a share of the drift in one interval, and the reach is that after one."""
    by_step = make(0.5, AgingParameters(lifetime=4.0, reach=1.2))
    by_time = make(0.5, AgingParameters(lifetime=4.0 * interval, reach=1.2, interval=interval))
    assert by_time.lifetime / interval == pytest.approx(by_step.lifetime)
    assert by_time.drift * interval == pytest.approx(by_step.drift)
    assert by_time.interval == interval
    assert by_time.reach == pytest.approx(by_step.reach)
    default = make(0.5, AgingParameters()).lifetime
    assert make(0.5, AgingParameters(interval=interval)).lifetime == default * interval


def test_no_aging_cost_means_that_nothing_is_forgotten():
    assert make_costs(1.0, AgingParameters(aging_cost=0.0, drift=0.0)) == Costs(1.0, math.inf, 0.0)
    assert make_costs(1.0, AgingParameters(aging_cost=0.0, drift=0.0)).aging == 0.0


@pytest.mark.parametrize(
    ("birth", "span", "message"),
    [
        (-1.0, AgingParameters(), "birth_cost must be a finite number > 0, got -1.0"),
        (0.0, AgingParameters(), "birth_cost must be a finite number > 0, got 0.0"),
        (math.inf, AgingParameters(), "birth_cost .* got inf"),
        (math.nan, AgingParameters(), "birth_cost .* got nan"),
        (1.0, AgingParameters(lifetime=1.0), "lifetime must be a finite number > 1, got 1.0"),
        (1.0, AgingParameters(lifetime=0.5, interval=0.5), "lifetime must be a finite number > 0.5, got 0.5"),
        (1.0, AgingParameters(5.0, 0.7), "reach must be a finite number >= 1 - 1/lifetime = 0.8, got 0.7"),
        (1.0, AgingParameters(10.0, 0.7, interval=2.0), "reach .* >= 1 - interval/lifetime = 0.8, got 0.7"),
        (1.0, AgingParameters(interval=0.0), "interval must be a finite number > 0, got 0.0"),
        (1.0, AgingParameters(aging_cost=-0.1), "aging_cost must be a finite number >= 0, got -0.1"),
        (1.0, AgingParameters(drift=-2.0), "drift must be a finite number >= 0, got -2.0"),
        (1.0, AgingParameters(lifetime=2.0, drift=0.0), "not both: got lifetime=2.0, .* drift=0.0"),
        (1.0, AgingParameters(reach=2.0, aging_cost=0.0), "not both"),
    ],
)
def test_invalid_costs_are_named(birth, span, message):
    with pytest.raises(ValueError, match=message):
        make_costs(birth, span)


def seen_for(n_steps):
    """Return the state of two clusters that were seen in some steps, at time 10."""
    return empty_state(1)._replace(hits=np.full(2, n_steps), clock=10.0, n_steps=n_steps)


@pytest.mark.parametrize(
    ("elapsed", "n_steps", "lifetime"),
    [
        (2.0, 100, 10.0),  # the usual interval
        (6.0, 100, 30.0),  # five times the present interval
        (6.0, 12, 12 * 2 * math.log(2.0)),  # the half-life of the clusters
        (6.0, 3, 10.0),  # their half-life is shorter than the lifetime
    ],
)
def test_a_lifetime_of_some_intervals_is_longer_after_a_gap(elapsed, n_steps, lifetime):
    costs = Costs(birth=1.0, lifetime=10.0, drift=1.0, longest=2.0)
    assert costs.at(10.0 + elapsed, seen_for(n_steps)).lifetime == pytest.approx(lifetime)


def test_a_lifetime_in_units_of_time_stays_as_it_is_after_a_gap():
    costs = Costs(birth=1.0, lifetime=10.0, drift=1.0)
    assert costs.at(1e6, seen_for(100)) is costs
