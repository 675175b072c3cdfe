"""Metrics that compare found ids with true ids over a run.

A run is a sequence of label arrays, one per time step. Labels are integers of any size. The found label -1
is noise: such a point belongs to no cluster and is never correct. A true label of -1 is an ordinary id unless
it is passed as `clutter`. Renaming found ids consistently over the whole run does not change the results.

The tracking metrics `hota`, `idf1` and `clear_mot` compare objects instead of points: true ids, found ids and
their similarities per step. `objects_from_rows` computes these from labeled points, and
`objects_from_positions` from positions.
"""

from dynmeans.metrics.accuracy import per_step_accuracy, tracking_accuracy, weighted_accuracy
from dynmeans.metrics.clear_mot import ClearMot, clear_mot
from dynmeans.metrics.cmm import cmm
from dynmeans.metrics.hota import Hota, HotaCurves, hota
from dynmeans.metrics.identity import identity_f1, identity_switches
from dynmeans.metrics.idf1 import IdentityScores, idf1
from dynmeans.metrics.lifetimes import Lifetimes, lifetimes
from dynmeans.metrics.objects import ObjectRun, objects_from_positions, objects_from_rows

__all__ = [
    "ClearMot",
    "Hota",
    "HotaCurves",
    "IdentityScores",
    "Lifetimes",
    "ObjectRun",
    "clear_mot",
    "cmm",
    "hota",
    "identity_f1",
    "identity_switches",
    "idf1",
    "lifetimes",
    "objects_from_positions",
    "objects_from_rows",
    "per_step_accuracy",
    "tracking_accuracy",
    "weighted_accuracy",
]
