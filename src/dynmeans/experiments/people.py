"""The paper's people in LiDAR, on simulated frames: accuracy and time of SD-Means and D-Means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import numpy as np

from dynmeans.apps.points import SETTINGS, Follower, Setting
from dynmeans.datasets import Stream, walking_people
from dynmeans.estimators import DMeans
from dynmeans.metrics import identity_f1, identity_switches, per_step_accuracy, tracking_accuracy
from dynmeans.model.types import FloatArray, IntArray

SPECTRAL, GROUND, SOLID = "SD-Means", "D-Means on the ground plane", "D-Means on the 3-D points"
FRAME_RATE = 30.0
PAPER = {SPECTRAL: (0.868, 816.7), SOLID: (0.536, 38.1)}  # accuracy, and seconds for 120 seconds of frames
SHOWN = (0.2, 0.25, 0.3, 0.35)  # frames in the figure, as shares of the scene

Name = Callable[[FloatArray, float], IntArray]  # points and time of a frame -> ids


def run(seeds: Sequence[int] = range(1000, 1010), n_steps: int = 900) -> dict[str, Any]:
    """Follow the people of a scene for each seed, by each method.

    Parameters
    ----------
    seeds : sequence of int
        Of the scenes, which have 7 to 10 people in turn. Settings were chosen on seeds below 100.
    n_steps : int
        Frames of a scene, 30 a second.

    Returns
    -------
    dict
        JSON can hold it. `scores` by method, with one number a scene; `frames` of the first scene.
    """
    scores: dict[str, list[dict[str, float]]] = {method: [] for method in METHODS}
    frames: dict[str, Any] = {}
    for seed in seeds:
        stream = walking_people(n_steps, n_people=7 + seed % 4, random_state=seed)
        for method in METHODS:
            found, seconds = follow(method, stream)
            scores[method].append(judge(stream, found, seconds))
            if seed == seeds[0]:
                frames[method] = _frames(stream, found)
    return {"seeds": list(seeds), "n_steps": n_steps, "scores": scores, "frames": frames}


def follow(method: str, stream: Stream) -> tuple[list[IntArray], FloatArray]:
    """Ids of every frame, and processor seconds of each: what others do meanwhile does not count."""
    name, found, seconds = METHODS[method](), [], []
    for step, points in enumerate(stream.batches):
        began = process_time()
        found.append(name(points, step / FRAME_RATE))
        seconds.append(process_time() - began)
    return found, np.array(seconds)


def judge(stream: Stream, found: Sequence[IntArray], seconds: FloatArray) -> dict[str, float]:
    """Numbers of one scene."""
    return {
        "tracked": tracking_accuracy(stream.labels, found),
        "per_step": per_step_accuracy(stream.labels, found),
        "identity_f1": identity_f1(stream.labels, found),
        "switches": float(identity_switches(stream.labels, found)),
        "points": float(np.mean([len(points) for points in stream.batches])),
        "milliseconds": 1e3 * float(seconds.mean()),
        "milliseconds_99": 1e3 * float(np.quantile(seconds, 0.99)),
    }


def mean(result: dict[str, Any], method: str, number: str) -> float:
    """Mean of a number over the scenes."""
    return float(np.mean([score[number] for score in result["scores"][method]]))


def table(result: dict[str, Any]) -> str:
    """Means over the scenes as Markdown, the paper's numbers beside."""
    lines = [
        "| method | tracked | per step | identity F1 | switches | ms a frame | 99th percentile | paper |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for method in METHODS:
        accuracy = [f"{mean(result, method, name):.3f}" for name in ("tracked", "per_step", "identity_f1")]
        rest = [
            f"{mean(result, method, name):.1f}" for name in ("switches", "milliseconds", "milliseconds_99")
        ]
        lines.append(f"| {' | '.join([method, *accuracy, *rest, _of_paper(method)])} |")
    return "\n".join(lines)


def _of_paper(method: str) -> str:
    if method not in PAPER:
        return "-"
    accuracy, seconds = PAPER[method]
    return f"{100 * accuracy:.1f}%, {1e3 * seconds / (120 * FRAME_RATE):.1f} ms"


def _follower(setting: Setting) -> Name:
    follower = Follower(setting)
    return lambda points, time: follower.take(points, time).labels


def _solid() -> Name:
    """As in the paper: all points as they are."""
    model = DMeans(2.5, 4.0, 1.5, n_restarts=1, n_jobs=1, random_state=0)

    def name(points: FloatArray, time: float) -> IntArray:
        labels: IntArray = model.partial_fit(points, t=time).labels_
        return labels

    return name


METHODS: dict[str, Callable[[], Name]] = {
    SPECTRAL: lambda: _follower(SETTINGS["sdmeans"]),
    GROUND: lambda: _follower(SETTINGS["dmeans"]),
    SOLID: _solid,
}


def _frames(stream: Stream, found: Sequence[IntArray]) -> list[dict[str, Any]]:
    """A few frames with what was found in them."""
    steps = [int(share * len(found)) for share in SHOWN]
    return [
        {"step": step, "points": np.round(stream.batches[step], 2).tolist(), "found": found[step].tolist()}
        for step in steps
    ]
