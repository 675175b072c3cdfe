"""Metrics that compare found ids with true ids over a run.

A run is a sequence of label arrays, one per time step. Labels are integers of any size. The found label -1
is noise: such a point belongs to no cluster and is never correct. A true label of -1 is an ordinary id.
Renaming found ids consistently over the whole run does not change the results.
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
