"""People, and other things that stand apart, in sequences of point clouds."""

from dynmeans.apps.points.background import Background, EmptyScene, Ground, Nothing
from dynmeans.apps.points.readers import Frame, check_files, in_order, read_frames
from dynmeans.apps.points.tracker import SETTINGS, Setting, Step, Tracker
from dynmeans.apps.points.writing import Recorder, files_for

__all__ = [
    "SETTINGS",
    "Background",
    "EmptyScene",
    "Frame",
    "Ground",
    "Nothing",
    "Recorder",
    "Setting",
    "Step",
    "Tracker",
    "check_files",
    "files_for",
    "in_order",
    "read_frames",
]
