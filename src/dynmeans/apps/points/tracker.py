"""Tracker of people in point clouds: bin, segment, link over time, and label every point."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynmeans._model.events import Event, StepReport
from dynmeans._model.types import BoolArray, FloatArray, IntArray
from dynmeans.apps.points._segmentation import segment
from dynmeans.apps.points._voxels import GroundCells, bin_points, even_weights
from dynmeans.apps.points.background import Background, NoBackground
from dynmeans.estimators import DMeans

BACKGROUND = -1  # label of background points


class TrackerParameters(NamedTuple):
    """Parameters of the tracker; lengths in meters, times in seconds."""

    algorithm: str  # "sdmeans" segments each frame first, "dmeans" clusters its cells directly
    birth_cost: float  # square meters
    voxel: float
    weight: float  # weight of a person, in points
    reach: float
    lifetime: float = 6.0
    motion: str = "velocity"
    bandwidth: float = 0.28  # sdmeans: width of the similarity
    piece_cost: float = 0.35  # sdmeans: cost of a piece, as a share of a person
    few: float = 30.0  # sdmeans: number of points at which a piece has half the weight of a person
    restarts: int = 1
    seed: int = 0
    min_points: int = 1  # sdmeans: number of points below which a piece is noise


# Tuned on scenes of `walking_people` with seeds below 100.
TRACKER_PARAMETERS = {
    "dmeans": TrackerParameters("dmeans", birth_cost=0.8, voxel=0.1, weight=20.0, reach=6.0),
    "sdmeans": TrackerParameters("sdmeans", birth_cost=0.4, voxel=0.15, weight=5.0, reach=9.0, restarts=3),
}
DEFAULT = TRACKER_PARAMETERS["sdmeans"]


class Step(NamedTuple):
    """Result of one frame."""

    labels: IntArray  # (n,) id of each point of the frame, -1 for background
    report: StepReport  # report of the linking step, without rows for a frame without foreground


class Tracker:
    """Label the points of frames in sequence; each person keeps one id.

    Each frame is stripped of its background and binned into cells of the ground plane. SD-Means segments the
    cells into pieces, and D-Means links the pieces over time, in seconds. A piece with few points has a low
    weight, so that it joins a person nearby instead of starting or reviving one. With ``algorithm="dmeans"``,
    D-Means clusters the cells directly, with weights that make a person near the sensor count as much as one
    far away.

    Parameters
    ----------
    parameters : TrackerParameters
    background : Background or None
        Background to remove; by default none.
    on_event : callable or None
        Called with every birth, revival, sleep and death.
    min_hits : int, default 1
        Number of frames in which a person must be seen before its points get the id. Until then they are
        labeled as background.

    Examples
    --------
    >>> from dynmeans.datasets import walking_people
    >>> frame = walking_people(n_steps=1, n_people=3, random_state=0).batches[0]
    >>> int(Tracker().take(frame, 0.0).labels.max())
    2
    """

    def __init__(
        self,
        parameters: TrackerParameters = DEFAULT,
        background: Background | None = None,
        on_event: Callable[[Event], object] | None = None,
        min_hits: int = 1,
    ) -> None:
        if parameters.min_points > 1 and parameters.algorithm == "dmeans":
            raise ValueError("min_points needs algorithm='sdmeans': the cells of 'dmeans' have few points")
        self.parameters = parameters
        self.model = make_model(parameters).set_params(min_hits=min_hits)
        self.model.on_event = on_event
        self._background = NoBackground() if background is None else background

    def take(self, points: FloatArray, time: float) -> Step:
        """Label the points (n, 3) of the frame at a time in seconds."""
        labels = np.full(len(points), BACKGROUND)
        shown = np.flatnonzero(np.isfinite(points).all(axis=1))
        shown = shown[self._background.is_foreground(points[shown])]
        if not len(shown):
            return Step(labels, self.model.partial_fit(np.empty((0, 2)), t=time).step_)
        parts, shares = self._parts(bin_points(points[shown, :2], self.parameters.voxel))
        linked = np.flatnonzero(self._is_linked(parts))
        weights = self.parameters.weight * shares[linked] if len(linked) else None
        report = self.model.partial_fit(parts.centers[linked], sample_weight=weights, t=time).step_
        ids = np.full(len(parts.counts), BACKGROUND)
        ids[linked] = report.confirmed_labels
        labels[shown] = ids[parts.cell]
        return Step(labels, report)

    def _is_linked(self, parts: GroundCells) -> BoolArray:
        """Return whether each part has enough points to be a person rather than noise."""
        is_linked: BoolArray = parts.counts >= self.parameters.min_points
        return is_linked

    def _parts(self, cells: GroundCells) -> tuple[GroundCells, FloatArray]:
        """Return the points to link, and the share of a person that each represents."""
        parameters = self.parameters
        if parameters.algorithm == "dmeans":
            return cells, even_weights(cells.centers, cells.counts)
        pieces = segment(cells, parameters.bandwidth, parameters.piece_cost)
        return pieces, pieces.counts / (pieces.counts + parameters.few)


def make_model(parameters: TrackerParameters) -> DMeans:
    """Create the model that links frames."""
    model = DMeans(
        parameters.birth_cost,
        parameters.lifetime,
        parameters.reach,
        motion=parameters.motion,
        n_restarts=parameters.restarts,
        n_jobs=1,
        random_state=parameters.seed,
    )
    model._is_silent = True  # each piece is nearly a person, so most clusters have a single row
    return model
