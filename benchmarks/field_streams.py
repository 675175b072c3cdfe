"""Field streams: recorded or simulated from recordings, with true ids that last.

A stream is a file ``KIND_NAME.npz`` with X (n, d), the true id y (n,) or -1 for clutter, the time t (n,) of
each row, and the `times` of all steps, including those without rows.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

VARIABLE = "DYNMEANS_FIELD"  # environment variable with the folder of the streams
DATA = Path(__file__).parents[2] / "shared" / "data" / "field"

POINTS = ("people_five", "kitti", "radar")  # several rows per object
DETECTIONS = ("people_single", "detections")  # one row per object
EMBEDDINGS = ("text", "objects")  # clusters of many rows in many dimensions
KINDS = (*DETECTIONS, *POINTS, *EMBEDDINGS)


class FieldFrame(NamedTuple):
    """One step of a stream."""

    time: float
    X: np.ndarray  #     (n, d)
    y: np.ndarray  #     (n,)    true id, or -1 for clutter


class FieldStream(NamedTuple):
    """Stream with its kind and name."""

    kind: str
    name: str
    frames: list[FieldFrame]

    @property
    def true(self) -> list[np.ndarray]:
        """True ids of every step."""
        return [frame.y for frame in self.frames]


def folder_of(given: Path | None = None) -> Path:
    """Return the folder of the streams: an argument, the environment variable, or beside the repository."""
    return given or Path(os.environ.get(VARIABLE, DATA))


def read_streams(folder: Path, only: Sequence[str] = ()) -> list[FieldStream]:
    """Read the streams of a folder by kind; `only` has kinds (``kitti``) or streams (``kitti/00``)."""
    paths = {kind: sorted(folder.glob(f"{kind}_*.npz")) for kind in KINDS}
    named = [(kind, path.stem.removeprefix(f"{kind}_"), path) for kind in KINDS for path in paths[kind]]
    known = {*KINDS, *(f"{kind}/{name}" for kind, name, _ in named)}
    if unknown := sorted(set(only) - known):
        raise ValueError(f"unknown stream {', '.join(unknown)}; choose from {', '.join(sorted(known))}")
    chosen = [(k, n, path) for k, n, path in named if not only or {k, f"{k}/{n}"} & set(only)]
    return [FieldStream(kind, name, read_frames(path)) for kind, name, path in chosen]


def read_frames(path: Path) -> list[FieldFrame]:
    """Read all steps of a stream; steps without rows have empty arrays."""
    with np.load(path) as arrays:
        order = np.argsort(arrays["t"], kind="stable")
        X, y, t = (arrays[name][order] for name in ("X", "y", "t"))
        times = arrays["times"]
    starts, stops = np.searchsorted(t, times, "left"), np.searchsorted(t, times, "right")
    return [
        FieldFrame(float(time), np.ascontiguousarray(X[a:b], dtype=np.float64), y[a:b].astype(np.int64))
        for time, a, b in zip(times, starts, stops, strict=True)
    ]


def shortened(stream: FieldStream, n_steps: int) -> FieldStream:
    """Keep only the first steps."""
    return stream._replace(frames=stream.frames[:n_steps])
