"""Tracking of people and other separate objects in sequences of point clouds."""

from dynmeans.apps.points.background import Background, EmptyScene, Ground, NoBackground
from dynmeans.apps.points.readers import Frame, check_files, find_table, in_order, read_frames
from dynmeans.apps.points.tracker import TRACKER_PARAMETERS, Step, Tracker, TrackerParameters
from dynmeans.apps.points.writing import RunRecorder, files_for

__all__ = [
    "TRACKER_PARAMETERS",
    "Background",
    "EmptyScene",
    "Frame",
    "Ground",
    "NoBackground",
    "RunRecorder",
    "Step",
    "Tracker",
    "TrackerParameters",
    "check_files",
    "files_for",
    "find_table",
    "in_order",
    "read_frames",
]
