"""Synthetic streams with true labels: batches of points with the id of the source cluster."""

from dynmeans.datasets._common import Stream
from dynmeans.datasets.airlines import AirTraffic, airline_week
from dynmeans.datasets.gaussians import moving_gaussians
from dynmeans.datasets.people import walking_people
from dynmeans.datasets.processes import gaussian_processes
from dynmeans.datasets.rings import moving_rings

__all__ = [
    "AirTraffic",
    "Stream",
    "airline_week",
    "gaussian_processes",
    "moving_gaussians",
    "moving_rings",
    "walking_people",
]
