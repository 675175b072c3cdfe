from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dynmeans._experiments import runner
from dynmeans._experiments.results import Results, read_results, write_results
from dynmeans._experiments.runner import ExperimentProgress, draw_experiment, results_file, run_experiment
from dynmeans._experiments.trials import Experiment, ExperimentTrial, Figures, Numbers, Size, by_priority
from dynmeans._files.errors import InputError
from dynmeans._files.lock import locked


def plan(size: Size) -> list[ExperimentTrial]:
    return [
        ExperimentTrial("sums", {"add": add}, seed, effort=add)
        for seed in range(size.trials)
        for add in (1, 2)
    ]


def run(trial: ExperimentTrial) -> Numbers:
    return {"sum": trial.seed + trial.case["add"], "third": trial.seed / 3}


def draw(results: Results) -> Figures:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    figure.subplots().plot([group.mean("sum") for group in results])
    return {"sums": figure}


SUMS = Experiment(
    name="sums",
    full=Size(3),
    quick=Size(1, quick=True),
    plan=plan,
    run=run,
    draw=draw,
    summarize=lambda results: "",
)


def counted(calls: list[ExperimentTrial], stop_after: int | None = None) -> Experiment:
    """The experiment, with a list of the trials that really ran; interrupted after some of them."""

    def observed(trial: ExperimentTrial) -> Numbers:
        if stop_after is not None and len(calls) == stop_after:
            raise KeyboardInterrupt
        calls.append(trial)
        return run(trial)

    return SUMS._replace(run=observed)


def test_every_trial_of_the_plan_is_run_and_kept(tmp_path: Path) -> None:
    run_experiment(SUMS, SUMS.full, tmp_path)
    kept = read_results(tmp_path / "sums.json")
    assert {group.case["add"]: group.column("sum").tolist() for group in kept} == {
        1: [1, 2, 3],
        2: [2, 3, 4],
    }


def test_file_holds_cases_seeds_version_machine_and_every_trial(tmp_path: Path) -> None:
    run_experiment(SUMS, SUMS.full, tmp_path)
    raw = json.loads((tmp_path / "sums.json").read_text())
    assert raw["trials"][0] == {
        "part": "sums",
        "case": {"add": 1},
        "seeds": [0, 1, 2],
        "numbers": {"sum": [1, 2, 3], "third": [0.0, 0.333333, 0.666667]},
    }
    assert raw["dynmeans"]
    assert raw["machines"][0]["machine"]["cores"] >= 1


def test_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    first: list[ExperimentTrial] = []
    with pytest.raises(KeyboardInterrupt):
        run_experiment(counted(first, stop_after=4), SUMS.full, tmp_path)
    second: list[ExperimentTrial] = []
    run_experiment(counted(second), SUMS.full, tmp_path)
    assert first + second == by_priority(plan(SUMS.full))
    again: list[ExperimentTrial] = []
    run_experiment(counted(again), SUMS.full, tmp_path)
    assert again == []


def test_interrupted_and_whole_runs_leave_the_same_file(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_experiment(counted([], stop_after=3), SUMS.full, tmp_path / "a")
    for name in ("a", "b"):
        run_experiment(SUMS, SUMS.full, tmp_path / name)
    assert (tmp_path / "a/sums.json").read_text() == (tmp_path / "b/sums.json").read_text()


def test_processes_give_what_one_process_gives(tmp_path: Path) -> None:
    run_experiment(SUMS, SUMS.full, tmp_path / "one", jobs=1)
    run_experiment(SUMS, SUMS.full, tmp_path / "two", jobs=2)
    assert (tmp_path / "one/sums.json").read_text() == (tmp_path / "two/sums.json").read_text()


def test_processes_do_not_outlive_a_run_that_is_killed() -> None:
    program = "\n".join(
        (
            "import multiprocessing, time",
            "from dynmeans._experiments.runner import exit_with_parent",
            "if __name__ == '__main__':",
            "    pool = multiprocessing.get_context('spawn').Pool(1, exit_with_parent)",
            "    pool.apply(abs, (1,))",
            "    pool.apply_async(time.sleep, (600,))",
            "    print('busy', flush=True)",
            "    time.sleep(600)",
        )
    )
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stdout.readline().strip() == b"busy"
    run.kill()
    assert run.communicate(timeout=60)[0] == b""  # ends when the last process has closed it


def test_fewer_trials_forget_none_of_those_that_were_run(tmp_path: Path) -> None:
    run_experiment(SUMS, Size(3), tmp_path)
    assert [len(group.trials) for group in run_experiment(SUMS, Size(1), tmp_path)] == [3, 3]


def test_cases_that_left_the_plan_leave_the_file(tmp_path: Path) -> None:
    run_experiment(SUMS, Size(2), tmp_path)
    other = SUMS._replace(plan=lambda size: [trial for trial in plan(size) if trial.case["add"] == 2])
    assert [group.case["add"] for group in run_experiment(other, Size(2), tmp_path)] == [2]


def test_results_are_saved_periodically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SAVE_EVERY", 0.0)
    path = tmp_path / "sums.json"
    lengths: list[int] = []

    def look(now: ExperimentProgress) -> None:
        lengths.append(sum(len(group.trials) for group in read_results(path)) if path.exists() else 0)

    run_experiment(SUMS, SUMS.full, tmp_path, show=look)
    assert lengths == [0, 1, 2, 3, 4, 5, 6]


def test_progress_counts_trials_of_earlier_runs_but_not_their_time(tmp_path: Path) -> None:
    run_experiment(SUMS, Size(1), tmp_path)
    seen: list[ExperimentProgress] = []
    run_experiment(SUMS, Size(3), tmp_path, show=seen.append)
    assert seen[0] == ExperimentProgress(2, 6, 0.0, 6.0, "")
    assert seen[-1] == ExperimentProgress(6, 6, 6.0, 6.0, "sums")


def test_quick_runs_have_a_file_of_their_own(tmp_path: Path) -> None:
    run_experiment(SUMS, SUMS.quick, tmp_path)
    assert results_file(SUMS, tmp_path, quick=True).exists()
    assert not results_file(SUMS, tmp_path, quick=False).exists()


@pytest.mark.parametrize("text", ["", "[]", '{"experiment": "sums"}', '{"trials": 3}'])
def test_file_that_holds_no_results_is_named_in_the_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "sums.json").write_text(text)
    with pytest.raises(InputError, match=r"sums\.json: not a results file"):
        run_experiment(SUMS, SUMS.full, tmp_path)


def test_results_of_another_version_are_not_mixed_with_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "sums.json"
    write_results(Results("sums"), path)
    path.write_text(path.read_text().replace('"dynmeans": "', '"dynmeans": "9.'))
    with pytest.raises(InputError, match=r"was made by dynmeans 9\..*move it away"):
        run_experiment(SUMS, SUMS.full, tmp_path)


def test_figures_are_drawn_as_png_and_svg_the_same_every_time(tmp_path: Path) -> None:
    results = run_experiment(SUMS, SUMS.full, tmp_path)
    paths = draw_experiment(SUMS, results, tmp_path / "a")
    draw_experiment(SUMS, results, tmp_path / "b")
    assert [path.name for path in paths] == ["sums.png", "sums.svg"]
    for path in paths:
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_results_file_belongs_to_one_run_at_a_time(tmp_path: Path) -> None:
    with (
        locked(results_file(SUMS, tmp_path, quick=False)),
        pytest.raises(InputError, match=r"sums.json: in use by another run; .* another --out"),
    ):
        run_experiment(SUMS, SUMS.full, tmp_path)
    assert len(list(run_experiment(SUMS, SUMS.full, tmp_path))) == 2
