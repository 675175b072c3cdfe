from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from air_traffic import as_messages, small_week
from dynmeans.apps.flights.messages import Messages
from dynmeans.apps.flights.trajectories import Area, Limits, Trajectories, build_trajectories

WEEK = small_week()
MESSAGES = as_messages(WEEK)


def flights_of(found: Trajectories) -> list[tuple[str, int]]:
    ends = zip(found.first, found.last, strict=True)
    return sorted((str(found.messages.aircraft[a]), int(b - a + 1)) for a, b in ends)


def test_each_flight_of_a_week_is_one_trajectory():
    found, dropped = build_trajectories(MESSAGES, Limits())
    names, counts = np.unique(WEEK.aircraft, return_counts=True)
    assert flights_of(found) == sorted(zip(names.tolist(), counts.tolist(), strict=True))
    assert sum(dropped.values()) == 0
    assert (np.diff(found.messages.times[found.first]) >= 0).all()


@given(st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_the_order_of_messages_and_messages_sent_twice_change_nothing(seed):
    rng = np.random.default_rng(seed)
    n = len(MESSAGES.times)
    again = rng.integers(n, size=10)
    found, dropped = build_trajectories(
        MESSAGES.take(rng.permutation(np.append(np.arange(n), again))), Limits()
    )
    assert flights_of(found) == flights_of(build_trajectories(MESSAGES, Limits())[0])
    assert dropped["duplicate messages"] == 10


def broken(which: object, **values: object) -> Messages:
    changed = {name: getattr(MESSAGES, name).copy() for name in values}
    for name, value in values.items():
        changed[name][which] = value
    return MESSAGES._replace(**changed)


@pytest.mark.parametrize(
    ("messages", "reason", "count"),
    [
        (broken([3, 9], latitudes=np.nan), "messages without aircraft, time or position", 2),
        (broken([3], aircraft=""), "messages without aircraft, time or position", 1),
        (broken([3], latitudes=91), "messages with invalid coordinates", 1),
        (broken([5], latitudes=-40), "messages too far from their neighbors", 1),
        (broken([5], velocities=5000.0), "speeds faster than any aircraft", 1),
    ],
)
def test_implausible_messages_are_left_out_and_counted(messages, reason, count):
    found, dropped = build_trajectories(messages, Limits())
    assert dropped[reason] == count
    assert sum(dropped.values()) == count
    assert found.n_flights == 120


def one(latitudes: list[float], step: float = 60.0) -> Messages:
    n = len(latitudes)
    lat, blank = np.array(latitudes), np.full(n, "")
    return Messages(np.full(n, "a"), blank, step * np.arange(n), lat, np.zeros(n), np.full((n, 2), np.nan))


@pytest.mark.parametrize(
    ("latitudes", "reason"),
    [
        ([0.0, 0.1, 0.2], "trajectories with too few messages"),
        ([0.0, 0.0, 0.001, 0.0, 0.001], "trajectories without displacement"),
        ([0.0, 0.1, 0.2, 30.0, 30.1, 30.2], "trajectories faster than any aircraft"),
    ],
)
def test_implausible_trajectories_are_left_out_and_counted(latitudes, reason):
    found, dropped = build_trajectories(one(latitudes), Limits())
    assert found.n_flights == 0
    assert {name: count for name, count in dropped.items() if count} == {reason: 1}


def test_a_long_silence_ends_a_trajectory():
    messages = one([0.1 * i for i in range(12)])
    late = messages._replace(times=messages.times + 3600.0 * (np.arange(12) >= 6))
    assert flights_of(build_trajectories(late, Limits())[0]) == [("a", 6), ("a", 6)]
    assert flights_of(build_trajectories(late, Limits(gap=7200.0))[0]) == [("a", 12)]


def test_missing_velocities_are_computed_from_positions():
    found, _ = build_trajectories(one([0.1 * i for i in range(12)]), Limits())
    speed = np.radians(0.1) * 6371e3 / 60
    np.testing.assert_allclose(
        found.messages.velocities, np.tile([0.0, speed], (12, 1)), rtol=1e-9, atol=1e-9
    )


def test_given_velocities_are_kept_beside_computed_ones():
    missing = broken([7], velocities=np.nan)
    found, _ = build_trajectories(missing, Limits())
    whole, _ = build_trajectories(MESSAGES, Limits())
    differ = (found.messages.velocities != whole.messages.velocities).any(axis=1)
    assert differ.sum() == 1
    np.testing.assert_allclose(found.messages.velocities, whole.messages.velocities, atol=60)


def test_messages_outside_of_the_area_are_left_out():
    area = Area(30, 45, -100, -70)
    found, dropped = build_trajectories(MESSAGES, Limits(area=area))
    lat, lon = found.messages.latitudes, found.messages.longitudes
    assert dropped["messages from outside the area"] > 0
    assert ((lat >= 30) & (lat <= 45) & (lon >= -100) & (lon <= -70)).all()


@pytest.mark.parametrize("wrong", [0, 1, -2, -1])
def test_a_wrong_message_at_an_end_does_not_cost_the_flight_nor_its_neighbors(wrong):
    latitudes = [0.1 * i for i in range(12)]
    latitudes[wrong] = 60.0
    found, dropped = build_trajectories(one(latitudes), Limits())
    assert flights_of(found) == [("a", 11)]
    assert dropped["messages too far from their neighbors"] == 1


def across(longitudes: np.ndarray) -> Messages:
    still = one([0.0] * len(longitudes))
    return still._replace(longitudes=longitudes)


@pytest.mark.parametrize("first", [-180.0, 0.0])  # where the file begins to count
def test_a_flight_goes_on_over_the_antimeridian(first):
    path = 179.0 + 0.2 * np.arange(12)
    found, dropped = build_trajectories(across((path - first) % 360 + first), Limits())
    assert sum(dropped.values()) == 0
    np.testing.assert_allclose(found.messages.longitudes, path)
    speed = np.radians(0.2) * 6371e3 / 60
    np.testing.assert_allclose(found.messages.velocities, np.tile([speed, 0.0], (12, 1)), atol=1e-6)


def test_a_flight_around_the_world_is_as_long_as_it_was():
    path = 10.0 + 3.0 * np.arange(121)
    messages = across((path + 180) % 360 - 180)._replace(times=600.0 * np.arange(121))
    found, _ = build_trajectories(messages, Limits(speed=2000.0))
    np.testing.assert_allclose(np.diff(found.messages.longitudes), 3.0)


def test_each_flight_around_the_world_begins_where_it_was():
    path = 10.0 + 3.0 * np.arange(121)
    one_flight = across((path + 180) % 360 - 180)._replace(times=600.0 * np.arange(121))
    other = one_flight._replace(aircraft=np.full(121, "b"))
    both = Messages(*(np.concatenate(pair) for pair in zip(one_flight, other, strict=True)))
    found, _ = build_trajectories(both, Limits(speed=2000.0))
    begins = found.messages.longitudes[found.first]
    assert begins[0] == begins[1]


def test_longitudes_start_at_the_largest_gap_without_flights():
    over, back = across((179.0 + 0.2 * np.arange(12) + 180) % 360 - 180), across(-1.0 + 0.2 * np.arange(12))
    both = Messages(*(np.concatenate(pair) for pair in zip(over, back, strict=True)))
    both = both._replace(aircraft=np.repeat(["a", "b"], 12))
    found, _ = build_trajectories(both, Limits())
    lon = found.messages.longitudes
    assert np.ptp(lon) == pytest.approx(181.2 - -1.0)
    assert lon.min() == -1.0


def test_longitudes_from_0_to_360_are_those_from_minus_180():
    found, _ = build_trajectories(across(350.0 + 0.2 * np.arange(12)), Limits())
    np.testing.assert_allclose(found.messages.longitudes, -10.0 + 0.2 * np.arange(12))


def test_an_impossible_speed_is_replaced_by_that_between_positions():
    found, _ = build_trajectories(broken([7], velocities=5000.0), Limits())
    whole, _ = build_trajectories(MESSAGES, Limits())
    np.testing.assert_allclose(found.messages.velocities, whole.messages.velocities, atol=60)


def test_an_area_may_lie_across_the_antimeridian():
    path = 178.0 + 0.2 * np.arange(24)
    found, dropped = build_trajectories(
        across((path + 180) % 360 - 180), Limits(area=Area(-10, 10, 179, 182))
    )
    assert dropped["messages from outside the area"] == np.count_nonzero((path < 179) | (path > 182))
    assert ((found.messages.longitudes >= 179) & (found.messages.longitudes <= 182)).all()


def test_no_messages_give_no_trajectories():
    found, _ = build_trajectories(MESSAGES.take(np.zeros(len(MESSAGES.times), dtype=bool)), Limits())
    assert found.n_flights == 0
