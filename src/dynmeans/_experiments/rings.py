"""The paper's moving rings: contours and times of SD-Means, a table beside D-Means, frames, kernels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from dynmeans import DMeans, SDMeans
from dynmeans._core import minimum_spanning_tree
from dynmeans._experiments.drawing.draw_rings import draw, summarize
from dynmeans._experiments.parameters import OMEGA, PAPER_RINGS, PAPER_RINGS_DMEANS, RINGS
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
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.datasets import Stream, moving_rings
from dynmeans.kernels import MST, Diffusion, Kernel, first_input

RADII = (0.4, 0.2, 0.0)
HEAT = Diffusion(shapes=len(RADII))  # the kernel that parameters call "diffusion"
ALIGN, WALK, TREE, MEANS = "SD-Means, heat, align", "SD-Means, heat", "SD-Means, MST", "D-Means"
TRUTH = "nearest true ring"
PARAMETERS: dict[str, Case] = {
    ALIGN: {**RINGS, "motion": "align"},
    WALK: {**RINGS, "motion": "walk"},
    TREE: PAPER_RINGS,
    MEANS: PAPER_RINGS_DMEANS,
    TRUTH: {},
}
EFFORT = {ALIGN: 0.03, WALK: 0.02, TREE: 0.002, MEANS: 0.0005, TRUTH: 0.0001}  # seconds per step
FIRST_FRAME = 40
TUNED_STEPS, QUICK_STEPS = 30, 6  # steps per stream in the contours: enough to rank parameters
# Grids of the contours, as (birth costs, lifetimes, drifts) and (birth costs, lifetimes, reaches).
HEAT_GRID = ((0.06, 0.09, 0.12, 0.15, 0.2), (3.0, 6.0, 12.0, 24.0, 48.0), (1.0, 2.0, 4.0, 8.0, 16.0))
TREE_GRID = (
    (15.0, 25.0, 35.0, 45.0, 55.0, 75.0, 95.0),
    (2.0, 4.0, 7.0, 10.0, 13.0, 16.0),
    (1.0, 2.0, 3.0, 4.5, 6.0, 8.0),
)


def plan(size: Size) -> list[ExperimentTrial]:
    """List the trials of all parts, single streams first."""
    steps = 12 if size.quick else 100
    return [*_shown(steps), *_table(size, steps), *_tuning(size, QUICK_STEPS if size.quick else TUNED_STEPS)]


def _shown(steps: int) -> list[ExperimentTrial]:
    """List trials for five frames of one stream, and the kernels of one frame."""
    first = min(FIRST_FRAME, steps - 5)
    frames = [_trial("frames", method, True, steps, 0, first=first) for method in (ALIGN, TREE, MEANS)]
    return [*frames, ExperimentTrial("kernel", {"scale": OMEGA}, REPORTED_SEED, 0.1)]


def _table(size: Size, steps: int) -> list[ExperimentTrial]:
    cases = product(range(size.trials), PARAMETERS, (True, False))
    return [_trial("table", method, together, steps, i) for i, method, together in cases]


def _trial(
    part: str, method: str, together: bool, steps: int, number: int, **more: object
) -> ExperimentTrial:
    case = {"method": method, "together": together, "n_steps": steps, "parameters": PARAMETERS[method]}
    return ExperimentTrial(part, {**case, **more}, REPORTED_SEED + number, steps * EFFORT[method])


def _tuning(size: Size, steps: int) -> list[ExperimentTrial]:
    """List the grids of both kernels, on few seeds used for tuning."""
    heat = [{"method": WALK, "parameters": given} for given in _heat_parameters(size)]
    tree = [{"method": TREE, "parameters": given} for given in _tree_parameters(size)]
    return [
        ExperimentTrial(
            "tuning", {**case, "together": True, "n_steps": steps}, CHOOSING_SEED + i, steps * effort
        )
        for i in range(max(1, size.trials // 5))
        for cases, effort in ((heat, EFFORT[WALK]), (tree, EFFORT[TREE]))
        for case in cases
    ]


def _heat_parameters(size: Size) -> list[Case]:
    chosen = (RINGS["birth_cost"], RINGS["birth_cost"] / RINGS["aging_cost"], RINGS["drift"])
    return [
        {**PARAMETERS[WALK], "birth_cost": birth, "aging_cost": birth / lifetime, "drift": drift}
        for birth, lifetime, drift in crossing(HEAT_GRID, chosen, size)
    ]


def _tree_parameters(size: Size) -> list[Case]:
    names = ("birth_cost", "lifetime", "reach")
    grid = crossing(TREE_GRID, tuple(PAPER_RINGS[name] for name in names), size)
    return [dict(zip(names, values, strict=True)) for values in grid]


def run(trial: ExperimentTrial) -> Numbers:
    """Run one trial of any part."""
    return _PARTS[trial.part](trial.case, trial.seed)


def _evaluated(case: Case, seed: int) -> Numbers:
    return evaluate(_follow(case), _stream(case, seed))


def _framed(case: Case, seed: int) -> Numbers:
    return show_frames(_follow(case), _stream(case, seed), case["first"])


def _stream(case: Case, seed: int) -> Stream:
    return moving_rings(case["n_steps"], radii=RADII, together=case["together"], random_state=seed)


def _follow(case: Case) -> Follow:
    """Return the method of a trial."""
    method, parameters = case["method"], case["parameters"]
    if method == TRUTH:
        return nearest_rings
    if method == MEANS:
        return tracking(DMeans(**parameters, n_jobs=1, random_state=0))
    if method == TREE:
        parameters = {"kernel": MST(OMEGA), **parameters}
    elif parameters.get("kernel") == "diffusion":
        parameters = {**parameters, "kernel": HEAT}
    return tracking(SDMeans(**parameters, random_state=0))


def nearest_rings(stream: Stream) -> list[IntArray]:
    """Return the true ring nearest to each point: an upper limit under noise and crossings."""
    return [
        np.abs(np.linalg.norm(X[:, None] - centers, axis=2) - RADII).argmin(axis=1)
        for X, centers in zip(stream.batches, stream.centers, strict=True)
    ]


def _kernels(case: Case, seed: int) -> Numbers:
    """Return one frame, its spanning tree, and two kernels between all points and the central one."""
    points = moving_rings(1, radii=RADII, random_state=seed).batches[0]
    center = int(np.linalg.norm(points - 0.5, axis=1).argmin())
    edges, lengths = minimum_spanning_tree(np.ascontiguousarray(points))
    return {
        "points": points,
        "center": center,
        "edges": edges,
        "lengths": lengths,
        "tree": _similarity_to(points, center, MST(case["scale"])),
        "heat": _similarity_to(points, center, HEAT),
    }


def _similarity_to(points: FloatArray, center: int, kernel: Kernel) -> FloatArray:
    """Compute the similarity of every point (n,) with one point."""
    similarity = kernel.compare(first_input(points))
    group = np.arange(len(points)) if similarity.group is None else similarity.group
    if similarity.features is not None:
        same: FloatArray = (similarity.features @ similarity.features[group[center]])[group]
        return same
    row: FloatArray = np.asarray(similarity.matrix)[group[center]]
    return row[group]


_PARTS: dict[str, Callable[[Case, int], Numbers]] = {
    "table": _evaluated,
    "tuning": _evaluated,
    "frames": _framed,
    "kernel": _kernels,
}

RINGS_EXPERIMENT = Experiment(
    name="rings",
    full=Size(50),
    quick=Size(2, quick=True),
    plan=plan,
    run=run,
    draw=draw,
    summarize=summarize,
    priorities={"frames": 20.0, "table": 20.0},
)
