"""From frames of points to people: thin, cluster on the ground plane, and name every point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from dynmeans.apps.points.background import Background, Nothing
from dynmeans.apps.points.voxels import thin
from dynmeans.estimators import DMeans, SDMeans
from dynmeans.estimators.base import BatchClusterer
from dynmeans.model.events import Event, StepReport
from dynmeans.model.types import FloatArray, IntArray

BACKGROUND = -1  # label of points that belong to nobody
EVEN_WIDTH = 0.5  # metres around a cell within which it shares its weight: about a person


class Setting(NamedTuple):
    """How people are followed; lengths in metres, times in seconds."""

    algorithm: str
    birth_cost: float  # square metres, or for sdmeans units of its kernel
    voxel: float
    weight: float  # of a person, in points
    lifetime: float = 4.0
    reach: float = 3.0
    motion: str = "walk"
    bandwidth: float = 0.4  # sdmeans: within which points are alike
    pull: float = 0.5  # sdmeans: how much a square metre counts beside likeness
    budget: int = 8  # sdmeans: cells that stand for the past of a person
    restarts: int = 1
    seed: int = 0


# Chosen on scenes of `walking_people` with seeds below 100.
SETTINGS = {
    "dmeans": Setting("dmeans", birth_cost=0.8, voxel=0.1, weight=20.0),
    "sdmeans": Setting("sdmeans", birth_cost=3.0, voxel=0.15, weight=6.0),
}
DEFAULT = SETTINGS["dmeans"]


class Step(NamedTuple):
    """One frame with its people."""

    labels: IntArray  # (n,) id of each point of the frame, -1 for background
    report: StepReport | None  # None where nobody has ever been seen
    cells: int  # that were clustered


class Follower:
    """Names the points of frames, one after another; a person keeps his id for life.

    Every frame is cleared of its background and thinned to cells of the ground plane, whose weights are
    evened out so that a person near the sensor weighs as much as one far away. D-Means or SD-Means clusters
    them, with time in seconds.

    Parameters
    ----------
    setting : Setting
    background : Background or None
        What to leave out; by default nothing.
    on_event : callable or None
        Told of every birth, revival, sleep and death.

    Examples
    --------
    >>> from dynmeans.datasets import walking_people
    >>> frame = walking_people(n_steps=1, n_people=3, random_state=0).batches[0]
    >>> int(Follower().take(frame, 0.0).labels.max())
    2
    """

    def __init__(
        self,
        setting: Setting = DEFAULT,
        background: Background | None = None,
        on_event: Callable[[Event], object] | None = None,
    ) -> None:
        self.setting = setting
        self.model = make_model(setting)
        self.model.on_event = on_event
        self._background = Nothing() if background is None else background

    def take(self, points: FloatArray, time: float) -> Step:
        """Name the points (n, 3) of the frame at a time in seconds."""
        labels = np.full(len(points), BACKGROUND)
        shown = np.flatnonzero(np.isfinite(points).all(axis=1))
        shown = shown[self._background.keeps(points[shown])]
        if not len(shown):
            return Step(labels, None, 0)
        cells = thin(points[shown, :2], self.setting.voxel)
        weights = self.setting.weight * even_weights(cells.centers, cells.counts)
        report = self.model.partial_fit(cells.centers, sample_weight=weights, t=time).step_
        labels[shown] = report.labels[cells.cell]
        return Step(labels, report, len(cells.counts))


def even_weights(centers: FloatArray, counts: FloatArray, width: float = EVEN_WIDTH) -> FloatArray:
    """Weights of cells (m,) that add up to about 1 in every crowd of a width, however many points it has.

    Parameters
    ----------
    centers : float array of shape (m, d)
    counts : float array of shape (m,)
        Points of each cell; their root counts, so that cells with many points do not outweigh the rest.
    width : float
        Of the Gaussian over which weight is shared.

    Examples
    --------
    >>> even_weights(np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 0.0]]), np.array([4.0, 4.0, 100.0]))
    array([0.5, 0.5, 1. ])
    """
    mass = np.sqrt(counts)
    crowd = np.exp(cdist(centers, centers, "sqeuclidean") * (-0.5 / width**2)) @ mass
    weights: FloatArray = mass / crowd
    return weights


def make_model(setting: Setting) -> BatchClusterer:
    """Build the model of a setting."""
    shared: dict[str, Any] = {
        "lifetime": setting.lifetime,
        "reach": setting.reach,
        "motion": setting.motion,
        "n_restarts": setting.restarts,
        "n_jobs": 1,
        "random_state": setting.seed,
    }
    if setting.algorithm == "dmeans":
        return DMeans(setting.birth_cost, **shared)
    kernel = GroundKernel(setting.bandwidth, setting.pull)
    return SDMeans(kernel, setting.birth_cost, relative=False, budget=setting.budget, **shared)


class GroundKernel(NamedTuple):
    """Likeness of places on the ground: near ones are alike, far ones the less so the farther they are.

    A Gaussian alone is blind beyond its width: all that is far is equally far, and an old cluster could be
    found again anywhere. A linear part, in square metres, tells how far.
    """

    bandwidth: float
    pull: float

    def __call__(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Kernel of every row of a (n, 2) with every row of b (m, 2)."""
        likeness: FloatArray = np.exp(cdist(a, b, "sqeuclidean") * (-0.5 / self.bandwidth**2))
        return likeness + self.pull * (a @ b.T)
