from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynmeans._experiments import EXPERIMENTS
from dynmeans._experiments.results import Results, read_results
from dynmeans._experiments.trials import Experiment, ExperimentTrial, Figures, Numbers, Size


def _plan(size: Size) -> list[ExperimentTrial]:
    return [ExperimentTrial("sums", {"add": 1}, seed) for seed in range(size.trials)]


def _run(trial: ExperimentTrial) -> Numbers:
    return {"sum": trial.seed + trial.case["add"]}


def _draw(results: Results) -> Figures:
    return {"sums": pytest.importorskip("matplotlib.figure").Figure()}


def _tell(results: Results) -> str:
    return f"{len(next(iter(results)).trials)} sums"


@pytest.fixture(autouse=True)
def _small_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    small = Experiment(
        name="rings",
        full=Size(4),
        quick=Size(2, quick=True),
        plan=_plan,
        run=_run,
        draw=_draw,
        summarize=_tell,
    )
    monkeypatch.setitem(EXPERIMENTS, "rings", small)


def test_results_and_figures_are_written_and_named(dynmeans: Callable[..., Any], folder: Path) -> None:
    outcome = dynmeans("reproduce", "rings", "--out", "there", "--jobs", 1)
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "4 sums"
    for path in ("there/rings.json", "there/sums.png", "there/sums.svg"):
        assert path in outcome.out
        assert Path(path).exists()
    assert outcome.err == ""


@pytest.mark.parametrize(
    ("options", "file", "number"),
    [(("--trials", 3), "rings.json", 3), (("--quick",), "rings-quick.json", 2)],
)
def test_options_determine_how_much_is_run(
    options: tuple[object, ...], file: str, number: int, dynmeans: Callable[..., Any], folder: Path
) -> None:
    assert dynmeans("reproduce", "rings", "--jobs", 1, *options).code == 0
    (group,) = read_results(folder / "results" / file)
    assert len(group.trials) == number


@pytest.mark.parametrize(
    "content", ["{}", '{"trials": [{"part": "", "case": {}, "seeds": [], "numbers": []}]}', "[" * 100_000]
)
def test_file_that_holds_something_else_is_one_line_and_stays(
    dynmeans: Callable[..., Any], folder: Path, content: str
) -> None:
    (folder / "results").mkdir()
    (folder / "results/rings.json").write_text(content)
    outcome = dynmeans("reproduce", "rings", "--jobs", 1)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "rings.json: not a results file" in outcome.err
    assert (folder / "results/rings.json").read_text() == content


def test_unknown_experiment_is_refused(dynmeans: Callable[..., Any], folder: Path) -> None:
    outcome = dynmeans("reproduce", "squares")
    assert outcome.code == 2
    assert "squares" in outcome.err


def test_without_matplotlib_the_numbers_are_kept(
    dynmeans: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ImportError('matplotlib is not installed; install it with: pip install "dynmeans[plot]"')

    monkeypatch.setattr("dynmeans._experiments.runner.draw_experiment", missing)
    outcome = dynmeans("reproduce", "rings", "--jobs", 1)
    assert outcome.code == 0
    assert 'pip install "dynmeans[plot]"' in outcome.out
    assert (folder / "results/rings.json").exists()
