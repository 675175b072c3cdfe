"""Color matrix and pixel aspect ratio of a video."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

BT601, BT709 = "ITU601", "ITU709"  # as PyAV calls them
TAGS = {BT601: 6, BT709: 1}  # codes of the matrices in files
_UNSPECIFIED = 2
_HD = 720  # height from which players assume BT.709 if the file does not specify a matrix


class PixelMetadata(NamedTuple):
    """Color matrix and pixel aspect ratio, as specified by the file or assumed by players."""

    matrix: str = BT601
    aspect: Fraction = Fraction(1)  # pixel width / pixel height


def pixel_metadata(picture: Any, aspect: Fraction | None, quarter_turns: int) -> PixelMetadata:
    """Return the metadata of a picture after rotation by quarter turns."""
    is_bt709 = picture.colorspace == TAGS[BT709]
    wide = Fraction(aspect or 1)
    return PixelMetadata(
        BT709 if is_bt709 else default_matrix(picture.height), 1 / wide if quarter_turns % 2 else wide
    )


def assumed_matrix(picture: Any) -> str | None:
    """Return the matrix that players assume for an untagged picture; None if it is tagged or RGB."""
    is_unspecified = picture.colorspace == _UNSPECIFIED and not picture.format.is_rgb
    return default_matrix(picture.height) if is_unspecified else None


def default_matrix(height: int) -> str:
    """Return the matrix that players assume for an untagged file."""
    return BT709 if height >= _HD else BT601
