"""Video color quantization with a palette that moves instead of flickering."""

from dynmeans.apps.video.colors import COLORSPACES, Colors, distinct
from dynmeans.apps.video.measures import Quality, QualityMeter
from dynmeans.apps.video.quantize import QuantizeOptions, QuantizeResult, check, quantize
from dynmeans.apps.video.quantizers import PER_FRAME, PaletteOptions, QuantizedFrame, make_quantizer
from dynmeans.apps.video.reading import Frame, VideoFile

__all__ = [
    "COLORSPACES",
    "PER_FRAME",
    "Colors",
    "Frame",
    "PaletteOptions",
    "Quality",
    "QualityMeter",
    "QuantizeOptions",
    "QuantizeResult",
    "QuantizedFrame",
    "VideoFile",
    "check",
    "distinct",
    "make_quantizer",
    "quantize",
]
