"""Color quantization of a video: D-Means against a palette per frame, as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from dynmeans._experiments.drawing.excerpt import ORIGINAL, Excerpt, draw_excerpt
from dynmeans._experiments.results import Results
from dynmeans._experiments.trials import Experiment, ExperimentTrial, Numbers, Size
from dynmeans._files.errors import InputError
from dynmeans.apps.video import Colors, PaletteOptions, QualityMeter, VideoFile, distinct, make_quantizer
from dynmeans.apps.video._ffmpeg import ffmpeg_quantizer
from dynmeans.apps.video.colors import Pixels
from dynmeans.apps.video.quantizers import QuantizedFrame
from dynmeans.plots._figures import new_figure
from dynmeans.plots._palette import PALETTE

SHOWN = ("D-Means", "DP-means", "k-means")  # the rows of the paper's panel, below the original
COLORS = 20  # k of the paper's k-means, and of FFmpeg's palette
QUICK_FRAMES, QUICK_BEGIN = 48, 1 / 3  # frames, and the fraction to skip: the beginning is often black
MOVING = 0.1  # mean difference of two frames, in levels, above which they differ visibly
LINES = ("-", "--", ":", "-.")

Paint = Callable[[Pixels, Colors], QuantizedFrame]


def run(
    path: str | Path,
    *,
    begin: float = 0.0,
    max_frames: int | None = None,
    size: tuple[int, int] | None = None,
    show: Callable[[int, int | None], object] = lambda done, total: None,
) -> Numbers:
    """Quantize a video by every method, and measure.

    Parameters
    ----------
    path : path
    begin : float, optional
        Fraction of the video to skip, if its number of frames is known.
    max_frames : int, optional
        Maximum number of frames after that.
    size : (width, height), optional
        Size to which frames are scaled first.
    show : callable, optional
        Called after each frame with the frames done, and the total if known.

    Returns
    -------
    dict
        JSON values: for each method, over the frames, the number of colors, the quantization error
        and the normalized frame-to-frame difference (None where the original did not change), and the means;
        and an excerpt of consecutive frames.

    Examples
    --------
    >>> run("trailer.mp4", max_frames=100)["methods"]["D-Means"]["flicker"]  # doctest: +SKIP
    """
    painters = _painters()
    meters = {name: QualityMeter() for name in painters}
    seconds = dict.fromkeys(painters, 0.0)
    moving: list[bool] = []
    excerpt = Excerpt()
    last: Pixels | None = None
    with VideoFile(path, size=size) as video:
        first = int(begin * (video.n_frames or 0))
        last_one = None if max_frames is None else first + max_frames
        for i, frame in enumerate(islice(video.frames(), first, last_one), 1):
            colors = distinct(frame.pixels)
            shown = {ORIGINAL: frame.pixels}
            for name, paint in painters.items():
                began = process_time()
                quantized = paint(frame.pixels, colors)
                seconds[name] += process_time() - began
                meters[name].add(frame.pixels, colors, quantized)
                if name in SHOWN:
                    shown[name] = quantized.pixels
            excerpt.take(shown, len(colors.rows))
            if last is not None:
                moving.append(bool(np.abs(frame.pixels.astype(np.int16) - last).mean() > MOVING))
            last = frame.pixels
            show(i, video.n_frames)
    methods = {name: _summary(meter, np.array(moving, bool), seconds[name]) for name, meter in meters.items()}
    return {
        "video": Path(path).name,
        "frames": len(moving) + 1,
        "methods": methods,
        "excerpt": excerpt.numbers(),
    }


def video_experiment(file: str | None = None) -> Experiment:
    """Return the experiment on a video: one trial over all frames."""

    def plan(size: Size) -> list[ExperimentTrial]:
        if file is None:
            raise InputError("reproduce video needs a video: --input FILE")
        part = {"max_frames": QUICK_FRAMES, "begin": QUICK_BEGIN} if size.quick else {"max_frames": None}
        return [ExperimentTrial("film", {"file": file, **part}, 0)]

    return Experiment(
        name="video",
        full=Size(1),
        quick=Size(1, quick=True),
        plan=plan,
        run=_run_trial,
        draw=lambda results: figures(_only(results)),
        summarize=lambda results: summarize(_only(results)),
    )


def _run_trial(trial: ExperimentTrial) -> Numbers:
    case = trial.case
    return run(case["file"], max_frames=case["max_frames"], begin=case.get("begin", 0.0))


def _only(results: Results) -> Numbers:
    (group,) = results.part("film")
    return group.first


def figures(result: Mapping[str, Any]) -> dict[str, Any]:
    """Draw curves over time, and the excerpt."""
    return {"video": _curves(result), "video-frames": draw_excerpt(result["excerpt"])}


def _curves(result: Mapping[str, Any]) -> Any:
    """Draw colors, frame-to-frame difference and error over time, with distinct dashes."""
    figure = new_figure(figsize=(7.2, 6.4), layout="constrained", dpi=200)
    panels = figure.subplots(3, 1, sharex=True)
    frames = np.arange(1, result["frames"] + 1)
    for i, (name, method) in enumerate(result["methods"].items()):
        style = {"ls": LINES[i], "color": PALETTE[i], "lw": 0.8 if i else 1.6, "zorder": 2 if i else 3}
        panels[0].plot(frames, method["n_colors"], label=name, **style)
        change = np.array(method["change"], dtype=np.float64)
        panels[1].plot(frames[1:], change, **style, rasterized=True)
        panels[2].plot(frames, method["error"], **style)
    panels[0].set_title("(a) number of colors", loc="left", fontsize=9)
    panels[0].legend(frameon=False, ncols=4, loc="lower right", bbox_to_anchor=(1, 1), fontsize=8)
    panels[1].set_title("(b) frame-to-frame difference, divided by the original's", loc="left", fontsize=9)
    panels[1].axhline(1, color="black", lw=0.8, zorder=4)
    panels[1].set_yscale("log")
    panels[2].set_title("(c) mean squared distance of a pixel from its color", loc="left", fontsize=9)
    panels[2].set(xlabel="frame", xlim=(1, result["frames"]))
    return figure


def summarize(result: Mapping[str, Any]) -> str:
    """Format the table of the methods in Markdown."""
    lines = [
        "| method | colors | error | flicker | of moving frames | ms per frame |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in result["methods"].items():
        numbers = (found[key] for key in ("mean_colors", "mean_error", "flicker", "flicker_moving", "ms"))
        colors, error, flicker, moving, ms = numbers
        lines.append(f"| {name} | {colors:.1f} | {error:.1f} | {flicker:.3f} | {moving:.3f} | {ms:.1f} |")
    return "\n".join(lines)


def _painters() -> dict[str, Paint]:
    options = PaletteOptions(jobs=1)
    return {
        "D-Means": _by_colors(options),
        "DP-means": _by_colors(options._replace(per_frame="dpmeans")),
        "k-means": _by_colors(options._replace(per_frame="kmeans", max_colors=COLORS)),
        "FFmpeg": ffmpeg_quantizer(COLORS),
    }


def _by_colors(options: PaletteOptions) -> Paint:
    paint = make_quantizer(options)
    return lambda pixels, colors: paint(colors)


def _summary(meter: QualityMeter, moving: np.ndarray[Any, np.dtype[np.bool_]], seconds: float) -> Numbers:
    quality = meter.quality
    change = [float(c) if np.isfinite(c) else None for c in quality.change]
    deviation = np.abs(quality.change[moving] - 1)
    return {
        "n_colors": quality.n_colors.astype(int).tolist(),
        "error": quality.error.tolist(),
        "change": change,
        "mean_colors": float(quality.n_colors.mean()),
        "mean_error": float(quality.error.mean()),
        "flicker": quality.flicker,
        "flicker_moving": float(deviation.mean()) if len(deviation) else 0.0,
        "ms": 1e3 * seconds / len(quality.error),
    }
