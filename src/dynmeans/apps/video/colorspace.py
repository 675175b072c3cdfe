"""How stored pixels are meant to look: the matrix of their colours, and their shape."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

BT601, BT709 = "ITU601", "ITU709"  # as PyAV calls them
TAGS = {BT601: 6, BT709: 1}  # as files call them
_UNTOLD = 2
_HD = 720  # rows from which players take BT.709 where a file does not say


class Look(NamedTuple):
    """What a file says about its pixels, or players assume."""

    matrix: str = BT601
    aspect: Fraction = Fraction(1)  # width of a pixel, by its height


def look(picture: Any, aspect: Fraction | None, quarter_turns: int) -> Look:
    """Give the look of a picture that is stored with pixels of this shape, and shown turned."""
    told = picture.colorspace == TAGS[BT709]
    wide = Fraction(aspect or 1)
    return Look(BT709 if told else usual_matrix(picture.height), 1 / wide if quarter_turns % 2 else wide)


def assumed_matrix(picture: Any) -> str | None:
    """Give the matrix that players take for a picture that does not say; None if it does, or has none."""
    untold = picture.colorspace == _UNTOLD and not picture.format.is_rgb
    return usual_matrix(picture.height) if untold else None


def usual_matrix(height: int) -> str:
    """Give the matrix that players take where a file does not say."""
    return BT709 if height >= _HD else BT601
