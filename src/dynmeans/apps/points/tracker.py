"""From frames of points to people: thin, cut into pieces, link them over time, and name every point."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans._model.events import Event, StepReport
from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.points.background import Background, Nothing
from dynmeans.apps.points.segmentation import cut
from dynmeans.apps.points.voxels import Thinned, even_weights, thin
from dynmeans.estimators import DMeans

BACKGROUND = -1  # label of points that belong to nobody


class Setting(NamedTuple):
    """How people are followed; lengths in metres, times in seconds."""

    algorithm: str  # of one frame: "sdmeans" cuts it into pieces first, "dmeans" takes its cells
    birth_cost: float  # square metres
    voxel: float
    weight: float  # of a person, in points
    reach: float
    lifetime: float = 6.0
    motion: str = "velocity"
    bandwidth: float = 0.28  # sdmeans: within which cells are alike
    piece_cost: float = 0.35  # sdmeans: what a piece costs, as a share of a person
    few: float = 30.0  # sdmeans: points of a piece that weighs half a person
    restarts: int = 1
    seed: int = 0


# Chosen on scenes of `walking_people` with seeds below 100.
SETTINGS = {
    "dmeans": Setting("dmeans", birth_cost=0.8, voxel=0.1, weight=20.0, reach=6.0),
    "sdmeans": Setting("sdmeans", birth_cost=0.4, voxel=0.15, weight=5.0, reach=9.0, restarts=3),
}
DEFAULT = SETTINGS["sdmeans"]


class Step(NamedTuple):
    """One frame with its people."""

    labels: IntArray  # (n,) id of each point of the frame, -1 for background
    report: StepReport | None  # of the parts that were linked; None where nobody was seen


class Tracker:
    """Names the points of frames, one after another; a person keeps his id for life.

    Every frame is cleared of its background and thinned to cells of the ground plane. SD-Means cuts them into
    pieces, which D-Means links over time, in seconds; a piece of few points weighs little, so that it rather
    belongs to somebody near than founds or wakes a person. With ``algorithm="dmeans"``, D-Means takes the
    cells, whose weights are evened out so that a person near the sensor weighs as much as one far away.

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
    >>> int(Tracker().take(frame, 0.0).labels.max())
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
            return Step(labels, None)
        parts, shares = self._parts(thin(points[shown, :2], self.setting.voxel))
        weights = self.setting.weight * shares
        report = self.model.partial_fit(parts.centers, sample_weight=weights, t=time).step_
        labels[shown] = report.labels[parts.cell]
        return Step(labels, report)

    def _parts(self, cells: Thinned) -> tuple[Thinned, FloatArray]:
        """What is linked, and how much of a person each of it is."""
        setting = self.setting
        if setting.algorithm == "dmeans":
            return cells, even_weights(cells.centers, cells.counts)
        pieces = cut(cells, setting.bandwidth, setting.piece_cost)
        return pieces, pieces.counts / (pieces.counts + setting.few)


def make_model(setting: Setting) -> DMeans:
    """Build the model that links frames."""
    return DMeans(
        setting.birth_cost,
        setting.lifetime,
        setting.reach,
        motion=setting.motion,
        n_restarts=setting.restarts,
        n_jobs=1,
        random_state=setting.seed,
    )
