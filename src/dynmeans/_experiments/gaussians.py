"""The paper's moving Gaussians: tuning of D-Means, accuracy and time of all methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from dynmeans._experiments.drawing.draw_gaussians import draw, summarize
from dynmeans._experiments.methods import ALL_METHODS, CEILING, COUNTED, GIBBS, GIBBS_ORACLE, OURS, REFINED
from dynmeans._experiments.parameters import GAUSSIANS
from dynmeans._experiments.parameters import SAMPLES as ALL_SAMPLES
from dynmeans._experiments.trials import (
    CHOOSING_SEED,
    REPORTED_SEED,
    Case,
    Experiment,
    ExperimentTrial,
    Follow,
    Numbers,
    Size,
    crossing,
    evaluate,
    show_frames,
    tracking,
)
from dynmeans.datasets import Stream, moving_gaussians

READINGS = ("isotropic", "radial")
FEW = 5  # clusters in the comparison of all methods
MORE = 9  # factor on the number of streams for the fastest methods
COUNTS = (1, 2, 3, 5, 7, 10, 15, 20)
FIRST_FRAME = 40
QUICK_SAMPLES = 300  # of Gibbs sampling in a quick run
# Birth costs, lifetimes and reaches of the contours.
GRID = (
    (0.02, 0.03, 0.045, 0.055, 0.065, 0.08, 0.1),
    (1.25, 1.5, 2.0, 3.0, 4.0, 6.8),
    (1.01, 1.25, 1.5, 2.0, 3.0),
)
RESTARTS, SAMPLES = (1, 3, 10, 30, 100, 300), (10, 30, 100, 300, 1000)


def plan(size: Size) -> list[ExperimentTrial]:
    """List the trials of all parts."""
    steps = 12 if size.quick else 100
    first = min(FIRST_FRAME, steps - 5)
    shown = _trial("frames", OURS, FEW, "isotropic", steps, 0, first=first)
    parts = (_five, _more, _tuning, _trade, _counts)
    return [shown, *(trial for part in parts for trial in part(size, steps))]


def _five(size: Size, steps: int) -> Iterator[ExperimentTrial]:
    """Yield trials of all methods on five clusters, for both readings."""
    for i, reading, method in product(range(size.trials), READINGS, ALL_METHODS):
        yield _trial("five", method, FEW, reading, steps, i, **_fewer(method, size))


def _more(size: Size, steps: int) -> Iterator[ExperimentTrial]:
    """Yield trials of refined D-Means and the upper limit on more streams; both are fast."""
    number = size.trials if size.quick else MORE * size.trials
    for i, reading, method in product(range(number), READINGS, (REFINED, CEILING)):
        yield _trial("more", method, FEW, reading, steps, i)


def _fewer(method: str, size: Size) -> dict[str, int]:
    """Return the number of samples of a quick run."""
    return {"n_samples": QUICK_SAMPLES} if size.quick and method.startswith(GIBBS) else {}


def _counts(size: Size, steps: int) -> Iterator[ExperimentTrial]:
    """Yield trials for other numbers of clusters."""
    counts = (2, 10) if size.quick else COUNTS
    for i, n_clusters, method in product(range(size.trials), counts, COUNTED):
        if n_clusters != FEW:
            yield _trial("counts", method, n_clusters, "isotropic", steps, i, **_fewer(method, size))


def _trade(size: Size, steps: int) -> Iterator[ExperimentTrial]:
    """Yield trials with more restarts or samples; the full number of samples is in part `five`."""
    restarts, samples = (RESTARTS[:3], SAMPLES[:3]) if size.quick else (RESTARTS, SAMPLES)
    for i in range(size.trials):
        for method, number in [*product((OURS,), restarts), *product((REFINED,), restarts[:4])]:
            yield _trial("trade", method, FEW, "isotropic", steps, i, n_restarts=number)
        for method, number in product((GIBBS, GIBBS_ORACLE), samples):
            yield _trial("trade", method, FEW, "isotropic", steps, i, n_samples=number)


def _tuning(size: Size, steps: int) -> Iterator[ExperimentTrial]:
    """Yield trials for the contours of D-Means, on few seeds used for tuning."""
    names = ("birth_cost", "lifetime", "reach")
    for i, reading in product(range(max(1, size.trials // 5)), READINGS):
        for values in crossing(GRID, [GAUSSIANS[reading][name] for name in names], size):
            given: Case = dict(zip(names, values, strict=True))
            trial = _trial("tuning", OURS, FEW, reading, steps, i, **given)
            yield trial._replace(seed=CHOOSING_SEED + i)


def _trial(
    part: str,
    method: str,
    n_clusters: int,
    reading: str,
    steps: int,
    number: int,
    *,
    first: int = 0,
    **given: Any,
) -> ExperimentTrial:
    """Return a trial; `given` replaces parameters of the method."""
    parameters = {**ALL_METHODS[method].parameters(n_clusters, reading), **given}
    case = {"method": method, "n_clusters": n_clusters, "displacement": reading, "n_steps": steps}
    case |= {"first": first} if first else {}
    share = given.get("n_samples", ALL_SAMPLES) / ALL_SAMPLES
    work = (n_clusters / FEW) ** 2  # rows and clusters
    effort = ALL_METHODS[method].seconds * steps * share * work
    return ExperimentTrial(part, {**case, "parameters": parameters}, REPORTED_SEED + number, effort)


def run(trial: ExperimentTrial) -> Numbers:
    """Run one trial of any part."""
    return _PARTS.get(trial.part, _evaluated)(trial.case, trial.seed)


def _evaluated(case: Case, seed: int) -> Numbers:
    return evaluate(follow(case), _stream(case, seed))


def _framed(case: Case, seed: int) -> Numbers:
    return show_frames(follow(case), _stream(case, seed), case["first"])


def follow(case: Case) -> Follow:
    """Return the method of a trial."""
    method = ALL_METHODS[case["method"]]
    return tracking(method.make(**case["parameters"]), uses_labels=method.uses_labels)


def _stream(case: Case, seed: int) -> Stream:
    return moving_gaussians(
        case["n_clusters"], case["n_steps"], displacement=case["displacement"], random_state=seed
    )


_PARTS: dict[str, Callable[[Case, int], Numbers]] = {"frames": _framed}

GAUSSIANS_EXPERIMENT = Experiment(
    name="gaussians",
    full=Size(50),
    quick=Size(2, quick=True),
    plan=plan,
    run=run,
    draw=draw,
    summarize=summarize,
    priorities={"five": 100.0},
)
