"""Choices of the options of `dynmeans cluster` and `dynmeans tune`."""

from __future__ import annotations

from enum import Enum


class MotionName(str, Enum):
    """Choices of --motion."""

    walk = "walk"
    velocity = "velocity"
    align = "align"


class Metric(str, Enum):
    """Choices of --metric."""

    auto = "auto"
    euclidean = "euclidean"
    cosine = "cosine"


class Missing(str, Enum):
    """Choices of --missing."""

    error = "error"
    drop = "drop"


class AlgorithmName(str, Enum):
    """Choices of --algorithm."""

    dmeans = "dmeans"
    kdmeans = "kdmeans"
    sdmeans = "sdmeans"


class Format(str, Enum):
    """Choices of --format, as `dynmeans._tables.sources.FORMATS`."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    arrow = "arrow"
    npy = "npy"
    npz = "npz"
