from __future__ import annotations

import numpy as np
import pytest

from dynmeans.datasets import airline_week


def distance(lat: np.ndarray, lon: np.ndarray) -> np.ndarray:
    """Kilometres between neighbors, by the angle between vectors."""
    lat, lon = np.radians(lat), np.radians(lon)
    positions = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    return 6371 * np.arccos(np.clip(np.sum(positions[1:] * positions[:-1], axis=1), -1, 1))


def test_aircraft_move_with_the_reported_speed_and_direction():
    week = airline_week(50, random_state=0)
    same = np.diff(week.flights) == 0
    inside = same & (np.diff(week.speeds) == 0) & (week.speeds[1:] > 200)  # at full speed
    covered = 1000 * distance(week.latitudes, week.longitudes) / np.diff(week.times)
    np.testing.assert_allclose(covered[inside], week.speeds[1:][inside], rtol=0.02)
    north = np.diff(week.latitudes)[inside]
    east = (np.diff(week.longitudes) * np.cos(np.radians(week.latitudes[1:])))[inside]
    turn = np.degrees(np.arctan2(east, north)) - week.tracks[1:][inside]
    assert np.abs((turn + 180) % 360 - 180).max() < 3


def test_flights_of_a_route_begin_at_one_airport_and_end_near_the_other():
    week = airline_week(400, n_routes=4, random_state=1)
    first = np.flatnonzero(np.diff(week.flights, prepend=-1))
    last = np.append(first[1:], len(week.flights)) - 1
    assert len(first) == len(week.routes) == 400
    for route in range(4):
        here = week.routes == route
        for ends, slack in ((first[here], 1e-6), (last[here], 1.0)):
            assert np.ptp(week.latitudes[ends]) < slack
            assert np.ptp(week.longitudes[ends]) < slack


def test_the_busiest_route_is_flown_most_and_flights_are_sorted_by_take_off():
    week = airline_week(3000, random_state=2)
    assert np.bincount(week.routes).argmax() < 6
    assert week.names[0] == "ATL-ORD"
    first = np.flatnonzero(np.diff(week.flights, prepend=-1))
    assert (np.diff(week.times[first]) >= 0).all()
    assert week.times.min() >= 1363915800  # 2013-03-22 01:30 UTC


def test_a_seed_gives_the_same_week_again():
    one, two = (airline_week(30, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.latitudes, two.latitudes)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [({"n_routes": 1000}, "at most"), ({"n_flights": 0}, "at least 1"), ({"detour": -1}, "at least 0")],
)
def test_invalid_arguments_are_refused(wrong, rule):
    with pytest.raises(ValueError, match=rule):
        airline_week(**{"n_flights": 10, **wrong})
