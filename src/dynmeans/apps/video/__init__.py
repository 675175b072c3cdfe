"""Video color quantization with a palette that moves instead of flickering."""

from dynmeans.apps.video.colors import COLORSPACES, Colors, distinct
from dynmeans.apps.video.measures import Quality, QualityMeter
from dynmeans.apps.video.quantize import QuantizeOptions, QuantizeResult, check, quantize
from dynmeans.apps.video.quantizers import PER_FRAME, PaletteOptions, QuantizedFrame, make_quantizer
from dynmeans.apps.video.reading import VideoFile, VideoFrame

__all__ = [
    "COLORSPACES",
    "PER_FRAME",
    "Colors",
    "PaletteOptions",
    "Quality",
    "QualityMeter",
    "QuantizeOptions",
    "QuantizeResult",
    "QuantizedFrame",
    "VideoFile",
    "VideoFrame",
    "check",
    "distinct",
    "make_quantizer",
    "quantize",
]
