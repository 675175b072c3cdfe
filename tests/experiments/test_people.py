from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynmeans._experiments.drawing.draw_people import ALONE, SOLID, SPECTRAL
from dynmeans._experiments.people import PARAMETERS, PEOPLE_EXPERIMENT
from dynmeans._experiments.results import Results, read_results
from dynmeans._experiments.runner import results_file, run_experiment


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The quick form, read back from its file."""
    folder = tmp_path_factory.mktemp("people")
    run_experiment(PEOPLE_EXPERIMENT, PEOPLE_EXPERIMENT.quick, folder)
    return read_results(Path(results_file(PEOPLE_EXPERIMENT, folder, True)))


def test_every_method_is_evaluated_on_the_scenes_and_on_the_papers_length(results: Results) -> None:
    for part in ("scenes", "paper"):
        groups = results.part(part)
        assert [group.case["method"] for group in groups] == list(PARAMETERS)
        for group in groups:
            assert 0.0 <= group.mean("tracked") <= group.mean("per_step") <= 1.0
            assert 0.0 < group.mean("seconds") <= group.mean("seconds_99")


def test_sdmeans_is_above_dmeans_on_the_3d_points(results: Results) -> None:
    ours, theirs = (results.part("scenes", method=method)[0] for method in (SPECTRAL, SOLID))
    for number in ("tracked", "per_step", "identity_f1"):
        assert ours.mean(number) > theirs.mean(number)


def test_the_papers_numbers_stand_beside_ours(results: Results) -> None:
    lines = PEOPLE_EXPERIMENT.summarize(results).splitlines()
    (ours,) = (line for line in lines if line.startswith(f"| {ALONE} |") and "816.7" in line)
    (theirs,) = (line for line in lines if line.startswith(f"| {SOLID} |") and "38.1" in line)
    assert "0.868" in ours
    assert "0.536" in theirs


def test_frames_show_every_point_with_its_id(results: Results) -> None:
    for group in results.part("frames"):
        for points, found in zip(group.first["points"], group.first["found"], strict=True):
            assert np.shape(points) == (len(found), 3)
