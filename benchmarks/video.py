"""Video quantization: time per frame, flicker and error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.rows import Row, Target
from dynmeans._experiments.video import run as compare
from dynmeans.apps.video import PaletteOptions, VideoFile, distinct, make_quantizer
from dynmeans.apps.video.colors import Pixels
from dynmeans.apps.video.quantizers import Quantizer

WHAT = "the trailer of Sintel with the paper's parameters: time of a frame of 1280 x 544, flicker and error"
PEER = "24 frames per second; DP-means and k-means (k = 20) on each frame alone"
TARGET = (
    "less than 1/24 s per frame; less than half the flicker of either; "
    "at most 1.1 times the error of DP-means"
)

FILM = Path(__file__).parents[2] / "shared" / "data" / "sintel_trailer_480x204.mp4"
SIZE = (1280, 544)  # as in the paper
FRAME = 1000 / 24  # ms
RICH_FRAMES = 12


def run(quick: bool) -> list[Row]:
    """Run the whole trailer, which takes some minutes."""
    if not FILM.is_file():
        return [Row("video: skipped", note=f"no film {FILM}")]
    n_frames = 3 if quick else None
    return [*rows_of_time(n_frames), *rows_of_rich(n_frames or RICH_FRAMES), *rows_of_quality(n_frames)]


def rows_of_time(n_frames: int | None) -> Iterator[Row]:
    """Return rows for distinct colors and D-Means, without decoding and encoding."""
    times = 1000 * np.array(list(paint_times(n_frames)))
    mean, (median, late) = float(times.mean()), np.percentile(times, (50, 99))
    note = f"mean of {len(times)} frames; median {median:.1f}, 99th percentile {late:.1f}"
    target = Target("ours", "<", FRAME)
    yield Row(
        what="clustering a frame / 24 per second",
        ours=mean,
        peer=FRAME,
        unit="ms",
        ratio=mean / FRAME,
        target=target,
        note=note,
    )


def paint_times(n_frames: int | None) -> Iterator[float]:
    """Measure processor seconds per frame over all threads."""
    paint = make_quantizer(PaletteOptions())
    with VideoFile(FILM, size=SIZE) as video:
        for frame in islice(video.frames(), n_frames):
            began = process_time()
            paint(distinct(frame.pixels))
            yield process_time() - began


def rows_of_rich(n_frames: int) -> Iterator[Row]:
    """Return rows for frames of very many colors: gradients, moving blobs and grain."""
    film = list(rich_frames(n_frames))
    ours, times = _paint(make_quantizer(PaletteOptions()), film)
    alone, _ = _paint(make_quantizer(PaletteOptions(per_frame="dpmeans")), film[-1:])
    many = f"mean of {n_frames} frames; the last has {len(distinct(film[-1]).rows):,} distinct colors"
    mean = 1000 * float(np.mean(times))
    target = Target("ours", "<", FRAME)
    yield Row(
        what="clustering a rich frame / 24 per second",
        ours=mean,
        peer=FRAME,
        unit="ms",
        ratio=mean / FRAME,
        target=target,
        note=many,
    )
    last = Target("ratio", "<=", 1.1)
    yield _ratio("error of the last rich frame: D-Means / DP-means", ours[-1], alone[-1], last)


def rich_frames(n_frames: int) -> Iterator[Pixels]:
    """Make a clip with several hundred thousand colors per frame."""
    random = np.random.default_rng(0)
    width, height = SIZE
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    blobs = [random.uniform((0, 0, 40, 0, 0, 0), (width, height, 200, 255, 255, 255)) for _ in range(25)]
    speeds = random.normal(0, 6, (25, 2))
    for t in range(n_frames):
        waves = (np.sin(x / 190 + t / 20), np.sin(y / 120 + x / 700 - t / 25), np.cos((x + y) / 260 + t / 33))
        picture = 127 + 110 * np.stack(waves, axis=2)
        for (left, top, size, *color), (right, down) in zip(blobs, speeds, strict=True):
            away = (x - (left + right * t) % width) ** 2 + (y - (top + down * t) % height) ** 2
            share = np.exp(-away / (2 * size**2))[..., None]
            picture = picture * (1 - share) + np.array(color, dtype=np.float32) * share
        grain = random.normal(0, 4, (height, width, 1)) + random.normal(0, 2, (height, width, 3))
        yield np.clip(picture + grain, 0, 255).astype(np.uint8)


def _paint(paint: Quantizer, film: list[Pixels]) -> tuple[list[float], list[float]]:
    """Return error and seconds of every frame."""
    errors, times = [], []
    for pixels in film:
        began = process_time()
        colors = distinct(pixels)
        quantized = paint(colors)
        times.append(process_time() - began)
        difference = colors.rows - quantized.palette[quantized.labels].astype(np.float64)
        errors.append(float(colors.counts @ (difference**2).sum(axis=1) / colors.counts.sum()))
    return errors, times


def rows_of_quality(n_frames: int | None) -> Iterator[Row]:
    """Return rows of quality, compared with a palette per frame, at the size of the file."""
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
