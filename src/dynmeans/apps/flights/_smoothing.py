"""Trajectories as velocity fields: a Gaussian process from position to velocity, evaluated on a lattice.

Far from the path the field is zero, so two flights are similar where they fly the same path in the same
direction. All processes of a batch have the same shape and are solved together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.apps.flights.trajectories import Area, Trajectories

_KNOTS = 32  # messages per trajectory in the process, evenly spaced
_TOGETHER = 256  # trajectories per call; their kernels fit into the cache
# With longer length scales and little noise, the process extrapolates far from the path, to many times the
# speed of an aircraft.
_LENGTHS = (0.5, 0.7, 1.0, 1.4)  # in cells of the lattice
_NOISES = (0.03, 0.1, 0.3)  # variance of a velocity around its process, as a share of the whole
_SAMPLE = 200  # trajectories used to choose among them
_SPARE = 0.005  # share of the messages that may lie outside the lattice on each side
_NARROWEST = 0.2  # minimum ratio of the shorter to the longer side of an area: traffic may follow a line


class Lattice(NamedTuple):
    """A regular grid of positions."""

    area: Area
    rows: int = 10
    columns: int = 20

    def positions(self) -> FloatArray:
        """Return the grid positions in cells, row by row from the south-west, (rows * columns, 2)."""
        east, north = np.meshgrid(np.arange(self.columns), np.arange(self.rows))
        return np.stack([east.ravel(), north.ravel()], axis=1).astype(np.float64)

    def cells(self, latitudes: FloatArray, longitudes: FloatArray) -> FloatArray:
        """Convert coordinates to cells of the lattice from its south-west corner, (..., 2)."""
        east = (longitudes - self.area.west) / (self.area.east - self.area.west) * (self.columns - 1)
        north = (latitudes - self.area.south) / (self.area.north - self.area.south) * (self.rows - 1)
        return np.stack([east, north], axis=-1)


class Smoother(NamedTuple):
    """A Gaussian process with a squared exponential kernel, zero mean and unit variance."""

    lattice: Lattice
    length: float  # in cells of the lattice
    noise: float  # variance of an observation
    speed: float  # m/s  unit of velocity


class Knots(NamedTuple):
    """Observations of a batch of trajectories, padded with points of weight 0 to equal length."""

    positions: FloatArray  # (B, m, 2)  in cells
    velocities: FloatArray  # (B, m, 2)  in units of the smoother's speed
    present: FloatArray  # (B, m)  1, or 0 for padding


def area_of(flights: Trajectories) -> Area:
    """Return a box around nearly all messages, with a bounded aspect ratio."""
    south, north = np.quantile(flights.messages.latitudes, [_SPARE, 1 - _SPARE]).tolist()
    west, east = np.quantile(flights.messages.longitudes, [_SPARE, 1 - _SPARE]).tolist()
    return widen(Area(south, north, west, east), _NARROWEST)


def widen(area: Area, narrowest: float) -> Area:
    """Widen an area around its center until the ratio of its sides is at least `narrowest`.

    Examples
    --------
    >>> widen(Area(0.0, 0.0, 4.0, 8.0), 0.5)
    Area(south=-1.0, north=1.0, west=4.0, east=8.0)
    """
    stretch = stretch_of(area)
    height, width = area.north - area.south, area.east - area.west
    more_north = max(narrowest * width / stretch - height, 0.0) / 2
    more_east = max(narrowest * height * stretch - width, 0.0) / 2
    return Area(
        max(area.south - more_north, -90.0),
        min(area.north + more_north, 90.0),
        area.west - more_east,
        area.east + more_east,
    )


def stretch_of(area: Area) -> float:
    """Return the ratio of a degree of latitude to one of longitude at the center of an area."""
    return float(1 / np.cos(np.radians((area.south + area.north) / 2)))


def fit_smoother(flights: Trajectories, lattice: Lattice) -> Smoother:
    """Choose length scale and noise by maximum likelihood on a sample of the trajectories.

    Parameters
    ----------
    flights : Trajectories
        At least one trajectory.
    lattice : Lattice

    Returns
    -------
    Smoother
    """
    speed = max(float(np.sqrt(np.mean(flights.messages.velocities**2))), 1e-9)
    sample = evenly_spaced(flights.n_flights, _SAMPLE)
    choices = [Smoother(lattice, length, noise, speed) for length in _LENGTHS for noise in _NOISES]
    knots = _knots(flights, sample, choices[0])
    return max(choices, key=lambda smoother: _log_likelihood(knots, smoother))


def lattice_velocities(flights: Trajectories, smoother: Smoother) -> Iterator[FloatArray]:
    """Evaluate the posterior mean velocities of each trajectory on the lattice.

    Yields
    ------
    ndarray of shape (B, 2 * rows * columns)
        For the next B trajectories: east components at all positions, then north components, in units of
        the smoother's speed.
    """
    positions = smoother.lattice.positions()
    for start in range(0, flights.n_flights, _TOGETHER):
        which = np.arange(start, min(start + _TOGETHER, flights.n_flights))
        knots = _knots(flights, which, smoother)
        solved = np.linalg.solve(_covariance(knots, smoother), knots.velocities)
        cross = _kernel(positions[None], knots.positions, smoother) * knots.present[:, None, :]
        yield np.swapaxes(cross @ solved, 1, 2).reshape(len(which), -1)


def _knots(flights: Trajectories, which: IntArray, smoother: Smoother) -> Knots:
    first, last = flights.first[which], flights.last[which]
    count = np.minimum(last - first + 1, _KNOTS)
    at = np.minimum(np.arange(_KNOTS), count[:, None] - 1)
    rows = first[:, None] + np.rint(at * ((last - first) / np.maximum(count - 1, 1))[:, None]).astype(
        np.int64
    )
    messages = flights.messages
    return Knots(
        smoother.lattice.cells(messages.latitudes[rows], messages.longitudes[rows]),
        messages.velocities[rows] / smoother.speed,
        (np.arange(_KNOTS) < count[:, None]).astype(np.float64),
    )


def _kernel(left: FloatArray, right: FloatArray, smoother: Smoother) -> FloatArray:
    """Compute exp(-|a - b|^2 / 2 length^2) of all pairs, (B, a, b)."""
    exponents = (
        np.sum(left**2, axis=-1)[..., :, None]
        + np.sum(right**2, axis=-1)[..., None, :]
        - 2.0 * left @ np.swapaxes(right, -1, -2)
    )
    exponents *= -0.5 / smoother.length**2
    kernel: FloatArray = np.exp(np.minimum(exponents, 0.0, out=exponents), out=exponents)
    return kernel


def _covariance(knots: Knots, smoother: Smoother) -> FloatArray:
    """Compute the covariance of the observations; padding is independent of everything."""
    both = knots.present[:, :, None] * knots.present[:, None, :]
    covariance = _kernel(knots.positions, knots.positions, smoother) * both
    covariance += np.eye(_KNOTS) * (smoother.noise + 1.0 - knots.present)[:, :, None]
    return covariance


def _log_likelihood(knots: Knots, smoother: Smoother) -> float:
    """Compute the log likelihood of the velocities, up to a constant, without the padding."""
    covariance = _covariance(knots, smoother)
    seen = knots.velocities * knots.present[:, :, None]
    fits = np.sum(seen * np.linalg.solve(covariance, seen))
    padding = np.sum(1.0 - knots.present) * np.log1p(smoother.noise)
    return -0.5 * float(fits) - float(np.sum(np.linalg.slogdet(covariance)[1]) - padding)
