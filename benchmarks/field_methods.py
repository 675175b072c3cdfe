"""Methods of the field benchmark: one line per method in `METHODS`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.cluster import HDBSCAN

from benchmarks.field_clusterers import (
    WithoutNoise,
    dbscan_match,
    follow,
    hdbscan_match,
    leader,
    mini_batch_k_means,
)
from benchmarks.field_streams import DETECTIONS, EMBEDDINGS, KINDS, POINTS, FieldFrame, FieldStream
from benchmarks.field_trackers import kalman, norfair, on_segments, sort_style
from dynmeans import DMeans, PersistentIds, tune
from dynmeans.metrics import identity_f1

Labels = list[np.ndarray]
Space = Mapping[str, Any]  # a list of values, or the ends of a logarithmic range
CHOSEN = Path(__file__).with_name("field_parameters.json")  # written by `python -m benchmarks.field --choose`


class Method(NamedTuple):
    """Method with the kinds of streams that it runs on."""

    name: str
    kinds: Sequence[str]
    run: Callable[..., Labels]  # frames, **parameters -> ids per frame, -1 for noise
    space: Space = MappingProxyType({})  # parameters chosen with labels; empty for methods of dynmeans
    needs: str = ""  # package that is not among the requirements

    @property
    def is_ours(self) -> bool:
        """Whether it is a method of dynmeans, which uses no labels."""
        return not self.space

    @property
    def is_installed(self) -> bool:
        """Whether its package is installed."""
        return not self.needs or find_spec(self.needs) is not None


def estimator(make: Callable[[], Any]) -> Callable[[Sequence[FieldFrame]], Labels]:
    """Return a method that follows a stream with a new estimator."""
    return lambda frames: follow(make(), frames)


def tuned(
    model: Any, *, budget: int = 60, motions: Sequence[str] | None = ("walk", "velocity"), seed: int = 0
) -> Callable[[Sequence[FieldFrame]], Labels]:
    """Return a method that tunes an estimator without labels on the first third."""

    def run(frames: Sequence[FieldFrame]) -> Labels:
        first = frames[: max(6, len(frames) // 3)]
        steps = [{"X": frame.X, "t": frame.time} for frame in first if len(frame.X)][:60]
        found = tune(steps, model, budget=budget, motions=motions, n_jobs=1, random_state=seed)
        return follow(clone(found.best_estimator_), frames)

    return run


FILTER = {"gate": (0.2, 5.0), "lifetime": (2.0, 60.0), "q": (0.01, 1.0), "r": (0.02, 1.0)}
SORT = {"gate": (1.0, 8.0), "lifetime": (1.0, 30.0), "q": (0.01, 1.0), "r": (0.02, 1.0)}
NORFAIR = {"distance": (0.2, 5.0), "hits": [2, 5, 10, 15, 30], "delay": [0, 1, 2]}
SEGMENTS = {"eps": (0.1, 2.0), "min_samples": [2, 3, 5]}
SIZES = {"min_cluster_size": [3, 5, 10]}
MEMORY = {"lifetime": [2.0, 3.0, 5.0, 10.0]}
LARGE = (*POINTS, *EMBEDDINGS)
MATCHED = {"gate": (0.01, 10.0)}  # squared distance
TOPICS = [
    DMeans(metric="cosine", refine=False),
    DMeans(metric="cosine", refine=True),
    PersistentIds(HDBSCAN(copy=True), metric="cosine", noise="nearest"),
]

METHODS = (
    Method("Kalman + Hungarian", DETECTIONS, kalman, FILTER | {"min_hits": [1, 2, 3]}),
    Method("SORT-style", DETECTIONS, sort_style, SORT),
    Method("norfair", DETECTIONS, norfair, NORFAIR, "norfair"),
    Method(
        "DBSCAN + matching", DETECTIONS, partial(dbscan_match, min_samples=1), {"eps": (0.02, 1.0)} | MATCHED
    ),
    Method("DBSCAN + Kalman", POINTS, partial(on_segments, kalman), SEGMENTS | FILTER),
    Method("DBSCAN + SORT-style", POINTS, partial(on_segments, sort_style), SEGMENTS | SORT),
    Method("DBSCAN + norfair", POINTS, partial(on_segments, norfair), SEGMENTS | NORFAIR, "norfair"),
    Method("DBSCAN + matching", POINTS, dbscan_match, SEGMENTS | MATCHED),
    Method("HDBSCAN + matching", POINTS, hdbscan_match, SIZES | MATCHED),
    Method("HDBSCAN + matching", ["text"], hdbscan_match, SIZES | {"gate": (0.1, 1.0)}),
    Method("HDBSCAN + matching", ["objects"], hdbscan_match, SIZES | {"gate": (0.001, 1.0)}),
    Method("leader, cosine", ["text"], leader, MEMORY | {"threshold": (0.1, 0.6)}),
    Method("leader, cosine", ["objects"], leader, MEMORY | {"threshold": (0.5, 0.99)}),
    Method("mini-batch k-means", EMBEDDINGS, mini_batch_k_means, {"n_clusters": [13, 20, 40, 50, 150]}),
    Method("DMeans()", KINDS, estimator(lambda: DMeans(random_state=0))),
    Method("PersistentIds(HDBSCAN)", LARGE, estimator(lambda: PersistentIds(WithoutNoise()))),
    Method("DMeans, cosine", ["text"], estimator(lambda: DMeans(metric="cosine", random_state=0))),
    Method("tune", [*DETECTIONS, *POINTS, "objects"], tuned(DMeans())),
    Method("tune", ["text"], tuned(DMeans(metric="cosine"), motions=None)),
    Method("tune, several", ["text"], tuned(TOPICS, motions=None)),
)


def select(kind: str, words: Sequence[str] = ()) -> list[Method]:
    """Return the methods of a kind whose names contain one of the words."""
    named = [m for m in METHODS if not words or any(word.lower() in m.name.lower() for word in words)]
    if not named:
        raise ValueError(f"no method is named {', '.join(words)}; choose from {', '.join(names())}")
    return [method for method in named if kind in method.kinds]


def names() -> list[str]:
    """Return the names of all methods."""
    return list(dict.fromkeys(method.name for method in METHODS))


def parameters(kind: str, method: Method) -> dict[str, Any]:
    """Return the parameters of a baseline that were chosen with labels; none for methods of dynmeans."""
    if method.is_ours:
        return {}
    chosen: dict[str, dict[str, dict[str, Any]]] = json.loads(CHOSEN.read_text())
    return chosen[kind][method.name]


def write_parameters(path: Path, kind: str, name: str, params: Mapping[str, Any]) -> None:
    """Add the parameters of one baseline to the file, or replace them."""
    chosen = json.loads(path.read_text()) if path.exists() else {}
    chosen.setdefault(kind, {})[name] = dict(params)
    path.write_text(json.dumps(chosen, indent=1, sort_keys=True) + "\n")


def choose(method: Method, streams: Sequence[FieldStream], n_draws: int, seed: int = 0) -> dict[str, Any]:
    """Return the parameters with the best mean identity F1 over the streams, by random search with labels."""

    def mean_score(params: dict[str, Any]) -> float:
        scores = [identity_f1(s.true, method.run(s.frames, **params), clutter=-1) for s in streams]
        return float(np.mean(scores))

    return max(draw_parameters(method, n_draws, seed), key=mean_score)


def draw_parameters(method: Method, n_draws: int, seed: int = 0) -> list[dict[str, Any]]:
    """Draw random parameters from the space of a baseline."""
    rng = np.random.default_rng(seed)
    return [{name: _draw(values, rng) for name, values in method.space.items()} for _ in range(n_draws)]


def _draw(values: Any, rng: np.random.Generator) -> Any:
    if isinstance(values, list):
        return values[int(rng.integers(len(values)))]
    low, high = np.log(values)
    return float(f"{np.exp(rng.uniform(low, high)):.3g}")
