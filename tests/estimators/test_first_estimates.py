"""`DMeans()` on streams that differ from nine people in a hall: crowds, gaps, fast objects, long clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dynmeans
from dynmeans import ClusteringWarning, DMeans
from dynmeans._algorithms.estimation.window import MAX_OBJECTS
from dynmeans._files.snapshot import SnapshotError
from dynmeans.estimators import from_snapshot
from dynmeans.estimators._state_files.encoding import to_snapshot
from dynmeans.metrics import identity_f1

Stream = tuple[list[np.ndarray], list[np.ndarray]]  # batches, true ids


def labels_of(model: Any, batches: list[np.ndarray]) -> list[np.ndarray]:
    return [step.labels for step in model.stream(batches)]


def crowd(n_objects: int, n_steps: int, seed: int = 0) -> Stream:
    """Objects that walk on a large square, one row each, in another order in every step."""
    rng = np.random.default_rng(seed)
    positions = rng.uniform(0, 10 * np.sqrt(n_objects), (n_objects, 2))
    batches, truth = [], []
    for _ in range(n_steps):
        positions = positions + rng.normal(0, 0.5, positions.shape)
        order = rng.permutation(n_objects)
        batches.append(positions[order])
        truth.append(order)
    return batches, truth


def rarely_seen(share: float, n_steps: int = 120, seed: int = 0) -> Stream:
    """Twelve objects at rest, each of which is seen in a share of the steps."""
    rng = np.random.default_rng(seed)
    positions = rng.uniform(0, 50, (12, 2))
    truth = [np.flatnonzero(rng.random(12) < share) for _ in range(n_steps)]
    return [positions[ids] + rng.normal(0, 0.1, (len(ids), 2)) for ids in truth], truth


def long_clusters(seed: int = 0, n_steps: int = 40) -> Stream:
    """Five clusters that are ten times as long as wide, and differ in the narrow feature."""
    rng = np.random.default_rng(seed)
    centers, ids = 8.0 * np.array([(0, 0), (0, 1), (1, 2), (2, 0), (2, 2)]), np.repeat(np.arange(5), 30)
    rows = [(centers[ids] + rng.normal(size=(150, 2))) * [10.0, 1.0] for _ in range(n_steps)]
    return rows, [ids] * n_steps


@pytest.mark.parametrize("n_objects", [150, 400])
def test_the_objects_of_a_crowd_keep_their_ids(n_objects: int) -> None:
    """A random sample of 100 rows per step would hardly have any object twice in a row."""
    batches, truth = crowd(n_objects, 30)
    model = DMeans(random_state=0)
    found = labels_of(model, batches)
    assert identity_f1(truth[8:], found[8:]) > 0.9


def test_a_batch_of_more_rows_than_objects_may_have_is_sampled_at_random() -> None:
    rng = np.random.default_rng(0)
    model = DMeans(random_state=0)
    model.partial_fit(rng.uniform(size=(MAX_OBJECTS, 2)))
    assert model._estimates.first_batches.window is not None
    model.partial_fit(rng.uniform(size=(MAX_OBJECTS + 1, 2)))
    assert model._estimates.first_batches.window is None
    model.partial_fit(rng.uniform(size=(MAX_OBJECTS, 2)))  # the rows of the batch before are not complete
    assert model._estimates.first_batches.window is None


@pytest.mark.parametrize("cut", [1, 2, 5, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_save_load_continue_equals_never_stopping(tmp_path: Any, cut: int, weighted: bool) -> None:
    """The first batch is small, so the window begins with the second."""
    batches, _ = crowd(130, 12)
    batches[0] = batches[0][:70]
    steps = [
        {"X": X, "sample_weight": np.linspace(0.5, 1, len(X)) if weighted and t % 2 else None}
        for t, X in enumerate(batches)
    ]
    expected = [step.labels for step in DMeans(random_state=0).stream(steps)]
    for path in ("model", None):
        model = DMeans(random_state=0)
        found = [step.labels for step in model.stream(steps[:cut])]
        if path is None:
            again = dynmeans.from_bytes(model.to_bytes())
        else:
            model.save(tmp_path / path)
            again = dynmeans.load(tmp_path / path)
        found += [step.labels for step in again.stream(steps[cut:])]
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("window_radius", -1.0),
        ("window_radius", None),
        ("window_sizes", [51]),
        ("window_sizes", [10**9] * 3),
        ("window_sizes", "all"),
        ("clocks", [0.0]),
        ("clocks", [1e9] * 3),
        ("clocks", "all"),
        ("clock", -1e9),
        ("lifetime", 1.0),
        ("lifetime", 1e300),
    ],
)
def test_an_invalid_window_is_rejected(name: str, value: Any) -> None:
    model = DMeans(random_state=0)
    labels_of(model, crowd(130, 3)[0])
    snapshot = to_snapshot(model)
    damaged = snapshot.header["first_batches"] | {name: value}
    with pytest.raises(SnapshotError):
        from_snapshot(snapshot._replace(header=snapshot.header | {"first_batches": damaged}))


def test_objects_that_are_often_missed_have_a_longer_lifetime() -> None:
    batches, truth = rarely_seen(0.5)
    model = DMeans(random_state=0)
    found = labels_of(model, batches)
    assert 8.0 < model.parameters_.lifetime < 30.0
    assert identity_f1(truth, found) > 0.95
    assert model._state.next_id <= 14


def test_objects_that_are_always_seen_have_the_default_lifetime() -> None:
    model = DMeans(random_state=0)
    labels_of(model, rarely_seen(1.0)[0])
    assert model.parameters_.lifetime == 5.0


def test_a_given_lifetime_is_kept_for_objects_that_are_often_missed() -> None:
    model = DMeans(lifetime=4.0, random_state=0)
    labels_of(model, rarely_seen(0.5)[0])
    assert model.parameters_.lifetime == 4.0


def test_an_estimated_lifetime_is_in_units_of_time_and_kept_in_state_files(tmp_path: Any) -> None:
    batches, _ = rarely_seen(0.5, 60)
    steps = [{"X": X, "t": 0.1 * t} for t, X in enumerate(batches)]
    model, in_steps = DMeans(random_state=0), DMeans(random_state=0)
    for step in steps:
        model.partial_fit(**step)
    labels_of(in_steps, batches)
    assert model.parameters_.lifetime == pytest.approx(0.1 * in_steps.parameters_.lifetime)
    model.save(tmp_path / "model")
    assert dynmeans.load(tmp_path / "model").parameters_ == model.parameters_


def test_an_object_does_not_inherit_the_id_of_one_that_left() -> None:
    """Cars on four lanes; another enters where one has left. The sample allows a far larger birth cost."""
    rng = np.random.default_rng(0)
    speeds, n_steps = np.array([2.0, 2.5, -2.2, -2.7]), 160
    batches, truth = [], []
    for t in range(n_steps):
        along = np.array([[(speed * t + 17.0 * k) for k in range(3)] for speed in speeds])
        turn = np.floor_divide(along, 60.0).astype(int)  # a car that reaches the end is replaced by another
        position = along - 60.0 * turn
        lane = np.repeat(4.0 * np.arange(4), 3)
        rows = np.column_stack([position.ravel(), lane]) + rng.normal(0, 0.1, (12, 2))
        car = np.arange(12) + 12 * (turn.ravel() + 100)
        batches.append(rows)
        truth.append(car)
    found = labels_of(DMeans(random_state=0), batches)
    assert identity_f1(truth[16:], found[16:]) > 0.95


def test_clusters_that_are_long_in_one_feature_give_a_warning_with_scales() -> None:
    batches, truth = long_clusters()
    model = DMeans(random_state=0)
    with pytest.warns(ClusteringWarning, match="times as wide in one feature as in another") as caught:
        before = labels_of(model, batches)
    assert len(caught) == 1
    assert str(caught[0].message) == model.warnings_["width"]
    proposal = model._estimates.first_batches.proposal
    assert proposal is not None
    scales = proposal.scales
    assert f"feature_scales={scales}" in model.warnings_["width"]
    after = labels_of(DMeans(feature_scales=scales, random_state=0), batches)
    assert identity_f1(truth, before) < 0.9 < 0.97 < identity_f1(truth, after)


@pytest.mark.parametrize("params", [{"birth_cost": 400.0}, {"feature_scales": (1.0, 1.0)}])
def test_scales_are_not_proposed_if_the_user_chose(params: dict[str, Any]) -> None:
    model = DMeans(random_state=0, **params)
    labels_of(model, long_clusters()[0])
    assert "width" not in model.warnings_


def test_round_clusters_give_no_warning() -> None:
    batches = [X / [10.0, 1.0] for X in long_clusters()[0]]
    model = DMeans(random_state=0)
    labels_of(model, batches)
    assert model.warnings_ == {}


def positive_values(seed: int = 0, n_steps: int = 30) -> Stream:
    """Five groups of durations and amounts, which vary by a quarter of their values."""
    rng = np.random.default_rng(seed)
    logs, ids = np.array([(0, 0), (0, 2), (2, 1), (4, 0), (4, 3)]), np.repeat(np.arange(5), 30)
    return [np.exp(logs[ids] + 0.25 * rng.normal(size=(150, 2))) for _ in range(n_steps)], [ids] * n_steps


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e9])
def test_clusters_that_are_wider_for_larger_values_give_a_warning_about_logarithms(unit: float) -> None:
    batches, truth = positive_values()
    model = DMeans(random_state=0)
    with pytest.warns(
        ClusteringWarning, match=r"the logarithms of X\[:, 0\] and X\[:, 1\] have clearly better"
    ):
        before = labels_of(model, [unit * X for X in batches])
    after = labels_of(DMeans(random_state=0), [np.log(unit * X) for X in batches])
    assert identity_f1(truth, before) < 0.9 < 0.97 < identity_f1(truth, after)


def test_the_warning_about_logarithms_names_the_columns() -> None:
    pd = pytest.importorskip("pandas")
    model = DMeans(random_state=0)
    frames = [pd.DataFrame(X, columns=["seconds", "euros"]) for X in positive_values()[0]]
    with pytest.warns(ClusteringWarning, match="the logarithms of 'seconds' and 'euros' have"):
        labels_of(model, frames)


def test_logarithms_are_not_proposed_for_round_clusters_of_positive_values() -> None:
    batches = [X / [10.0, 1.0] + 100.0 for X in long_clusters()[0]]
    model = DMeans(random_state=0)
    labels_of(model, batches)
    assert model.warnings_ == {}


def test_logarithms_are_not_proposed_if_values_are_0() -> None:
    batches = positive_values()[0]
    batches[3][::3] = 0.0
    model = DMeans(random_state=0)
    labels_of(model, batches)
    assert "logarithms" not in model.warnings_.get("width", "")


def test_logarithms_of_a_position_are_not_proposed() -> None:
    """It is positive only because of the place of the sensor."""
    rng = np.random.default_rng(2)
    batches, truth = positive_values()
    places = 50.0 + 1.5 * np.arange(5)
    changed = [
        np.column_stack([X[:, 0], places[ids] + 0.25 * rng.normal(size=len(X))])
        for X, ids in zip(batches, truth, strict=True)
    ]
    model = DMeans(random_state=0)
    with pytest.warns(ClusteringWarning, match=r"the logarithms of X\[:, 0\] have clearly better"):
        labels_of(model, changed)


def test_hundreds_of_clusters_are_not_one() -> None:
    """A random sample of the batch has three rows of each, which look like one cluster."""
    rng = np.random.default_rng(3)
    centers = rng.uniform(-100, 100, (300, 2))
    batches = [centers[rng.integers(300, size=3000)] + rng.normal(size=(3000, 2)) for _ in range(3)]
    assert len(np.unique(labels_of(DMeans(random_state=0), batches)[-1])) > 200


def test_a_batch_of_one_gaussian_is_one_cluster() -> None:
    rng = np.random.default_rng(0)
    assert DMeans(random_state=0).fit(rng.normal(size=(5000, 2))).n_clusters_ == 1


def test_clusters_keep_their_ids_over_nights_without_batches() -> None:
    rng = np.random.default_rng(0)
    centers = rng.uniform(-20, 20, (4, 2))
    model, truth, found = DMeans(random_state=0), [], []
    for t in range(40):
        truth.append(rng.integers(0, 4, 60))
        model.partial_fit(centers[truth[-1]] + rng.normal(size=(60, 2)), t=t % 8 + 24 * (t // 8))
        found.append(model.labels_)
    assert identity_f1(truth, found) > 0.95


def test_the_lifetime_is_estimated_if_rows_are_sampled() -> None:
    """Ten clusters of 100 rows, each of which is absent in 40% of the steps."""
    rng = np.random.default_rng(0)
    centers = 20.0 * np.stack(np.divmod(np.arange(10), 4), axis=1)
    model = DMeans(random_state=0)
    for _ in range(20):
        ids = np.repeat(np.flatnonzero(rng.random(10) > 0.4), 100)
        model.partial_fit(centers[ids] + rng.normal(size=(len(ids), 2)))
    assert model.parameters_.lifetime > 6.0


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_few_rows_of_one_cluster_in_many_features_are_not_single_objects(seed: int) -> None:
    """After two batches each row would be a cluster, because no row is near to another."""
    rng = np.random.default_rng(seed)
    model = DMeans(random_state=0)
    labels_of(model, [rng.normal(size=(20, 10)) for _ in range(8)])
    assert model.cluster_ids_.max() < 10


def test_times_in_units_that_are_too_small_are_refused() -> None:
    rng = np.random.default_rng(0)
    model = DMeans(random_state=0).partial_fit(rng.normal(size=(30, 2)), t=0)
    with pytest.raises(ValueError, match=r"batches are 8.64e\+13 units of t apart: use larger units"):
        model.partial_fit(rng.normal(size=(30, 2)), t=86_400_000_000_000)
    assert model.n_steps_ == 1


@pytest.mark.parametrize("cut", [3, 7, 12])
def test_batches_without_rows_are_in_state_files(cut: int) -> None:
    """A time between two batches of the sample is a gap only if there was no batch without rows."""
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(0 if t % 3 == 2 else 12, 2)) + 20.0 * (t // 6 % 2) for t in range(24)]
    expected = [step.labels for step in DMeans(random_state=0).stream(batches)]
    model = DMeans(random_state=0)
    found = [step.labels for step in model.stream(batches[:cut])]
    again = dynmeans.from_bytes(model.to_bytes())
    assert again._estimates.first_batches.clocks == model._estimates.first_batches.clocks
    found += [step.labels for step in again.stream(batches[cut:])]
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_empty_batch_is_an_absence_and_a_gap_is_not() -> None:
    rows = np.zeros((3, 2)) + np.arange(3)[:, None]
    absent, gap = DMeans(random_state=0), DMeans(random_state=0)
    absent.partial_fit(rows, t=1).partial_fit(np.empty((0, 2)), t=2).partial_fit(rows, t=3)
    gap.partial_fit(rows, t=1).partial_fit(rows, t=3)
    assert absent._estimates.first_batches.clocks == (1.0, 2.0)
    assert gap._estimates.first_batches.clocks == (1.0, 1.0)
