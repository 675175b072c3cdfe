from __future__ import annotations

from pathlib import Path

import pytest

from air_traffic import as_rows, small_week, write_csv
from dynmeans._experiments.flights import flights_experiment
from dynmeans._experiments.results import Results
from dynmeans._experiments.runner import run_experiment


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("flights")
    file = write_csv(as_rows(small_week()), folder / "week.csv")
    experiment = flights_experiment(str(file))
    return run_experiment(experiment, experiment.quick, folder)


def test_every_method_finds_most_routes_of_the_week(results: Results) -> None:
    week = {group.case["method"]: group for group in results.part("table", data="synthetic week")}
    assert set(week) == {"D-Means", "DP-means", "DP-means, full passes", "Gibbs"}
    assert week["D-Means"].mean("accuracy") > 0.8
    assert week["Gibbs"].mean("seconds") > week["D-Means"].mean("seconds")


def test_the_table_has_a_row_for_each_method_and_stream_and_the_figure_a_panel(results: Results) -> None:
    pytest.importorskip("matplotlib")
    experiment = flights_experiment()
    lines = experiment.summarize(results).splitlines()
    assert len(lines) == 2 + 8
    assert all(line.rstrip(" |").endswith("1.0") for line in lines if "| D-Means |" in line)
    (figure,) = experiment.draw(results).values()
    assert len(figure.axes) == 2


def test_without_a_file_only_the_week_is_run(tmp_path: Path) -> None:
    experiment = flights_experiment()
    assert {trial.case["data"] for trial in experiment.plan(experiment.full)} == {"synthetic week"}
