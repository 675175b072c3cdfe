"""How well the found ids follow the true ones, from the labels of a run alone.

A run is a sequence of label arrays, one for each time step. Labels are integers of any size; the found
label -1 means noise: such a point belongs to no cluster and is never right. A true label of -1 is an id
like any other. Results do not change when found ids are renamed, as long as each keeps its new name for the
whole run.
"""

from dynmeans.metrics.accuracy import per_step_accuracy, tracking_accuracy, weighted_accuracy
from dynmeans.metrics.identity import identity_f1, identity_switches
from dynmeans.metrics.lifetimes import Lifetimes, lifetimes

__all__ = [
    "Lifetimes",
    "identity_f1",
    "identity_switches",
    "lifetimes",
    "per_step_accuracy",
    "tracking_accuracy",
    "weighted_accuracy",
]
