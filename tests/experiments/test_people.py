from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynmeans.experiments.draw_people import draw
from dynmeans.experiments.people import METHODS, SOLID, SPECTRAL, mean, run, table

RESULT = run(seeds=[7], n_steps=8)


def test_every_method_is_judged_on_every_scene_and_json_can_hold_it() -> None:
    assert json.loads(json.dumps(RESULT)) == RESULT
    for method in METHODS:
        (score,) = RESULT["scores"][method]
        assert 0.0 <= score["tracked"] <= score["per_step"] <= 1.0
        assert score["milliseconds"] > 0.0
        assert len(RESULT["frames"][method]) == 4
    assert mean(RESULT, SPECTRAL, "per_step") > mean(RESULT, SOLID, "per_step")


def test_the_table_has_a_line_for_every_method_with_the_papers_numbers() -> None:
    lines = table(RESULT).splitlines()
    assert len(lines) == 2 + len(METHODS)
    assert "86.8%, 226.9 ms" in lines[2]


def test_the_frames_are_drawn_from_the_numbers_alone(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    paths = draw(json.loads(json.dumps(RESULT)), tmp_path / "figures")
    assert sorted(path.suffix for path in paths) == [".png", ".svg"]
    assert all(path.stat().st_size > 5000 for path in paths)
