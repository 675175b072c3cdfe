"""`dynmeans cluster` with every algorithm: kernels by name, results that resume, errors in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans import KDMeans, SDMeans
from dynmeans._files.run_folder.reader import read_run
from dynmeans.datasets import gaussian_processes, moving_rings
from dynmeans.kernels import MST, RBF, Diffusion, GaussianProcess, Linear
from dynmeans.runs import _session as session
from point_files import contents

Command = Callable[..., Any]
STEPS = 6
TIME = ("--time", "t")

KERNELS = {
    "rbf": RBF(),
    "rbf:bandwidth=0.1": RBF(bandwidth=0.1),
    "rbf:bandwidth=0.1,landmarks=20": RBF(bandwidth=0.1, landmarks=20),
    "linear": Linear(),
    "mst": MST(),
    "mst:scale=0.07": MST(scale=0.07),
    "diffusion": Diffusion(),
    "diffusion:rank=10,memory=0.2": Diffusion(rank=10, memory=0.2),
}
MODELS = {"kdmeans": KDMeans, "sdmeans": SDMeans}


def batches() -> list[Any]:
    """Small rings; in the middle they move away for a step."""
    rings = moving_rings(STEPS, n_points=90, noise=0.02, motion=0.02, random_state=3).batches
    return [X + 5.0 if i == 3 else X for i, X in enumerate(rings)]


def write_rows(path: Path, some: list[Any], first: int = 0) -> Path:
    lines = [",".join(map(repr, [t, *row])) for t, X in enumerate(some, first) for row in X.tolist()]
    names = ["t", *(f"x{j}" for j in range(some[0].shape[1]))]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")
    return path


@pytest.fixture
def rings(folder: Path) -> Path:
    """rings.csv: six steps of 90 rows."""
    return write_rows(folder / "rings.csv", batches())


def labels(folder: str) -> list[int]:
    return [int(line) for line in Path(folder, "labels.csv").read_text().splitlines()[1:]]


def direct_labels(model: Any, some: list[Any]) -> list[int]:
    """Labels of the estimator itself."""
    return [int(k) for step in model.stream(some) for k in step.labels]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("algorithm", MODELS)
def test_every_row_has_the_label_that_the_model_gives_it(
    dynmeans: Command, rings: Path, algorithm: str, kernel: str
) -> None:
    outcome = dynmeans("cluster", rings, *TIME, "--algorithm", algorithm, "--kernel", kernel)
    assert (outcome.code, outcome.err) == (0, "")
    assert "540 rows in 6 steps" in outcome.out
    model = MODELS[algorithm](KERNELS[kernel], random_state=0)
    assert labels("dynmeans-run") == direct_labels(model, batches())
    assert len(read_run("dynmeans-run").clusters["id"]) >= STEPS


def test_rows_may_be_curves(dynmeans: Command, folder: Path) -> None:
    curves = gaussian_processes(2, sets_per_step=20, n_observations=6, random_state=0).batches
    line = ("--algorithm", "sdmeans", "--kernel", "gaussian_process:noise=0.3")
    outcome = dynmeans("cluster", write_rows(folder / "curves.csv", curves), *TIME, *line)
    assert (outcome.code, outcome.err) == (0, "")
    model = SDMeans(GaussianProcess(noise=0.3), random_state=0)
    assert labels("dynmeans-run") == direct_labels(model, curves)


def test_all_parameters_reach_the_model(dynmeans: Command, rings: Path) -> None:
    costs = ("--birth-cost", "0.15", "--relative", "--lifetime", "8", "--reach", "4")
    rest = ("--motion", "align", "--budget", "12", "--restarts", "2", "--seed", "5")
    line = ("--algorithm", "sdmeans", "--kernel", "diffusion", *costs, *rest)
    assert dynmeans("cluster", rings, *TIME, *line).code == 0
    parameters: dict[str, Any] = {"birth_cost": 0.15, "lifetime": 8.0, "reach": 4.0, "motion": "align"}
    model = SDMeans("diffusion", relative=True, budget=12, n_restarts=2, random_state=5, **parameters)
    assert labels("dynmeans-run") == direct_labels(model, batches())
    others = {"algorithm": "sdmeans", "kernel": "diffusion", "relative": True, "budget": 12}
    assert (parameters | others).items() <= read_run("dynmeans-run").info["parameters"].items()


def test_rbf_is_the_kernel_if_none_is_given(dynmeans: Command, rings: Path) -> None:
    for out, line in {"named": ("--kernel", "rbf"), "default": ()}.items():
        dynmeans("cluster", rings, *TIME, "--algorithm", "kdmeans", *line, "--out", out)
    assert labels("named") == labels("default")


def test_costs_are_shares_or_units_of_the_kernel(dynmeans: Command, rings: Path) -> None:
    line = (*TIME, "--algorithm", "sdmeans", "--kernel", "mst:scale=0.07")
    dynmeans("cluster", rings, *line, "--birth-cost", "0.1", "--relative", "--out", "shares")
    dynmeans("cluster", rings, *line, "--birth-cost", "9", "--absolute", "--out", "units")
    births = [event.cost for event in read_run("shares").events if event.kind == "birth"]
    assert births == pytest.approx([9.0] * len(births))
    first = slice(0, 90)  # afterwards the drift, which is not a cost, makes a difference
    assert labels("shares")[first] == labels("units")[first]


KEPT = [
    ("dmeans", ()),
    ("kdmeans", ("--kernel", "rbf", "--budget", "7")),
    ("kdmeans", ("--kernel", "mst:scale=0.07")),
    ("sdmeans", ("--kernel", "rbf:landmarks=20")),
    ("sdmeans", ("--kernel", "linear")),
    ("sdmeans", ("--kernel", "diffusion", "--motion", "align", "--budget", "20")),
]


@pytest.mark.parametrize(("algorithm", "options"), KEPT, ids=lambda value: str(value))
def test_a_killed_run_continues_to_the_same_bytes(
    dynmeans: Command,
    rings: Path,
    monkeypatch: pytest.MonkeyPatch,
    algorithm: str,
    options: tuple[str, ...],
) -> None:
    line = ("cluster", rings, *TIME, "--algorithm", algorithm, *options)
    assert dynmeans(*line, "--out", "whole").code == 0
    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(session.Session, "take", _interrupted_at(4))
        assert dynmeans(*line, "--out", "cut", "--state", "state").code == 130
    assert len(labels("cut")) < STEPS * 90
    assert dynmeans(*line, "--out", "cut", "--state", "state").code == 0
    assert contents(Path("cut")) == contents(Path("whole"))


def _interrupted_at(count: int) -> Callable[..., Any]:
    take, calls = session.Session.take, []

    def interrupted(self: session.Session, batch: Any) -> Any:
        calls.append(batch)
        if len(calls) == count:
            raise KeyboardInterrupt
        return take(self, batch)

    return interrupted


@pytest.mark.parametrize("algorithm", MODELS)
def test_a_later_day_goes_on_with_the_clusters_of_the_first(
    dynmeans: Command, rings: Path, algorithm: str
) -> None:
    line = (*TIME, "--algorithm", algorithm, "--kernel", "mst:scale=0.07")
    dynmeans("cluster", rings, *line, "--out", "whole")
    for day, part in enumerate((slice(0, 2), slice(2, None))):
        path = write_rows(Path(f"day{day}.csv"), batches()[part], first=2 * day)
        assert dynmeans("cluster", path, *line, "--state", "state", "--out", f"{day}").code == 0
    assert labels("0") + labels("1") == labels("whole")


def test_a_state_is_of_one_algorithm_and_kernel(dynmeans: Command, rings: Path) -> None:
    line = (*TIME, "--state", "state", "--algorithm")
    assert dynmeans("cluster", rings, *line, "sdmeans", "--kernel", "mst").code == 0
    for other in (("kdmeans", "--kernel", "mst"), ("sdmeans", "--kernel", "rbf"), ("dmeans",)):
        outcome = dynmeans("cluster", rings, *line, *other)
        assert outcome.code == 2
        assert "belongs to a run with --" in outcome.err


SHAPES = ("--algorithm", "sdmeans")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kernel", "rbf"), "--kernel needs --algorithm kdmeans or sdmeans"),
        (("--relative",), "--relative needs --algorithm kdmeans or sdmeans"),
        (("--budget", "9"), "--budget needs --algorithm kdmeans or sdmeans"),
        (("--motion", "align"), "--motion align is not supported by --algorithm dmeans"),
        ((*SHAPES, "--motion", "velocity"), "--motion velocity is not supported by --algorithm sdmeans"),
        ((*SHAPES, "--kernel", "cosine"), "--kernel 'cosine': kernel is 'cosine'; it must be one of"),
        ((*SHAPES, "--kernel", "rbf:width=1"), "kernel 'rbf' has no parameter 'width'; it has ['bandwidth'"),
        (
            (*SHAPES, "--kernel", "rbf:bandwidth=wide"),
            "--kernel 'rbf:bandwidth=wide': 'wide' is not a number",
        ),
        ((*SHAPES, "--kernel", "rbf:bandwidth=-1"), "bandwidth is -1; it must be finite and above 0"),
        ((*SHAPES, "--kernel", 'mst:scale="a"'), "--kernel 'mst:scale=\"a\"': "),
        ((*SHAPES, "--kernel", "precomputed"), "--kernel precomputed needs similarities, not rows"),
        ((*SHAPES, "--budget", "0"), "--budget"),
        (("--algorithm", "kmeans"), "--algorithm"),
    ],
)
def test_incompatible_options_give_a_one_line_error_and_write_nothing(
    dynmeans: Command, rings: Path, options: tuple[str, ...], message: str
) -> None:
    outcome = dynmeans("cluster", rings, *TIME, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("dynmeans: error: ")
    assert outcome.err.count("\n") == 1
    assert message in outcome.err
    assert not Path("dynmeans-run").exists()


def test_rows_that_are_no_curves_are_named(dynmeans: Command, folder: Path) -> None:
    odd = write_rows(Path("odd.csv"), [np.zeros((4, 3))])
    outcome = dynmeans("cluster", odd, *TIME, *SHAPES, "--kernel", "gaussian_process")
    assert outcome.code == 2
    assert outcome.err.startswith("dynmeans: error: odd.csv")
    assert "a row has 3 columns; it must hold p inputs, then their p outputs" in outcome.err
