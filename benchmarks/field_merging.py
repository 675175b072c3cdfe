"""``python -m benchmarks.field_merging``: identity F1 of `DMeans` with and without merging.

The radar recording of three walkers is separated into single walkers and pairs. These streams and those of
people with five positions are cut, reversed, thinned and slowed down.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.field_streams import FieldFrame, FieldStream, folder_of, read_streams
from benchmarks.field_variants import backward, every_second, second_half
from dynmeans import DMeans
from dynmeans.metrics import identity_f1

Frames = list[FieldFrame]
METHODS = {"merge=False": False, "merge=True": True, "estimated, the default": None}
SEEDS = (0, 1)  # of the thinned rows, and of the models
KEPT = 0.7  # share of the rows that thinned streams keep


def main() -> None:
    """Print the mean and the lowest identity F1 of every group of streams and every method."""
    print(f"{'streams':<24}{'number':>7}  " + "".join(f"{name:>26}" for name in METHODS))
    for name, streams in groups().items():
        changed = [frames for stream in streams for frames in changes(stream.frames)]
        cells = [scores(changed, merge) for merge in METHODS.values()]
        shown = (f"{np.mean(f1):.3f}, lowest {min(f1):.3f}" for f1 in cells)
        print(f"{name:<24}{len(changed):>7}  " + "".join(f"{text:>26}" for text in shown), flush=True)


def groups() -> dict[str, list[FieldStream]]:
    """Return the recorded streams: radar by number of walkers, and people."""
    (three,) = read_streams(folder_of(), ["radar/three"])
    ids = np.unique(np.concatenate(three.true))
    return {
        "radar, one walker": [only(three, [k]) for k in ids],
        "radar, two walkers": [only(three, pair) for pair in combinations(ids, 2)],
        "radar, three walkers": [three],
        "people, five positions": read_streams(folder_of(), ["people_five"]),
    }


def only(stream: FieldStream, ids: object) -> FieldStream:
    """Keep the rows of some ids."""
    kept = [
        frame._replace(X=frame.X[some], y=frame.y[some])
        for frame in stream.frames
        for some in [np.isin(frame.y, ids)]
    ]
    return stream._replace(frames=kept)


def changes(frames: Frames) -> Iterator[Frames]:
    """Yield the stream, and streams made from it."""
    yield frames
    yield second_half(frames)
    yield frames[len(frames) // 4 :]
    yield backward(frames)
    yield every_second(frames)
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        some = [rng.random(len(frame.y)) < KEPT for frame in frames]
        yield [frame._replace(X=frame.X[k], y=frame.y[k]) for frame, k in zip(frames, some, strict=True)]


def scores(streams: list[Frames], merge: bool | None) -> list[float]:
    """Return the identity F1 of `DMeans` on every stream, mean over the seeds of the model."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scores show what the warnings are about
        return [float(np.mean([_score(frames, merge, seed) for seed in SEEDS])) for frames in streams]


def _score(frames: Frames, merge: bool | None, seed: int) -> float:
    model = DMeans(merge=merge, random_state=seed)
    found = [step.labels for step in model.stream({"X": frame.X, "t": frame.time} for frame in frames)]
    return identity_f1([frame.y for frame in frames], found)


if __name__ == "__main__":
    main()
