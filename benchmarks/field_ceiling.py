"""``python -m benchmarks.field_ceiling [KIND[/STREAM] ...]``: the best results that labels can find.

For each stream, random parameters of D-Means, with all modes and motions, and of DBSCAN with `PersistentIds`
are scored with labels. The script prints the best of each, the choice of `tune` without labels (for point
clouds, also among the links of DBSCAN), the best and the median draw of norfair, and both code lengths of the
true labels and of these results, on the steps that `tune` uses.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.cluster import DBSCAN

from benchmarks.field_clusterers import follow
from benchmarks.field_methods import draw_parameters, select, tuned
from benchmarks.field_streams import DETECTIONS, POINTS, FieldFrame, FieldStream, folder_of, read_streams
from dynmeans import DMeans, PersistentIds
from dynmeans._codes.two_codes import TwoCodes
from dynmeans.metrics import identity_f1
from dynmeans.tuning._space import birth_costs

Labels = list[np.ndarray]
DRAWS = 40
MAX_ROWS = 200  # per step, of the forest code, as in `tune`
LINE = "{:26} {:32} {:>11} {:>13} {:>11}"


def main(only: Sequence[str], n_draws: int = DRAWS) -> None:
    """Print the results of each stream."""
    warnings.simplefilter("ignore")
    print(LINE.format("stream", "result", "identity F1", "Gaussian code", "forest code"))
    for stream in read_streams(folder_of(), only or (*DETECTIONS, *POINTS)):
        seen = [i for i in range(max(6, len(stream.frames) // 3)) if len(stream.frames[i].X)][:60]
        codes = TwoCodes(
            [stream.frames[i].X for i in seen],
            np.array([stream.frames[i].time for i in seen]),
            max_rows=MAX_ROWS,
        )
        for name, labels in results(stream, n_draws).items():
            found = codes.lengths([labels[i] for i in seen])
            f1 = identity_f1(stream.true, labels, clutter=-1)
            numbers = (f"{value:.3f}" for value in (f1, found.gaussian, found.forest))
            print(LINE.format(f"{stream.kind}/{stream.name}", name, *numbers), flush=True)


def results(stream: FieldStream, n_draws: int) -> dict[str, Labels]:
    """Return the true labels, the best draws of each method, and the choice of `tune`."""
    births = birth_costs([frame.X for frame in stream.frames if len(frame.X) > 1])

    def best(
        run: Callable[[Sequence[FieldFrame], tuple[float, float], np.random.Generator], Labels],
    ) -> Labels:
        rng = np.random.default_rng(0)
        draws = [run(stream.frames, births, rng) for _ in range(n_draws)]
        return max(draws, key=lambda labels: identity_f1(stream.true, labels, clutter=-1))

    found = {
        "truth": stream.true,
        "DMeans, best with labels": best(draw_dmeans),
        "the same, confirmed ids": best(draw_confirmed),
        "PersistentIds(DBSCAN), the same": best(draw_persistent_ids),
        "tune": tuned(DMeans())(stream.frames),
    }
    if stream.kind in POINTS:
        links = PersistentIds(DBSCAN())
        found["tune, PersistentIds(DBSCAN)"] = tuned(links)(stream.frames)
        found["tune, both"] = tuned([DMeans(), links])(stream.frames)
    return found | baseline_results(stream, n_draws)


def baseline_results(stream: FieldStream, n_draws: int) -> dict[str, Labels]:
    """Return the best and the median draw of norfair with labels; nothing if it is not installed."""
    (method,) = select(stream.kind, ["norfair"])
    if not method.is_installed:
        return {}
    runs = [method.run(stream.frames, **params) for params in draw_parameters(method, n_draws)]
    runs.sort(key=lambda labels: identity_f1(stream.true, labels, clutter=-1))
    return {f"{method.name}, best": runs[-1], "the same, median draw": runs[len(runs) // 2]}


def draw_dmeans(
    frames: Sequence[FieldFrame], births: tuple[float, float], rng: np.random.Generator
) -> Labels:
    """Follow a stream with random parameters of D-Means."""
    return follow(DMeans(**_mode(rng), **_costs(births, rng)), frames)


def draw_confirmed(
    frames: Sequence[FieldFrame], births: tuple[float, float], rng: np.random.Generator
) -> Labels:
    """Do the same, with -1 for ids that are not confirmed."""
    model = DMeans(**_mode(rng), **_costs(births, rng), min_hits=int(rng.integers(2, 6)))
    reports = model.stream({"X": frame.X, "t": frame.time} for frame in frames)
    return [np.array(report.confirmed_labels) for report in reports]


def draw_persistent_ids(
    frames: Sequence[FieldFrame], births: tuple[float, float], rng: np.random.Generator
) -> Labels:
    """Follow a stream with random parameters of DBSCAN and of the links."""
    eps = _log_uniform(np.sqrt(births[0]), np.sqrt(births[1]) / 4.0, rng)
    clusterer = DBSCAN(eps=eps, min_samples=int(rng.integers(1, 7)))
    return follow(PersistentIds(clusterer, motion=_motion(rng), **_costs(births, rng)), frames)


def _mode(rng: np.random.Generator) -> dict[str, Any]:
    mode = ("plain", "refine", "exclusive")[int(rng.integers(3))]
    return {
        "motion": _motion(rng),
        "refine": mode == "refine",
        "exclusive": mode == "exclusive",
        "random_state": 0,
        "n_jobs": 1,
    }


def _costs(births: tuple[float, float], rng: np.random.Generator) -> dict[str, float]:
    return {
        "birth_cost": _log_uniform(births[0] / 30.0, births[1], rng),
        "lifetime": _log_uniform(1.2, 40.0, rng),
        "reach": 1.0 + _log_uniform(0.01, 9.0, rng),
    }


def _motion(rng: np.random.Generator) -> str:
    return ("walk", "velocity")[int(rng.integers(2))]


def _log_uniform(low: float, high: float, rng: np.random.Generator) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field_ceiling", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="KIND[/STREAM]")
    parser.add_argument("--draws", type=int, default=DRAWS, help="random parameters per method")
    options = parser.parse_args()
    main(options.only, options.draws)
