"""Distinct colors of a picture, and conversion to the color space of the distances."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynmeans._core import distinct_colors
from dynmeans._model.types import FloatArray, IntArray

Pixels: TypeAlias = NDArray[np.uint8]
COLORSPACES = ("rgb", "oklab")

# Linear light to the responses of the cones, and their cube roots to OKLab (Björn Ottosson, 2020).
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_CELL_BITS = 2  # low bits of a channel that are ignored within a cell
# Black and white are as far apart as in RGB, so that a birth cost keeps its meaning.
_SCALE = 255 * np.sqrt(3)


class Colors(NamedTuple):
    """Distinct colors of a picture."""

    rows: Pixels  # (m, 3) RGB, in the order of first appearance
    counts: FloatArray  # (m,) pixels of each
    of: NDArray[np.int32]  # (height, width) index of each pixel's color


def distinct(pixels: Pixels) -> Colors:
    """Find the distinct colors of a picture.

    Parameters
    ----------
    pixels : uint8 array of shape (height, width, 3)

    Returns
    -------
    Colors
        ``rows[of]`` is the picture.

    Examples
    --------
    >>> picture = np.array([[[9, 9, 9], [0, 0, 0], [9, 9, 9]]], dtype=np.uint8)
    >>> distinct(picture).counts.tolist()
    [2.0, 1.0]
    """
    rows, counts, of = distinct_colors(np.ascontiguousarray(pixels).reshape(-1, 3))
    return Colors(rows, counts, of.reshape(pixels.shape[:2]))


class ColorCells(NamedTuple):
    """Colors binned into a fine grid; only occupied cells are listed."""

    rows: NDArray[np.float32]  # (c, 3) mean RGB of the pixels of each
    counts: FloatArray  # (c,) pixels of each
    of: IntArray  # (m,) index of each color's cell


def cells(colors: Colors) -> ColorCells:
    """Bin colors into cells that are four levels wide.

    Examples
    --------
    >>> picture = np.array([[[0, 0, 0], [0, 0, 2], [0, 0, 2], [9, 9, 9]]], dtype=np.uint8)
    >>> found = cells(distinct(picture))
    >>> found.counts.tolist(), found.of.tolist()
    ([3.0, 1.0], [0, 0, 1])
    """
    red, green, blue = (colors.rows >> _CELL_BITS).astype(np.int64).T
    bits = 8 - _CELL_BITS
    cell = (red << 2 * bits) | (green << bits) | blue
    counts: FloatArray = np.bincount(cell, colors.counts, 1 << 3 * bits).astype(np.float64, copy=False)
    full = np.flatnonzero(counts)
    number = np.zeros(len(counts), dtype=np.int64)
    number[full] = np.arange(len(full))
    sums = [np.bincount(cell, colors.counts * channel, len(counts))[full] for channel in colors.rows.T]
    rows = (np.stack(sums, axis=1) / counts[full, None]).astype(np.float32)
    return ColorCells(rows, counts[full], number[cell])


def to_space(colors: Pixels | NDArray[np.float32], space: str) -> NDArray[np.float32]:
    """Convert RGB colors (m, 3) to a color space, scaled to the length of RGB from black to white."""
    if space == "rgb":
        return colors.astype(np.float32)
    light = _LIGHT[colors] if colors.dtype == np.uint8 else _decode(colors.astype(np.float64) / 255)
    points = _SCALE * (np.cbrt(light @ _TO_CONES.T) @ _TO_LAB.T)
    return np.ascontiguousarray(points, dtype=np.float32)


def from_space(points: FloatArray, space: str) -> Pixels:
    """Convert points (m, 3) of a color space to the nearest RGB colors."""
    if space == "oklab":
        cones = (points / _SCALE) @ np.linalg.inv(_TO_LAB).T
        light = cones**3 @ np.linalg.inv(_TO_CONES).T
        points = 255 * _encode(np.clip(light, 0, 1))
    colors: Pixels = np.clip(np.rint(points), 0, 255).astype(np.uint8)
    return colors


def _encode(light: FloatArray) -> FloatArray:
    """Convert linear light to sRGB values, both from 0 to 1."""
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def _decode(values: FloatArray) -> FloatArray:
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


_LIGHT = _decode(np.arange(256) / 255)  # linear light of each byte
