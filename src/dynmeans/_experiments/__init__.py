"""The paper's experiments: trials, results as files, figures and tables drawn from them."""

from collections.abc import Callable

from dynmeans._experiments.flights import flights_experiment
from dynmeans._experiments.gaussians import GAUSSIANS_EXPERIMENT
from dynmeans._experiments.gps import GPS_EXPERIMENT
from dynmeans._experiments.people import PEOPLE_EXPERIMENT
from dynmeans._experiments.rings import RINGS_EXPERIMENT
from dynmeans._experiments.trials import Experiment
from dynmeans._experiments.video import video_experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (GAUSSIANS_EXPERIMENT, RINGS_EXPERIMENT, GPS_EXPERIMENT, PEOPLE_EXPERIMENT)
}
# Experiments that accept an input file.
ON_FILES: dict[str, Callable[[str | None], Experiment]] = {
    "video": video_experiment,
    "flights": flights_experiment,
}


def find_experiment(name: str, file: str | None = None) -> Experiment:
    """Return an experiment by its name; only those in `ON_FILES` use the file."""
    return ON_FILES[name](file) if name in ON_FILES else EXPERIMENTS[name]


__all__ = ["EXPERIMENTS", "ON_FILES", "find_experiment"]
