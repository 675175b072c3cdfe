from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans._files.run_folder.format import Run
from dynmeans._files.run_folder.reader import read_run
from dynmeans._model.events import Event
from dynmeans.plots import _payload as module
from dynmeans.plots._payload import HIDDEN, build_payload
from run_folder import write_run


def unpack(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype)


def positions(packed: dict[str, Any], payload: dict[str, Any]) -> np.ndarray:
    """Coordinates as the page computes them, shape (n, 2)."""
    low, high = np.array(payload["axes"]["low"][:2]), np.array(payload["axes"]["high"][:2])
    grid = np.column_stack([unpack(column, "<u2") for column in packed["positions"][:2]])
    return low + grid / 65535 * (high - low)


def ids_of(packed: dict[str, str], payload: dict[str, Any]) -> np.ndarray:
    return np.array(payload["clusters"]["id"])[unpack(packed["cluster"], "<u2")]


def test_points_and_centers_come_back_in_their_steps_with_their_ids(run: Run) -> None:
    payload = build_payload(run)
    for packed, table in ((payload["points"], run.sample), (payload["centers"], run.clusters)):
        extent = np.ptp(table["features"], axis=0).max()
        np.testing.assert_allclose(positions(packed, payload), table["features"], atol=extent / 60_000)
        np.testing.assert_array_equal(ids_of(packed, payload), table["id"])
        offsets = unpack(packed["offsets"], "<u4")
        np.testing.assert_array_equal(offsets, np.searchsorted(table["step"], run.steps["step"]))


def test_a_small_run_is_shown_whole_and_without_a_note(run: Run) -> None:
    payload = build_payload(run)
    assert payload["notes"] == []
    assert payload["counts"] == {
        "rows": run.info["rows"],
        "steps": 40,
        "clusters": len(set(run.clusters["id"].tolist())),
    }
    assert payload["steps"]["cost"] == pytest.approx(run.steps["cost"], rel=1e-6)


def test_tentative_clusters_are_marked_and_counted(run: Run) -> None:
    events = [event._replace(tentative=event.id in (1, 2)) for event in run.events]
    events.append(Event("confirmation", 2, 3, 3.0, 0.0))
    info = run.info | {"parameters": {"min_hits": 3}}
    payload = build_payload(run._replace(events=events, info=info))
    clusters = payload["clusters"]
    assert np.array(clusters["id"])[clusters["tentative"]].tolist() == [1]
    n = len(payload["clusters"]["id"])
    assert payload["notes"] == [f"1 of {n} clusters are tentative: they had points in fewer than 3 steps."]
    assert not any(build_payload(run)["clusters"]["tentative"])


def test_parameters_that_were_estimated_are_shown(run: Run) -> None:
    given = {"birth_cost": "auto", "metric": "auto", "exclusive": True, "min_hits": 1}
    used = {"metric": "cosine", "motion": "walk", "exclusive": True, "refine": False, "lifetime": 8.0}
    found = dict(
        build_payload(run._replace(info=run.info | {"parameters": given, "used": used}))["parameters"]
    )
    assert found == {
        "birth cost": "auto",
        "metric": "cosine (auto)",
        "exclusive": "yes",
        "min hits": "1",
        "motion": "walk (auto)",
        "lifetime": "8 (auto)",
    }
    given["birth_cost"] = 2.0
    found = dict(
        build_payload(run._replace(info=run.info | {"parameters": given, "used": used}))["parameters"]
    )
    assert found == {"birth cost": "2", "metric": "cosine (auto)", "exclusive": "yes", "min hits": "1"}


def test_points_are_thinned_evenly_over_the_steps_and_the_page_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_POINTS", 400)
    monkeypatch.setattr(module, "MIN_POINTS", 10)
    payload = build_payload(run._replace(info=run.info | {"rows": 1_000_000}))
    kept = np.diff(
        unpack(payload["points"]["offsets"], "<u4"),
        append=len(unpack(payload["points"]["positions"][0], "<u2")),
    )
    np.testing.assert_array_equal(kept, np.minimum(np.bincount(run.sample["step"])[1:], 10))
    assert payload["notes"] == [f"Showing {kept.sum()} of 1,000,000 points."]


def test_steps_and_clusters_are_thinned_and_the_page_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_STEPS", 11)
    monkeypatch.setattr(module, "MAX_CLUSTERS", 3)
    payload = build_payload(run)
    sizes = {
        k: run.clusters["weight"][run.clusters["id"] == k].sum() for k in set(run.clusters["id"].tolist())
    }
    assert set(payload["clusters"]["id"]) == set(sorted(sizes, key=lambda k: -sizes[k])[:3])
    assert payload["steps"]["step"][0] == 1
    assert payload["steps"]["step"][-1] == 40
    assert payload["range"] == [1, 40]
    assert f"11 of 40 steps, 3 of {len(sizes)} clusters (the largest)" in payload["notes"][0]
    others = unpack(payload["points"]["cluster"], "<u2") == HIDDEN
    shown = run.sample["id"][np.isin(run.sample["step"], payload["steps"]["step"])]
    np.testing.assert_array_equal(others, ~np.isin(shown, payload["clusters"]["id"]))


def test_steps_are_left_out_before_points_and_centers_become_too_many(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_CENTERS", 50)
    assert len(build_payload(run)["steps"]["step"]) == 50 * 40 // len(run.clusters["id"])
    monkeypatch.setattr(module, "MAX_CENTERS", 10**6)
    monkeypatch.setattr(module, "MAX_POINTS", 200)
    monkeypatch.setattr(module, "MIN_POINTS", 20)
    payload = build_payload(run)
    assert len(payload["steps"]["step"]) == 10
    assert set(np.diff(unpack(payload["points"]["offsets"], "<u4"))) == {20}


def test_a_page_at_its_limits_stays_under_six_megabytes(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, n_steps=2, n_features=30))
    many = 150_000
    rng = np.random.default_rng(0)
    steps = np.repeat(np.arange(1, 1001), 150)
    clusters = {
        "step": steps,
        "time": steps + 0.123456789,
        "id": rng.permutation(np.arange(many) % 20_000),
        "weight": rng.random(many),
        "age": rng.random(many),
        "features": rng.random((many, 30)),
    }
    sample = {"step": steps, "row": np.arange(many), "id": clusters["id"], "features": clusters["features"]}
    table = {name: rng.random(1000) for name in run.steps} | {"step": np.arange(1, 1001)}
    text = json.dumps(build_payload(Run(run.info, table, clusters, sample, [])))
    assert len(text) < 6_000_000


def test_times_of_day_keep_their_last_digit(tmp_path: Path) -> None:
    payload = build_payload(read_run(write_run(tmp_path, n_steps=3, start=1_700_000_123.25)))
    assert payload["time"]["kind"] == "datetime"
    assert payload["steps"]["time"][0] == 1_700_001_923.25
    assert payload["clusters"]["bornTime"][0] == 1_700_001_923.25


def test_a_single_feature_is_spread_over_the_height(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, n_features=1))
    payload = build_payload(run)
    spread = positions(payload["points"], payload)[:, 1]
    assert payload["axes"]["labels"][1] == ""
    assert len(np.unique(spread[run.sample["step"] == 1])) == np.sum(run.sample["step"] == 1)
    np.testing.assert_allclose(positions(payload["centers"], payload)[:, 1], 0.5, atol=1e-4)


@pytest.mark.parametrize("value", [0.0, 7.0, -1e150, 1e-300])
def test_points_that_are_all_equal_have_axes_around_them(run: Run, value: float) -> None:
    def flatten(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return table | {"features": np.full_like(table["features"], value)}

    payload = build_payload(run._replace(sample=flatten(run.sample), clusters=flatten(run.clusters)))
    (x0, y0), (x1, y1) = payload["axes"]["low"], payload["axes"]["high"]
    assert x0 < value < x1
    assert y0 < value < y1


def test_costs_that_are_not_finite_are_left_out(run: Run) -> None:
    cost = run.steps["cost"].copy()
    cost[3] = np.nan
    payload = build_payload(run._replace(steps=run.steps | {"cost": cost}))
    assert payload["steps"]["cost"][3] is None
    json.dumps(payload, allow_nan=False)


def test_a_run_without_steps_and_one_that_is_not_finished_have_a_payload(empty_run: Run) -> None:
    payload = build_payload(empty_run._replace(info=empty_run.info | {"complete": False}))
    assert payload["counts"] == {"rows": 0, "steps": 0, "clusters": 0}
    assert payload["notes"] == ["The run is not finished."]
