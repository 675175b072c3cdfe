"""Warnings about features that were chosen automatically, or that are degrees."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from dynmeans._files.errors import InputWarning
from dynmeans._model.types import FloatArray
from dynmeans._sampling import evenly_spaced
from dynmeans._tables.cells import EXAMINED_ROWS, first_finite
from dynmeans._tables.chunk import Chunk
from dynmeans._tables.features import name_words

TIME_WORDS = {"time", "timestamp", "stamp", "ts", "frame", "epoch", "datetime"}  # last word of a name
_CALENDAR_WORDS = {"date", "year", "quarter", "month", "week", "day", "hour", "minute", "second", "secs"}
_UNITS = {"s", "sec", "secs", "ms", "us", "ns", "unix", "utc"}  # after such a word
_LATITUDES, _LONGITUDES = ("lat", "latitude"), ("lon", "lng", "long", "longitude")
LISTED = 8  # scales of features in an option
SHORT_DEGREE = 0.9  # length of a degree of longitude, in degrees of latitude, below which a warning is given


def warn_of_time(chunk: Chunk, name: str, features: Sequence[str], time: str | None) -> None:
    """Warn if a column that was chosen as a feature may be the time, or another time beside `time`."""
    for feature in features:
        if not _is_named_as_time(feature):
            continue
        cells = chunk.columns[feature]
        spaced = [cells[i] for i in evenly_spaced(len(cells), EXAMINED_ROWS)]
        if _increases(first_finite(cells)) or _increases(first_finite(spaced)):
            advice = (
                f"the time, use --time {feature}" if time is None else "a time, choose others by --features"
            )
            message = f"column {feature!r} is clustered as a feature; if it is {advice}"
            warnings.warn(f"{name}: {message}", InputWarning, stacklevel=2)
            return


def _is_named_as_time(name: str) -> bool:
    """Return whether the last word of a name is one of time, perhaps with a unit."""
    words = name_words(name)
    if len(words) > 1 and words[-1] in _UNITS:
        words = words[:-1]
    return bool(words) and words[-1] in TIME_WORDS | _CALENDAR_WORDS


def _increases(values: FloatArray) -> bool:
    """Return whether values are sorted and not all equal."""
    return len(values) > 1 and bool((np.diff(values) >= 0).all() and values[0] < values[-1])


def warn_of_degrees(
    chunk: Chunk, name: str, features: Sequence[str], scales: Sequence[float] | None = None
) -> None:
    """Warn if features are degrees of latitude and longitude far from the equator.

    Parameters
    ----------
    chunk : Chunk
        First rows of the table.
    name : str
        Name of the file.
    features : sequence of str
    scales : sequence of float or None
        Numbers by which the features are divided; they may correct the longitude.
    """
    latitude, longitude = _named(features, _LATITUDES), _named(features, _LONGITUDES)
    if latitude is None or longitude is None:
        return
    values = first_finite(chunk.columns[latitude])
    if not len(values) or np.abs(values).max() > 90.0 or np.ptp(values) == 0.0:
        return
    middle = float(np.median(values))
    length = math.cos(math.radians(middle))
    divisors = dict.fromkeys(features, 1.0)
    if scales is not None and len(scales) == len(features):
        divisors = dict(zip(features, scales, strict=True))
    if length * divisors[longitude] / divisors[latitude] < SHORT_DEGREE:
        divisors[longitude] = divisors[latitude] / length
        message = (
            f"{name}: {latitude!r} and {longitude!r} seem to be degrees; at latitude {middle:.0f} a degree "
            f"of longitude is only {length:.2f} of a degree of latitude, so multiply {longitude!r} by "
            f"{length:.4f}{_option(divisors)}, or use meters"
        )
        warnings.warn(message, InputWarning, stacklevel=2)


def _option(divisors: Mapping[str, float]) -> str:
    """Return the option that divides the features, without its value if that is long."""
    value = ",".join(f"{divisor:.4g}" for divisor in divisors.values())
    option = "--feature-scales" if len(divisors) > LISTED else f"--feature-scales {value}"
    return f" ({option} in dynmeans cluster)"


def _named(features: Sequence[str], names: Sequence[str]) -> str | None:
    return next((feature for feature in features if feature.lower() in names), None)
