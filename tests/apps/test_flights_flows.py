from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from air_traffic import as_messages, small_week
from dynmeans._files.errors import InputError
from dynmeans.apps.flights._chart import draw_flows
from dynmeans.apps.flights._files import iso, write_flows
from dynmeans.apps.flights._proxy_labels import sector_labels
from dynmeans.apps.flights._smoothing import Lattice, Smoother, area_of, lattice_velocities, widen
from dynmeans.apps.flights.flows import FlowOptions, features_of, find_flows, largest_flows
from dynmeans.apps.flights.trajectories import Area, Limits, build_trajectories

WEEK = small_week()
FLIGHTS = build_trajectories(as_messages(WEEK), Limits())[0]


def test_the_processes_solved_together_are_those_of_scikit_learn_one_by_one():
    smoother = Smoother(Lattice(area_of(FLIGHTS), 4, 5), length=1.0, noise=0.1, speed=100.0)
    fields = np.concatenate(list(lattice_velocities(FLIGHTS, smoother)))
    messages = FLIGHTS.messages
    lengths = np.diff(FLIGHTS.bounds)
    for f in np.flatnonzero(lengths <= 32)[:10]:  # short enough that every message is seen
        here = slice(FLIGHTS.bounds[f], FLIGHTS.bounds[f + 1])
        process = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None)
        cells = smoother.lattice.cells(messages.latitudes[here], messages.longitudes[here])
        process.fit(cells, messages.velocities[here] / 100.0)
        wanted = process.predict(smoother.lattice.positions())
        np.testing.assert_allclose(fields[f], wanted.T.ravel(), atol=1e-8)


def test_a_long_trajectory_is_seen_at_evenly_spaced_messages_from_first_to_last():
    smoother = Smoother(Lattice(area_of(FLIGHTS), 4, 5), length=1.0, noise=0.1, speed=100.0)
    whole = np.concatenate(list(lattice_velocities(FLIGHTS, smoother)))
    longest = int(np.argmax(np.diff(FLIGHTS.bounds)))
    assert np.diff(FLIGHTS.bounds)[longest] > 32
    changed = FLIGHTS.messages.velocities.copy()
    changed[FLIGHTS.last[longest]] += 100.0
    moved = FLIGHTS._replace(messages=FLIGHTS.messages._replace(velocities=changed))
    fields = np.concatenate(list(lattice_velocities(moved, smoother)))
    differ = (fields != whole).any(axis=1)
    np.testing.assert_array_equal(np.flatnonzero(differ), [longest])


def test_flights_of_one_route_share_a_flow_all_day():
    found = find_flows(FLIGHTS, FlowOptions())
    routes = WEEK.routes[[int(name, 16) for name in FLIGHTS.messages.aircraft[FLIGHTS.first]]]
    table = np.zeros((6, found.labels.max() + 1))
    np.add.at(table, (routes, found.labels), 1)
    assert table[linear_sum_assignment(table, maximize=True)].sum() >= 0.9 * len(routes)
    births = [event.id for event in found.events if event.kind == "birth"]
    assert sorted(births) == np.unique(found.labels).tolist()


def test_windows_begin_at_full_half_hours_and_hold_the_take_off():
    found = find_flows(FLIGHTS, FlowOptions())
    starts = FLIGHTS.messages.times[FLIGHTS.first]
    assert (found.windows % 1800 == 0).all()
    assert ((starts >= found.windows) & (starts < found.windows + 1800)).all()


def test_events_have_the_times_of_their_windows():
    found = find_flows(FLIGHTS, FlowOptions())
    assert {event.time for event in found.events if event.kind == "birth"} <= set(found.windows.tolist())


@pytest.mark.parametrize(("height", "width"), [(0.0, 8.0), (8.0, 0.0), (3.0, 4.0)])
def test_an_area_is_not_much_longer_than_wide(height, width):
    area = widen(Area(-height / 2, height / 2, 10.0, 10.0 + width), 0.5)
    sides = area.north - area.south, area.east - area.west
    assert max(sides) == max(height, width)
    assert min(sides) == pytest.approx(max(min(height, width), 0.5 * max(height, width)))


@pytest.mark.parametrize("pole", [-90.0, 90.0])
def test_an_area_around_a_pole_ends_where_the_world_does(pole):
    far = np.sign(pole) * 89.0
    area = widen(Area(min(pole, far), max(pole, far), -180.0, 180.0), 0.5)
    assert pole in (area.south, area.north)
    assert area.north - area.south > 1
    assert (area.west, area.east) == (-180.0, 180.0)


def table_of(figure):
    (image,) = figure.axes[1].images
    return image, figure.axes[2].get_ylabel()


def test_the_map_counts_in_windows_of_their_length():
    pytest.importorskip("matplotlib")
    sparse = find_flows(FLIGHTS, FlowOptions(window=7200.0))
    image, label = table_of(draw_flows(sparse))
    assert label == "flights in 2 hours"
    assert image.get_array().sum() == sum(len(flow.members) for flow in largest_flows(sparse, 12))


def test_few_flights_are_visible_on_the_map():
    pytest.importorskip("matplotlib")
    image, _ = table_of(draw_flows(find_flows(FLIGHTS, FlowOptions(window=1e7))))
    assert image.get_array().min() > 0
    assert image.get_clim()[0] == 0


def test_more_windows_than_columns_are_counted_together():
    pytest.importorskip("matplotlib")
    found = find_flows(FLIGHTS, FlowOptions())
    windows = found.windows.copy()
    windows[-1] += 1e9
    image, _ = table_of(draw_flows(found._replace(windows=windows)))
    assert image.get_array().shape[1] <= 400
    assert image.get_array().sum() == sum(len(flow.members) for flow in largest_flows(found, 12))


def test_a_map_of_traffic_to_the_north_is_not_much_higher_than_wide():
    pytest.importorskip("matplotlib")
    along = FLIGHTS.messages._replace(longitudes=0.01 * FLIGHTS.messages.longitudes)
    figure = draw_flows(find_flows(FLIGHTS._replace(messages=along), FlowOptions()))
    width, height = figure.get_size_inches()
    assert height < 1.5 * width
    low, high = figure.axes[0].get_xlim()
    assert high - low > 0.3 * np.ptp(FLIGHTS.messages.latitudes)


def test_tables_do_not_stand_beside_the_map_of_an_earlier_search(tmp_path):
    found = find_flows(FLIGHTS, FlowOptions())
    (tmp_path / "map.png").write_text("old")
    write_flows(found, tmp_path)
    assert not (tmp_path / "map.png").exists()
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert {event["time"] for event in events if event["kind"] == "birth"} <= set(map(iso, found.windows))


def test_largest_flows_are_sorted_by_size_and_have_mean_paths():
    found = find_flows(FLIGHTS, FlowOptions())
    flows = largest_flows(found, 3)
    sizes = np.sort(np.unique(found.labels, return_counts=True)[1])[::-1]
    assert [len(flow.members) for flow in flows] == sizes[:3].tolist()
    messages = FLIGHTS.messages
    for flow in flows:
        first = FLIGHTS.first[flow.members]
        begin = [messages.longitudes[first].mean(), messages.latitudes[first].mean()]
        np.testing.assert_allclose(flow.path[0], begin)


def test_features_have_unit_mean_square_in_any_unit_of_speed():
    features, _ = features_of(FLIGHTS, FlowOptions())
    assert np.mean(np.sum(features**2, axis=1)) == pytest.approx(1.0)
    messages = FLIGHTS.messages._replace(velocities=1000 * FLIGHTS.messages.velocities)
    again, _ = features_of(FLIGHTS._replace(messages=messages), FlowOptions())
    np.testing.assert_allclose(features, again, rtol=1e-9, atol=1e-12)


def test_proxy_labels_distinguish_routes_and_are_certain_away_from_borders():
    labels, confidence = sector_labels(FLIGHTS, area_of(FLIGHTS))
    routes = WEEK.routes[[int(name, 16) for name in FLIGHTS.messages.aircraft[FLIGHTS.first]]]
    assert ((confidence >= 0) & (confidence <= 1)).all()
    for route in range(6):
        seen = labels[(routes == route) & (confidence > 0.2)]
        assert len(np.unique(seen)) <= 1


def test_no_flights_and_no_area_give_a_one_line_error():
    nothing = FLIGHTS._replace(bounds=np.zeros(1, dtype=np.int64))
    with pytest.raises(InputError, match="no trajectory"):
        find_flows(nothing, FlowOptions())
    zeros = np.zeros(len(FLIGHTS.messages.times))
    still = FLIGHTS.messages._replace(latitudes=zeros, longitudes=zeros)
    with pytest.raises(InputError, match="same position"):
        find_flows(FLIGHTS._replace(messages=still), FlowOptions())
