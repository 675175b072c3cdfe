"""The paper's people in LiDAR, on simulated frames: accuracy and time of SD-Means and D-Means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from dynmeans._experiments.drawing.draw_people import ALONE, GROUND, SOLID, SPECTRAL, draw, summarize
from dynmeans._experiments.trials import REPORTED_SEED, Case, Experiment, ExperimentTrial, Numbers, Size
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.points import TRACKER_PARAMETERS, Tracker, TrackerParameters
from dynmeans.apps.points._voxels import bin_points, even_weights
from dynmeans.datasets import Stream, walking_people
from dynmeans.estimators import DMeans, SDMeans
from dynmeans.metrics import identity_f1, identity_switches, per_step_accuracy, tracking_accuracy

FIRST_SEED = REPORTED_SEED + 1000
FRAME_RATE = 30.0
SCENE_STEPS, PAPER_STEPS, QUICK_STEPS = 900, 3600, 24  # frames: 30 seconds, the paper's 120, about one
SHOWN = (0.55, 0.7, 0.85, 1.0)  # frames of the figure, as shares of the scene
EFFORT = {SPECTRAL: 0.005, ALONE: 0.005, GROUND: 0.003, SOLID: 0.003}  # seconds per frame

Name = Callable[[FloatArray, float], IntArray]  # points and time of a frame -> ids

# Chosen on scenes with seeds below 100. As in the paper, D-Means in 3-D clusters all points directly.
PARAMETERS: dict[str, Case] = {
    SPECTRAL: TRACKER_PARAMETERS["sdmeans"]._asdict(),
    ALONE: {"birth_cost": 3.0, "lifetime": 4.0, "reach": 3.0, "budget": 8, "n_restarts": 1},
    GROUND: TRACKER_PARAMETERS["dmeans"]._asdict(),
    SOLID: {"birth_cost": 2.5, "lifetime": 4.0, "reach": 1.5, "n_restarts": 1},
}


def plan(size: Size) -> list[ExperimentTrial]:
    """List scenes of 30 seconds, one of 120 seconds as in the paper, and frames of the figure."""
    scene, long = (QUICK_STEPS, 2 * QUICK_STEPS) if size.quick else (SCENE_STEPS, PAPER_STEPS)
    shown = [_trial("frames", method, scene // 3, 0) for method in PARAMETERS]
    scenes = [_trial("scenes", method, scene, i) for i in range(size.trials) for method in PARAMETERS]
    return [*shown, *scenes, *(_trial("paper", method, long, 0) for method in PARAMETERS)]


def _trial(part: str, method: str, steps: int, number: int) -> ExperimentTrial:
    case = {"method": method, "n_steps": steps, "parameters": PARAMETERS[method]}
    return ExperimentTrial(part, case, FIRST_SEED + number, steps * EFFORT[method])


def run(trial: ExperimentTrial) -> Numbers:
    """Track the people of one scene, 7 to 10 by its seed, on one thread."""
    case, seed = trial.case, trial.seed
    stream = walking_people(case["n_steps"], n_people=7 + seed % 4, random_state=seed)
    with threadpool_limits(1):
        found, seconds = follow(case["method"], case["parameters"], stream)
    return frames(stream, found) if trial.part == "frames" else evaluate(stream, found, seconds)


def follow(method: str, parameters: Case, stream: Stream) -> tuple[list[IntArray], FloatArray]:
    """Return ids and processor seconds of every frame."""
    name = NAMES.get(method, _tracker)(parameters)
    found, seconds = [], []
    for step, points in enumerate(stream.batches):
        began = process_time()
        found.append(name(points, step / FRAME_RATE))
        seconds.append(process_time() - began)
    return found, np.array(seconds)


def evaluate(stream: Stream, found: Sequence[IntArray], seconds: FloatArray) -> Numbers:
    """Compute the metrics of one scene."""
    return {
        "tracked": tracking_accuracy(stream.labels, found),
        "per_step": per_step_accuracy(stream.labels, found),
        "identity_f1": identity_f1(stream.labels, found),
        "switches": int(identity_switches(stream.labels, found)),
        "points": float(np.mean([len(points) for points in stream.batches])),
        "seconds": float(seconds.mean()),
        "seconds_99": float(np.quantile(seconds, 0.99)),
    }


def frames(stream: Stream, found: Sequence[IntArray]) -> Numbers:
    """Return a few frames with their found ids."""
    steps = [int(share * len(found)) - 1 for share in SHOWN]
    points: list[Any] = [np.round(stream.batches[step], 2) for step in steps]
    return {"steps": steps, "points": points, "found": [found[step] for step in steps]}


def _tracker(parameters: Case) -> Name:
    tracker = Tracker(TrackerParameters(**parameters))
    return lambda points, time: tracker.take(points, time).labels


def _solid(parameters: Case) -> Name:
    model = DMeans(**parameters, n_jobs=1, random_state=0)

    def name(points: FloatArray, time: float) -> IntArray:
        labels: IntArray = model.partial_fit(points, t=time).labels_
        return labels

    return name


class GroundKernel(NamedTuple):
    """Kernel on ground positions that decreases with distance.

    A Gaussian kernel does not distinguish distances far beyond its width, so an old cluster could be revived
    anywhere. A linear term, in square meters, makes the kernel depend on such distances too.
    """

    bandwidth: float = 0.4
    pull: float = 0.5

    def __call__(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Compute the kernel of every row of a (n, 2) with every row of b (m, 2)."""
        likeness: FloatArray = np.exp(cdist(a, b, "sqeuclidean") * (-0.5 / self.bandwidth**2))
        return likeness + self.pull * (a @ b.T)


def _alone(parameters: Case) -> Name:
    """Run the paper's algorithm, with one state for shapes and ids, on cells of the ground plane."""
    model = SDMeans(GroundKernel(), **parameters, relative=False, random_state=0)

    def name(points: FloatArray, time: float) -> IntArray:
        cells = bin_points(points[:, :2], 0.15)
        weights = 6.0 * even_weights(cells.centers, cells.counts)
        labels: IntArray = model.partial_fit(cells.centers, sample_weight=weights, t=time).labels_
        return labels[cells.cell]

    return name


NAMES: dict[str, Callable[[Case], Name]] = {ALONE: _alone, SOLID: _solid}

PEOPLE_EXPERIMENT = Experiment(
    name="people",
    full=Size(10),
    quick=Size(1, quick=True),
    plan=plan,
    run=run,
    draw=draw,
    summarize=summarize,
)
