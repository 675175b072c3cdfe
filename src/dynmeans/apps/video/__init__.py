"""Videos in few colours, by a palette that moves instead of flickering."""

from dynmeans.apps.video.colors import COLORSPACES, Colors, distinct
from dynmeans.apps.video.measures import Meter, Quality
from dynmeans.apps.video.quantize import Job, Outcome, check, quantize
from dynmeans.apps.video.quantizers import PER_FRAME, Painting, Palette, painter
from dynmeans.apps.video.reading import Frame, VideoFile

__all__ = [
    "COLORSPACES",
    "PER_FRAME",
    "Colors",
    "Frame",
    "Job",
    "Meter",
    "Outcome",
    "Painting",
    "Palette",
    "Quality",
    "VideoFile",
    "check",
    "distinct",
    "painter",
    "quantize",
]
