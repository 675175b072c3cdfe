"""Palette of each frame: D-Means over time, or DP-means or k-means per frame."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynmeans._model.types import FloatArray, IntArray
from dynmeans.apps.video._kmeans import kmeans
from dynmeans.apps.video.colors import ColorCells, Colors, Pixels, cells, from_space, to_space
from dynmeans.estimators import DMeans
from dynmeans.estimators._validation import LARGEST_SEED

PER_FRAME = ("dpmeans", "kmeans")
KMEANS_COLORS = 20  # as in the paper
# Maximum number of passes. The next frame starts from this result, so few passes per frame suffice; a palette
# that is fitted to one frame alone iterates to convergence.
PASSES, PASSES_ALONE = 5, 100
# Frames with more distinct colors are binned into fine cells first, to stay faster than real time. A pass
# over cells is cheap, so more passes are allowed.
MANY_COLORS, PASSES_MANY = 60_000, 10
# Factors of the birth cost while a palette is too large, or smaller than this share of the limit.
_RAISE, _LOWER, _ROOM = 1.3, 1.1, 0.75


class PaletteOptions(NamedTuple):
    """Parameters of the palette; costs are squared distances of RGB colors from 0 to 255."""

    birth_cost: float = 800.0
    lifetime: float = 15.0  # in frames
    reach: float = 1.1
    colorspace: str = "rgb"
    max_colors: int | None = None
    per_frame: str | None = None  # one of PER_FRAME, or None for D-Means over time
    seed: int = 0
    jobs: int | None = None

    def limited(self, maximum: int) -> PaletteOptions:
        """Return options with at most `maximum` colors."""
        usual = KMEANS_COLORS if self.per_frame == "kmeans" else maximum
        return self._replace(max_colors=min(self.max_colors or usual, maximum))


class QuantizedFrame(NamedTuple):
    """A frame as palette and indices."""

    palette: Pixels  # (k, 3) RGB
    ids: IntArray  # (k,) constant over the life of a color
    sizes: FloatArray  # (k,) pixels
    labels: IntArray  # (m,) palette index of each distinct color
    indices: NDArray[np.int32]  # (height, width) into the palette

    @property
    def pixels(self) -> Pixels:
        """The frame as RGB, (height, width, 3)."""
        return self.palette[self.indices]


Quantizer: TypeAlias = Callable[[Colors], QuantizedFrame]


def make_quantizer(options: PaletteOptions) -> Quantizer:
    """Return a function that quantizes one frame after another.

    Parameters
    ----------
    options : PaletteOptions

    Returns
    -------
    callable
        From the :class:`Colors` of a frame to a :class:`QuantizedFrame`. D-Means carries its clusters over
        from frame to frame.

    Examples
    --------
    >>> from dynmeans.apps.video.colors import distinct
    >>> paint = make_quantizer(PaletteOptions())
    >>> gray, red = np.full((2, 2, 3), 99, np.uint8), np.full((2, 2, 3), (250, 0, 0), np.uint8)
    >>> [paint(distinct(picture)).ids.tolist() for picture in (gray, red, gray)]
    [[0], [1], [0]]
    """
    if options.per_frame == "kmeans":
        return _KMeansQuantizer(options)
    return _DMeansQuantizer(options, alone=options.per_frame == "dpmeans")


class _DMeansQuantizer:
    """D-Means over time, or DP-means, which forgets all clusters after each frame."""

    def __init__(self, options: PaletteOptions, *, alone: bool) -> None:
        self._options, self._alone = options, alone
        self._birth_cost = options.birth_cost
        self._model = DMeans(
            options.birth_cost,
            lifetime=options.lifetime,
            reach=options.reach,
            n_restarts=1,
            n_jobs=options.jobs,
            random_state=options.seed,
            history_size=0,
        )
        self._frames = 0

    def __call__(self, colors: Colors) -> QuantizedFrame:
        are_many = len(colors.rows) > MANY_COLORS and not self._alone
        self._model.max_iter = PASSES_ALONE if self._alone else PASSES_MANY if are_many else PASSES
        gathered = cells(colors) if are_many else colors
        points = to_space(gathered.rows, self._options.colorspace)
        model = self._model = self._fit(points, gathered.counts)
        self._frames += 1
        step = model.step_
        centers = model.cluster_centers_[np.searchsorted(model.cluster_ids_, step.active)]
        palette = from_space(centers, self._options.colorspace)
        labels = np.searchsorted(step.active, step.labels)
        if isinstance(gathered, ColorCells):
            labels = labels[gathered.of]
        return QuantizedFrame(palette, step.active, step.sizes, labels, labels.astype(np.int32)[colors.of])

    def _fit(self, points: NDArray[np.float32], counts: FloatArray) -> DMeans:
        """Run one step; raise the birth cost while there are too many colors, and lower it later."""
        maximum = self._options.max_colors or len(points)
        while True:
            model = self._step(points, counts)
            used = len(model.step_.active)
            if used <= maximum:
                break
            self._birth_cost *= _RAISE
        if used <= _ROOM * maximum:
            self._birth_cost = max(self._birth_cost / _LOWER, self._options.birth_cost)
        return model

    def _step(self, points: NDArray[np.float32], counts: FloatArray) -> DMeans:
        model: DMeans = copy(self._model).set_params(birth_cost=self._birth_cost)
        if self._alone:  # a different random order for each frame
            model.set_params(random_state=(self._options.seed + self._frames) % (LARGEST_SEED + 1))
            return model.fit(points, sample_weight=counts)
        return model.partial_fit(points, sample_weight=counts)


class _KMeansQuantizer:
    """k-means on each frame; ids do not carry over between frames."""

    def __init__(self, options: PaletteOptions) -> None:
        self._options = options
        self._frames = 0

    def __call__(self, colors: Colors) -> QuantizedFrame:
        options = self._options
        points = to_space(colors.rows, options.colorspace)
        k = options.max_colors or KMEANS_COLORS
        found = kmeans(points, colors.counts, k, options.seed + self._frames)
        self._frames += 1
        ids = np.arange(len(found.centers))
        sizes: FloatArray = np.bincount(found.labels, colors.counts, minlength=len(ids)).astype(np.float64)
        palette = from_space(found.centers, options.colorspace)
        return QuantizedFrame(palette, ids, sizes, found.labels, found.labels.astype(np.int32)[colors.of])
