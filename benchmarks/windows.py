"""Persistent ids in overlapping windows: linked by shared items, by centers, or by a gate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.cluster import HDBSCAN
from threadpoolctl import threadpool_limits

from benchmarks.persistent_ids import compare
from benchmarks.rows import Row
from dynmeans import PersistentIds
from dynmeans.baselines import ReclusterAndMatch, TrueLabels
from dynmeans.datasets import moving_gaussians
from dynmeans.metrics import identity_f1

WHAT = "identity F1 of the newest rows in windows of four batches, five moving Gaussians, 20 streams"
PEER = "the same clusters, linked by centers (PersistentIds) or by a gate that was tuned on labels"
TARGET = "items no worse than 0.01 in equal coordinates, better if each window has its own (95% intervals)"

WIDTH = 4  # batches per window; consecutive windows share three of them
CHOOSING_SEEDS = range(1000, 1006)
REPORTED_SEEDS = range(600, 620)
GATES = (0.01, 0.02, 0.04, 0.08, 0.16)
CHOSEN_GATE = 0.04


class Windows(NamedTuple):
    """Sliding windows with their clusters."""

    rows: list[np.ndarray]
    items: list[np.ndarray]  # row numbers in the stream
    found: list[np.ndarray]  # clusters of each window
    newest: list[int]  # rows of the last batch, at the end of each window
    true: list[np.ndarray]  # labels of these


def run(quick: bool) -> list[Row]:
    """Compare on the reported seeds."""
    seeds = REPORTED_SEEDS[:3] if quick else REPORTED_SEEDS
    windows = [cluster(seed, 12 if quick else 60) for seed in seeds]
    turned = [turn(one, seed) for one, seed in zip(windows, seeds, strict=True)]
    return [
        *_rows("HDBSCAN(), equal coordinates", windows, -0.01),
        *_rows("HDBSCAN(), each window turned", turned, 0.0),
    ]


def _rows(name: str, windows: list[Windows], above: float) -> list[Row]:
    ours = [linked(one, by_items=True) for one in windows]
    centers, gate = [linked(one, by_items=False) for one in windows], [gated(one) for one in windows]
    return [
        *compare(f"{name}: identity F1 by items / by centers", ours, centers, above),
        *compare(f"{name}: identity F1 by items / gate of {CHOSEN_GATE}", ours, gate, above),
    ]


def turn(windows: Windows, seed: int) -> Windows:
    """Rotate each window by a random angle, as embeddings that are fitted again."""
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, len(windows.rows))
    turns = [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for a in angles]
    return windows._replace(rows=[X @ R for X, R in zip(windows.rows, turns, strict=True)])


def cluster(seed: int, n_steps: int) -> Windows:
    """Cluster every window once for all linking methods."""
    stream = moving_gaussians(n_steps=n_steps, random_state=seed)
    sizes = [len(X) for X in stream.batches]
    ends = np.cumsum([0, *sizes])
    X = np.concatenate(stream.batches)
    items = [np.arange(ends[i], ends[i + WIDTH]) for i in range(n_steps - WIDTH + 1)]
    with threadpool_limits(1):
        found = [clone(HDBSCAN(copy=True)).fit_predict(X[rows]) for rows in items]
    return Windows([X[rows] for rows in items], items, found, sizes[WIDTH - 1 :], stream.labels[WIDTH - 1 :])


def score(windows: Windows, ids: list[np.ndarray]) -> float:
    """Compute the identity F1 of the newest rows of every window."""
    newest = [labels[-n:] for labels, n in zip(ids, windows.newest, strict=True)]
    return identity_f1(windows.true, newest)


def linked(windows: Windows, *, by_items: bool) -> float:
    """Score `PersistentIds` with its defaults."""
    model = PersistentIds()
    triples = zip(windows.rows, windows.found, windows.items, strict=True)
    return score(
        windows,
        [model.update(X, y, items=items if by_items else None).labels_ for X, y, items in triples],
    )


def gated(windows: Windows, gate: float = CHOSEN_GATE) -> float:
    """Score Hungarian matching of centers within a gate."""
    tracker = ReclusterAndMatch(TrueLabels(), gate=gate)
    pairs = zip(windows.rows, windows.found, strict=True)
    return score(windows, [tracker.partial_fit(X, y).labels_ for X, y in pairs])


def choose_gate() -> float:
    """Return the gate with the best score over the choosing seeds."""
    windows = [cluster(seed, 60) for seed in CHOOSING_SEEDS]
    return max(GATES, key=lambda gate: float(np.mean([gated(one, gate) for one in windows])))
