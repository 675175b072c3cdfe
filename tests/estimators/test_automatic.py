from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dynmeans
from dynmeans import DMeans
from dynmeans._algorithms.estimation.first_batches import MAX_ROWS, sample_rows
from dynmeans._files.snapshot import SnapshotError
from dynmeans.datasets import moving_gaussians
from dynmeans.estimators import from_snapshot
from dynmeans.estimators._state_files.encoding import to_snapshot
from dynmeans.metrics import identity_f1


def walkers(rows: int, n_steps: int, seed: int = 0) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Nine people in a hall of 20 by 20 m who walk straight on, with some rows each."""
    rng = np.random.default_rng(seed)
    start = 6.0 * np.array([(k % 3, k // 3) for k in range(9)]) + rng.uniform(0, 2, (9, 2))
    speed, ids = rng.uniform(-0.2, 0.2, (9, 2)), np.repeat(np.arange(9), rows)
    batches = [(start + t * speed)[ids] + rng.normal(0, 0.05, (len(ids), 2)) for t in range(n_steps)]
    return batches, [ids] * n_steps


def labels_of(model: Any, batches: list[np.ndarray]) -> list[np.ndarray]:
    return [step.labels for step in model.stream(batches)]


@pytest.mark.parametrize("rows", [1, 5, 30])
def test_people_keep_their_ids_without_any_parameter(rows: int) -> None:
    batches, truth = walkers(rows, 40)
    found = labels_of(DMeans(random_state=0), batches)
    assert identity_f1(truth[8:], found[8:]) > 0.85


def test_noisy_detections_at_a_high_rate_are_followed_with_a_velocity() -> None:
    """People at 20 Hz: a displacement of 0.07 m, and an error of 0.1 m in each position."""
    rng = np.random.default_rng(0)
    start, angle = 3.0 * np.array([(k % 3, k // 3) for k in range(9)]), rng.uniform(0, 2 * np.pi, 9)
    speed, ids = 0.07 * np.column_stack([np.cos(angle), np.sin(angle)]), np.arange(9)
    batches = [start + t * speed + rng.normal(0, 0.1, (9, 2)) for t in range(120)]
    model = DMeans(random_state=0)
    found = labels_of(model, batches)
    assert model.step_.parameters.motion == "velocity"
    assert model.step_.parameters.exclusive
    assert identity_f1([ids] * 88, found[32:]) > 0.95


@pytest.mark.parametrize("n_objects", [2, 3, 4, 6])
@pytest.mark.parametrize("speed", [0.0, 0.02])
def test_objects_in_a_line_are_separate(n_objects: int, speed: float) -> None:
    """One row each, 5 apart: one Gaussian cluster for all of them would have the shortest Gaussian code."""
    rng = np.random.default_rng(0)
    start, ids = np.array([(5.0 * k, 0.0) for k in range(n_objects)]), np.arange(n_objects)
    velocity = rng.normal(0, speed, (n_objects, 2))
    batches = [start + t * velocity + rng.normal(0, 0.1, start.shape) for t in range(60)]
    found = labels_of(DMeans(random_state=0), batches)
    assert identity_f1([ids] * 28, found[32:]) == 1.0


@pytest.mark.parametrize("n_objects", [2, 4, 6])
def test_objects_that_are_sometimes_missed_are_separate(n_objects: int) -> None:
    """On a grid, seen in nine of ten steps: one tree of equal edges has a short code, too."""
    rng = np.random.default_rng(0)
    grid = 10.0 * np.array([(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1)])[:n_objects]
    seen = [np.flatnonzero(rng.random(n_objects) < 0.9) for _ in range(60)]
    batches = [grid[ids] + 0.3 * t + rng.normal(0, 0.1, (len(ids), 2)) for t, ids in enumerate(seen)]
    found = labels_of(DMeans(random_state=0), batches)
    assert identity_f1(seen[32:], found[32:]) > 0.95


@pytest.mark.parametrize("late", [20, 33, 100])
def test_a_second_object_may_come_late(late: int) -> None:
    """One object alone shows no scale, so the estimate is not final before the second one has come."""
    rng = np.random.default_rng(0)
    truth = [np.arange(1 if t < late else 2) for t in range(late + 60)]
    batches = [100.0 * ids[:, None] + rng.normal(0, 0.1, (len(ids), 2)) for ids in truth]
    model = DMeans(random_state=0)
    for X in batches[:late]:
        model.partial_fit(X)
    resumed = dynmeans.from_bytes(model.to_bytes())
    assert not model.step_.birth_cost_final
    found = labels_of(model, batches[late:])
    assert identity_f1(truth[late + 32 :], found[32:]) == 1.0
    for a, b in zip(found, labels_of(resumed, batches[late:]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_few_rows_in_many_dimensions_are_not_single_objects() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        found = labels_of(DMeans(random_state=0), [rng.normal(0, 1, (10, 6)) for _ in range(50)])
        assert len(np.unique(np.concatenate(found[32:]))) == 1


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_units_change_no_label(scale: float) -> None:
    batches, _ = walkers(5, 12)
    expected = labels_of(DMeans(random_state=0), batches)
    found = labels_of(DMeans(random_state=0), [scale * X for X in batches])
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_lifetime_that_is_estimated_is_in_units_of_the_interval() -> None:
    batches, _ = walkers(5, 12)
    steps = list(DMeans(random_state=0).stream({"X": X, "t": 0.1 * t} for t, X in enumerate(batches)))
    assert steps[-1].parameters.lifetime == pytest.approx(0.5)
    expected = labels_of(DMeans(random_state=0), batches)
    for step, labels in zip(steps[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(step.labels, labels)


@pytest.mark.parametrize("unit", [1.0 / 64.0, 1024.0])
@pytest.mark.parametrize("rows", [1, 5])
def test_the_unit_of_time_changes_no_label(unit: float, rows: int) -> None:
    batches, _ = walkers(rows, 40, seed=2)
    models = [DMeans(motion="velocity", random_state=0) for _ in range(2)]
    for t, X in enumerate(batches, start=1):
        by_steps, by_unit = (m.partial_fit(X, t=t * u) for m, u in zip(models, (1.0, unit), strict=True))
        assert by_steps.labels_.tolist() == by_unit.labels_.tolist()
    forecasts = [model.forecast(t=41.0 * u) for model, u in zip(models, (1.0, unit), strict=True)]
    assert np.allclose(forecasts[0].positions, forecasts[1].positions)


@pytest.mark.parametrize("weight", [0.01, 10.0, 1000.0])
@pytest.mark.parametrize("rows", [5, 30])
def test_a_weight_of_all_rows_keeps_the_ids(weight: float, rows: int) -> None:
    """Rows of weight 10 were taken for clusters of ten equal rows."""
    batches, truth = walkers(rows, 40)
    model = DMeans(random_state=0)
    found = [model.partial_fit(X, sample_weight=np.full(len(X), weight)).labels_ for X in batches]
    assert identity_f1(truth[8:], found[8:]) > 0.85


@pytest.mark.parametrize("rows", [1, 5])
def test_ids_survive_a_gap_between_batches(rows: int) -> None:
    """Nothing is recorded for eight steps, longer than the lifetime of five."""
    batches, truth = walkers(rows, 60, seed=1)
    times = [t for t in range(60) if not 40 <= t < 48]
    model, given = DMeans(random_state=0), DMeans(lifetime=5.0, random_state=0)
    found = [model.partial_fit(batches[t], t=t + 1.0).labels_ for t in times]
    assert identity_f1([truth[t] for t in times[8:]], found[8:]) > 0.9
    for t in times[:40]:
        given.partial_fit(batches[t], t=t + 1.0)
    assert (given.predict(batches[48], t=49.0) == -1).all()  # a given lifetime is in units of t


def test_a_given_lifetime_may_be_less_than_one_unit_of_time() -> None:
    rng = np.random.default_rng(0)
    batches = [
        rng.normal(0, 0.1, (20, 2)) + np.repeat([[0.0, 0.0], [5.0, 5.0]], 10, axis=0) for _ in range(12)
    ]
    by_frame, by_second = DMeans(lifetime=10.0, random_state=0), DMeans(lifetime=0.5, random_state=0)
    for frame, X in enumerate(batches):
        by_frame.partial_fit(X, t=float(frame))
        by_second.partial_fit(X, t=frame / 20)
        assert np.array_equal(by_frame.labels_, by_second.labels_)
    assert by_second.parameters_.lifetime == 0.5
    assert by_second.parameters_.reach == pytest.approx(by_frame.parameters_.reach)
    with pytest.raises(ValueError, match=r"got 0.5: it is in units of t"):
        DMeans(birth_cost=1.0, lifetime=0.5).fit(batches[0])
    with pytest.raises(ValueError, match=r"lifetime must be a finite number > 0, got 0"):
        DMeans(lifetime=0.0).fit(batches[0])


@pytest.mark.parametrize("unit", [1.0, 0.05, 3600.0])
@pytest.mark.parametrize("exclusive", [False, True])
def test_the_parameters_that_were_used_cluster_another_stream_alike(unit: float, exclusive: bool) -> None:
    """The reach was one interval after a cluster was last seen, but was read as one unit of time after it."""
    batches, _ = walkers(1 if exclusive else 5, 40)
    model = DMeans(exclusive=exclusive, motion="velocity" if exclusive else "walk", random_state=0)
    for step, X in enumerate(batches):
        model.partial_fit(X, t=unit * step)
    assert model.parameters_.interval == pytest.approx(unit)
    used = model.parameters_._asdict()
    by_time, by_step = DMeans(**used, random_state=0), DMeans(random_state=0)
    by_step.set_params(**{**used, "lifetime": used["lifetime"] / unit, "interval": None})
    for step, X in enumerate(batches):
        labels = by_time.partial_fit(X, t=unit * step).labels_
        assert np.array_equal(labels, by_step.partial_fit(X, t=float(step)).labels_)


@pytest.mark.parametrize(("moved", "low", "high"), [(0.02, 0.8, 1.0), (0.3, 1.0, 2.0)])
def test_the_estimated_reach_follows_the_motion(moved: float, low: float, high: float) -> None:
    """Four groups that walk and are missed at times, among groups that are seen once."""
    rng = np.random.default_rng(0)
    centers, batches = np.array([(0.0, 0.0), (12, 0), (0, 12), (12, 12)]), []
    for _ in range(20):
        centers = centers + rng.normal(0, moved, (4, 2))
        objects = np.repeat(centers[rng.random(4) < 0.7], 10, axis=0)
        once = np.repeat(rng.uniform(-4, 16, (2, 2)), 4, axis=0)
        rows = np.concatenate([objects, once])
        batches.append(rows + rng.normal(0, 0.3, rows.shape))
    model = DMeans(random_state=0)
    labels_of(model, batches)
    assert low < model.parameters_.reach <= high


def test_an_estimated_reach_is_kept_in_state_files(tmp_path: Any) -> None:
    batches, _ = walkers(5, 12)
    model = DMeans(random_state=0)
    labels_of(model, batches)
    model.save(tmp_path / "model")
    assert dynmeans.load(tmp_path / "model").parameters_ == model.parameters_
    state = to_snapshot(model)
    state.header["first_batches"]["drift"] = -1.0
    with pytest.raises(SnapshotError, match=r"drift -1\.0 of the first batches"):
        from_snapshot(state)


def test_given_parameters_win() -> None:
    batches, _ = walkers(5, 10)
    given = {"lifetime": 7.0, "reach": 3.0, "motion": "walk", "refine": True, "exclusive": False}
    given["merge"] = False
    model = DMeans(**given, random_state=0)
    for X in batches:
        model.partial_fit(X)
    assert model.step_.parameters._asdict() == {
        "birth_cost": model.birth_cost_,
        "metric": "euclidean",
        "interval": 1.0,
        **given,
    }


def test_a_given_birth_cost_implies_the_paper_unless_auto_is_given() -> None:
    batches, truth = walkers(1, 20)
    paper = DMeans(birth_cost=1.0, random_state=0)
    plain = DMeans(1.0, 3.0, 1.5, motion="walk", refine=False, exclusive=False, random_state=0)
    for a, b in zip(paper.stream(batches), plain.stream(batches), strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)
    assert paper.step_.parameters == plain.step_.parameters
    auto = DMeans(birth_cost=1.0, motion="auto", exclusive="auto", random_state=0)
    assert identity_f1(truth, labels_of(auto, batches)) > 0.9
    assert auto.step_.parameters.birth_cost == 1.0


@pytest.mark.parametrize("cut", [1, 3, 7, 9, 20])
@pytest.mark.parametrize("rows", [1, 5])
def test_save_load_continue_equals_never_stopping(tmp_path: Any, cut: int, rows: int) -> None:
    batches, _ = walkers(rows, 36)
    batches[2] = np.empty((0, 2))
    expected = labels_of(DMeans(random_state=0), batches)
    model = DMeans(random_state=0)
    found = labels_of(model, batches[:cut])
    model.save(tmp_path / "model")
    found += labels_of(dynmeans.load(tmp_path / "model"), batches[cut:])
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_weights_are_kept_with_the_sample(tmp_path: Any) -> None:
    batches, _ = walkers(5, 12)
    steps = [
        {"X": X, "sample_weight": np.linspace(1, 2, len(X)) if t % 2 else None} for t, X in enumerate(batches)
    ]
    expected = [step.labels for step in DMeans(random_state=0).stream(steps)]
    model = DMeans(random_state=0)
    found = [step.labels for step in model.stream(steps[:6])]
    model.save(tmp_path / "model")
    found += [step.labels for step in dynmeans.load(tmp_path / "model").stream(steps[6:])]
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_batches", -1),
        ("interval", 0.0),
        ("birth", -1.0),
        ("motion", "fly"),
        ("refine", 2),
        ("sizes", [4]),
        ("sizes", [10**9, 1, 1]),
    ],
)
def test_an_invalid_sample_is_rejected(name: str, value: Any) -> None:
    model = DMeans(random_state=0)
    labels_of(model, walkers(5, 3)[0])
    snapshot = to_snapshot(model)
    damaged = snapshot.header["first_batches"] | {name: value}
    with pytest.raises(SnapshotError):
        from_snapshot(snapshot._replace(header=snapshot.header | {"first_batches": damaged}))


@pytest.mark.parametrize("name", ["refine", "exclusive"])
def test_a_mode_is_true_false_or_auto(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be True, False or 'auto', got 'maybe'"):
        DMeans(**{name: "maybe"}).fit([[0.0], [1.0]])


def test_touching_clouds_stay_apart() -> None:
    stream = moving_gaussians(4, 30, noise=0.03, motion=0.02, random_state=5)
    found = labels_of(DMeans(random_state=0), stream.batches)
    assert identity_f1(stream.labels, found) > 0.7


def test_the_sample_of_a_very_large_batch_takes_no_permutation() -> None:
    rows = sample_rows(10**12)
    assert len(rows) == len(set(rows)) == MAX_ROWS
    assert 0 <= rows[0] < rows[-1] < 10**12


@pytest.mark.filterwarnings("ignore::dynmeans.ClusteringWarning")
def test_the_birth_cost_suits_all_rows_of_large_batches() -> None:
    """The birth cost is estimated from 100 rows per batch; the farthest of 1,500 rows are farther away."""
    rng = np.random.default_rng(11)
    centers, batches, true = 1.6 * rng.normal(size=(5, 15)), [], []
    for _ in range(10):
        true.append(rng.choice(5, 1500, p=[0.35, 0.25, 0.2, 0.12, 0.08]))
        batches.append(centers[true[-1]] + rng.normal(size=(1500, 15)))
    scale = batches[0].std(axis=0)
    model = DMeans(random_state=0)
    found = [model.partial_fit(rows / scale).labels_ for rows in batches]
    assert len(set(found[-1].tolist())) == 5
    assert identity_f1(true, found) > 0.9


@pytest.mark.parametrize("others", ["constant", "sum", "tiny"])
def test_features_without_information_add_no_clusters(others: str) -> None:
    rng = np.random.default_rng(0)
    centers = 12.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[np.repeat([0, 1, 2], 20)]
    model = DMeans(random_state=0)
    for _ in range(9):
        X = centers + rng.normal(size=(60, 2))
        added = {"constant": np.full(60, 7.0), "sum": X.sum(axis=1), "tiny": rng.normal(0, 1e-4, 60)}[others]
        assert len(model.partial_fit(np.column_stack([X, added])).step_.active) == 3
