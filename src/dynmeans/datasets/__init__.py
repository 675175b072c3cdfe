"""Streams with known truth: batches of points, and for every point the id of the cluster that made it."""

from dynmeans.datasets._common import Stream
from dynmeans.datasets.gaussians import moving_gaussians

__all__ = ["Stream", "moving_gaussians"]
