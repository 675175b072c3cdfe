"""Who chooses the palette of each frame: D-Means over time, or DP-means or k-means for each frame alone."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.video.colors import Cells, Colors, Pixels, cells, from_space, to_space
from dynmeans.apps.video.kmeans import kmeans
from dynmeans.estimators import DMeans
from dynmeans.estimators.validation import LARGEST_SEED

PER_FRAME = ("dpmeans", "kmeans")
KMEANS_COLORS = 20  # as in the paper
# The next frame goes on from here, so a frame need not be settled to the last pixel. A palette of one frame
# alone gets all the passes that it wants.
PASSES, PASSES_ALONE = 5, 100
# A frame with more distinct colours is clustered by fine cells of them: a descent over each by itself would
# not keep up with the film. Over cells a pass takes little, and so many colours need more of them.
MANY_COLORS, PASSES_MANY = 60_000, 10
_RAISE, _LOWER, _ROOM = 1.3, 1.1, 0.75  # of the birth cost, while a palette is too large or has room


class Palette(NamedTuple):
    """How palettes are chosen; costs are squared distances of RGB colours from 0 to 255."""

    birth_cost: float = 800.0
    lifetime: float = 15.0  # in frames
    reach: float = 1.1
    colorspace: str = "rgb"
    max_colors: int | None = None
    per_frame: str | None = None  # one of PER_FRAME, or None for D-Means over time
    seed: int = 0
    jobs: int | None = None

    def limited(self, most: int) -> Palette:
        """Settings with no more than so many colours."""
        usual = KMEANS_COLORS if self.per_frame == "kmeans" else most
        return self._replace(max_colors=min(self.max_colors or usual, most))


class Painting(NamedTuple):
    """A picture by its palette."""

    palette: Pixels  # (k, 3) RGB
    ids: IntArray  # (k,) the same for the life of a colour
    sizes: FloatArray  # (k,) pixels
    labels: IntArray  # (m,) index into the palette of each distinct colour
    indices: NDArray[np.int32]  # (height, width) into the palette

    @property
    def pixels(self) -> Pixels:
        """The picture, (height, width, 3)."""
        return self.palette[self.indices]


Painter: TypeAlias = Callable[[Colors], Painting]


def painter(settings: Palette) -> Painter:
    """Give a function that paints one frame after another.

    Parameters
    ----------
    settings : Palette

    Returns
    -------
    callable
        From the :class:`Colors` of a frame to a :class:`Painting`. D-Means remembers the frames before.

    Examples
    --------
    >>> from dynmeans.apps.video.colors import distinct
    >>> paint = painter(Palette())
    >>> grey, red = np.full((2, 2, 3), 99, np.uint8), np.full((2, 2, 3), (250, 0, 0), np.uint8)
    >>> [paint(distinct(picture)).ids.tolist() for picture in (grey, red, grey)]
    [[0], [1], [0]]
    """
    if settings.per_frame == "kmeans":
        return _KMeansPainter(settings)
    return _DMeansPainter(settings, alone=settings.per_frame == "dpmeans")


class _DMeansPainter:
    """D-Means, or DP-means, which is D-Means without a past."""

    def __init__(self, settings: Palette, *, alone: bool) -> None:
        self._settings, self._alone = settings, alone
        self._birth_cost = settings.birth_cost
        self._model = DMeans(
            settings.birth_cost,
            lifetime=settings.lifetime,
            reach=settings.reach,
            n_restarts=1,
            n_jobs=settings.jobs,
            random_state=settings.seed,
            history_size=0,
        )
        self._frames = 0

    def __call__(self, colors: Colors) -> Painting:
        are_many = len(colors.rows) > MANY_COLORS and not self._alone
        self._model.max_iter = PASSES_ALONE if self._alone else PASSES_MANY if are_many else PASSES
        gathered = cells(colors) if are_many else colors
        points = to_space(gathered.rows, self._settings.colorspace)
        model = self._model = self._fit(points, gathered.counts)
        self._frames += 1
        step = model.step_
        centers = model.cluster_centers_[np.searchsorted(model.cluster_ids_, step.active)]
        palette = from_space(centers, self._settings.colorspace)
        labels = np.searchsorted(step.active, step.labels)
        if isinstance(gathered, Cells):
            labels = labels[gathered.of]
        return Painting(palette, step.active, step.sizes, labels, labels.astype(np.int32)[colors.of])

    def _fit(self, points: NDArray[np.float32], counts: FloatArray) -> DMeans:
        """Make one step; with too many colours, again at a higher birth cost, which falls back later."""
        most = self._settings.max_colors or len(points)
        while True:
            model = self._step(points, counts)
            used = len(model.step_.active)
            if used <= most:
                break
            self._birth_cost *= _RAISE
        if used <= _ROOM * most:
            self._birth_cost = max(self._birth_cost / _LOWER, self._settings.birth_cost)
        return model

    def _step(self, points: NDArray[np.float32], counts: FloatArray) -> DMeans:
        model: DMeans = copy(self._model).set_params(birth_cost=self._birth_cost)
        if self._alone:  # each frame draws its own random orders
            model.set_params(random_state=(self._settings.seed + self._frames) % (LARGEST_SEED + 1))
            return model.fit(points, sample_weight=counts)
        return model.partial_fit(points, sample_weight=counts)


class _KMeansPainter:
    """k-means on each frame alone; ids have no meaning from frame to frame."""

    def __init__(self, settings: Palette) -> None:
        self._settings = settings
        self._frames = 0

    def __call__(self, colors: Colors) -> Painting:
        settings = self._settings
        points = to_space(colors.rows, settings.colorspace)
        k = settings.max_colors or KMEANS_COLORS
        found = kmeans(points, colors.counts, k, settings.seed + self._frames)
        self._frames += 1
        ids = np.arange(len(found.centers))
        sizes: FloatArray = np.bincount(found.labels, colors.counts, minlength=len(ids)).astype(np.float64)
        palette = from_space(found.centers, settings.colorspace)
        return Painting(palette, ids, sizes, found.labels, found.labels.astype(np.int32)[colors.of])
