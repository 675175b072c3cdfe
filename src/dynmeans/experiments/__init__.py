"""The paper's experiments on synthetic data: trials, results as files, figures and tables drawn from them."""

from dynmeans.experiments.gaussians import GAUSSIANS_EXPERIMENT
from dynmeans.experiments.gps import GPS_EXPERIMENT
from dynmeans.experiments.rings import RINGS_EXPERIMENT
from dynmeans.experiments.trials import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for experiment in (GAUSSIANS_EXPERIMENT, RINGS_EXPERIMENT, GPS_EXPERIMENT)
}

__all__ = ["EXPERIMENTS"]
