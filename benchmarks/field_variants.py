"""``python -m benchmarks.field_variants [KIND ...] [--methods WORD ...]``: methods on changed field streams.

Defaults that suit the recorded streams may fail on others. Each recorded stream is cut, reversed, thinned,
made noisier or overlaid with itself. The parameters of the baselines are those of `benchmarks.field`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.field import mean_by_method, score, table
from benchmarks.field_methods import select
from benchmarks.field_streams import DETECTIONS, POINTS, FieldFrame, FieldStream, folder_of, read_streams

Frames = list[FieldFrame]
KINDS = (*DETECTIONS, *POINTS)
METHODS = ("Kalman", "DMeans()")
MISSED = 0.22  # share of the objects of a step that are removed
NOISE = 0.1  # standard deviation, in the unit of the stream


def main(kinds: Sequence[str], methods: Sequence[str] = METHODS) -> None:
    """Print one table per kind, and the means, of the methods whose names contain one of the words."""
    for kind in kinds:
        streams = [new for old in read_streams(folder_of(), [kind]) for new in variants(old)]
        scores = [score(stream, method) for stream in streams for method in select(kind, methods)]
        means = ", ".join(f"{name} {value:.3f}" for name, value in mean_by_method(scores).items())
        print(f"\n## {kind}: mean identity F1 {means}\n\n{table(scores)}", flush=True)


def variants(stream: FieldStream) -> Iterator[FieldStream]:
    """Yield the streams made from one stream."""
    for name, change in CHANGES.items():
        if stream.kind in ("people_single", "people_five") or name not in FOR_PEOPLE:
            yield stream._replace(name=f"{stream.name}, {name}", frames=change(stream.frames))


def second_half(frames: Frames) -> Frames:
    """Drop the first half."""
    return frames[len(frames) // 2 :]


def backward(frames: Frames) -> Frames:
    """Reverse the time."""
    return [frame._replace(time=frames[-1].time - frame.time) for frame in reversed(frames)]


def every_second(frames: Frames) -> Frames:
    """Keep every second step, so that objects move twice as far."""
    return [frame._replace(time=float(i)) for i, frame in enumerate(frames[::2])]


def noisy(frames: Frames) -> Frames:
    """Add noise to the positions."""
    rng = np.random.default_rng(0)
    return [frame._replace(X=frame.X + rng.normal(0, NOISE, frame.X.shape)) for frame in frames]


def missed(frames: Frames) -> Frames:
    """Remove objects from single steps."""
    rng = np.random.default_rng(0)
    return [_without(frame, rng) for frame in frames]


def _without(frame: FieldFrame, rng: np.random.Generator) -> FieldFrame:
    ids = np.unique(frame.y)
    kept = ~np.isin(frame.y, ids[rng.random(len(ids)) < MISSED])
    return frame._replace(X=frame.X[kept], y=frame.y[kept])


def crowded(frames: Frames) -> Frames:
    """Add the same scene half a recording later, with the axes swapped."""
    half = len(frames) // 2
    later = frames[half:] + frames[:half]
    return [_overlaid(*pair) for pair in zip(frames, later, strict=True)]


def _overlaid(a: FieldFrame, b: FieldFrame) -> FieldFrame:
    others = np.where(b.y < 0, -1, b.y + 100_000)
    return FieldFrame(a.time, np.vstack([a.X, b.X[:, ::-1]]), np.concatenate([a.y, others]))


CHANGES: dict[str, Callable[[Frames], Frames]] = {
    "as recorded": lambda frames: frames,
    "second half": second_half,
    "backward": backward,
    "every second step": every_second,
    "noisy": noisy,
    "more missed": missed,
    "crowded": crowded,
}
FOR_PEOPLE = ("noisy", "more missed", "crowded")  # in meters, on the ground


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field_variants", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--methods", nargs="+", default=METHODS, metavar="WORD")
    options = parser.parse_args()
    main(options.kinds or KINDS, options.methods)
