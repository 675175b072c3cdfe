"""A film in few colours: is the palette found in time, and does it flicker?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.rows import Row, Target
from dynmeans.apps.video import Palette, VideoFile, distinct, painter
from dynmeans.experiments.video import run as compare

WHAT = "the trailer of Sintel with the paper's parameters: time of a frame of 1280 x 544, flicker and error"
PEER = "24 frames a second; DP-means and k-means (k = 20) on each frame alone"
TARGET = (
    "less than 1/24 s a frame; less than half the flicker of either; at most 1.1 times the error of DP-means"
)

FILM = Path(__file__).parents[2] / "shared" / "data" / "sintel_trailer_480x204.mp4"
SIZE = (1280, 544)  # as in the paper
FRAME = 1000 / 24  # ms


def run(quick: bool) -> list[Row]:
    """The whole trailer, which takes some minutes."""
    if not FILM.is_file():
        return [Row("video: skipped", note=f"no film {FILM}")]
    return [*rows_of_time(3 if quick else None), *rows_of_quality(3 if quick else None)]


def rows_of_time(n_frames: int | None) -> Iterator[Row]:
    """Distinct colours and D-Means, decoding and encoding apart."""
    times = 1000 * np.array(list(paint_times(n_frames)))
    mean, (median, late) = float(times.mean()), np.percentile(times, (50, 99))
    note = f"mean of {len(times)} frames; median {median:.1f}, 99th percentile {late:.1f}"
    target = Target("ours", "<", FRAME)
    yield Row("clustering a frame / 24 a second", mean, FRAME, "ms", mean / FRAME, target, note)


def paint_times(n_frames: int | None) -> Iterator[float]:
    """Seconds of processor time for each frame, all threads together: others do not count."""
    paint = painter(Palette())
    with VideoFile(FILM, size=SIZE) as video:
        for frame in islice(video.frames(), n_frames):
            began = process_time()
            paint(distinct(frame.pixels))
            yield process_time() - began


def rows_of_quality(n_frames: int | None) -> Iterator[Row]:
    """Beside a palette for each frame alone, in the size of the file."""
    methods = compare(FILM, max_frames=n_frames)["methods"]
    ours = methods["D-Means"]
    for name in ("DP-means", "k-means", "FFmpeg"):
        target = None if name == "FFmpeg" else Target("ratio", "<", 0.5)
        for key, which in (("flicker", "flicker"), ("flicker_moving", "flicker of moving frames")):
            yield _ratio(f"{which}: D-Means / {name}", ours[key], methods[name][key], target)
        target = Target("ratio", "<=", 1.1) if name == "DP-means" else None
        yield _ratio(f"error: D-Means / {name}", ours["mean_error"], methods[name]["mean_error"], target)


def _ratio(what: str, ours: float, peer: float, target: Target | None) -> Row:
    return Row(what, ours, peer, "", ours / peer if peer else None, target)
