"""Estimators of every kind on deterministic streams, for state files and attacks on them.

No random numbers are drawn, so the streams are the same under every version of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans
from dynmeans.kernels import MST, RBF, Diffusion

Rows = NDArray[np.float64]
FOLDER = Path(__file__).parent / "estimators" / "state_files"  # files of version 0.1.0
N_SAVED, N_CONTINUED = 4, 3  # steps before and after the file


def points(step: int, n: int = 27) -> Rows:
    """Three groups in the plane; one moves, and one is absent in every third step."""
    which = np.arange(n) % 3
    angle = 2.399963229728653 * np.arange(n) + step
    radius = 0.2 * np.sqrt((np.arange(n) // 3 + 1.0) / n)
    middle = np.array([[0.3 * step, 0.0], [0.0, 6.0], [6.0, 6.0]])
    rows = middle[which] + radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return rows[which != 2] if step % 3 == 2 else rows


def functions(step: int, n: int = 12) -> Rows:
    """Observations of two functions: four inputs, then four outputs."""
    x = np.linspace(0.0, 2.0, 4) + 0.05 * step
    y = (
        np.where(np.arange(n)[:, None] % 2, np.sin(x), -np.cos(x))
        + 0.02 * np.cos(7.0 * np.arange(n))[:, None]
    )
    return np.hstack([np.tile(x, (n, 1)), y])


def similarities(model: Any, step: int) -> Rows:
    """Gaussian kernel of the points of a step, among themselves and with the points that the model keeps."""
    rows = points(step)
    origins = model.kept_rows_.tolist() if hasattr(model, "_state") else []
    kept = [_row(earlier - 1, row) for earlier, row in origins]
    others = np.concatenate([rows, np.reshape(kept, (-1, 2))])
    squares = np.sum((rows[:, None] - others[None]) ** 2, axis=2)
    return np.exp(-0.5 * squares)


def _row(step: int, row: int) -> Rows:
    """One of the points of a step; a false state file may name rows that it never had."""
    rows = points(step)
    return rows[row % len(rows)]


class Saved(NamedTuple):
    """One estimator and its stream."""

    make: Callable[[], Any]
    stream: Callable[[int], Rows] | None = points  # None for a precomputed kernel

    def batch(self, model: Any, step: int) -> Rows:
        """Rows of a step, the first is 0."""
        return similarities(model, step) if self.stream is None else self.stream(step)

    def fitted(self) -> Any:
        """The estimator after `N_SAVED` steps."""
        model = self.make()
        for step in range(N_SAVED):
            model.partial_fit(self.batch(model, step))
        return model

    def continued(self, model: Any) -> list[list[int]]:
        """Labels of the next `N_CONTINUED` steps."""
        steps = range(N_SAVED, N_SAVED + N_CONTINUED)
        return [model.partial_fit(self.batch(model, step)).labels_.tolist() for step in steps]


def _align() -> Any:
    return SDMeans(MST(scale=0.5), motion="align", random_state=3)


SAVED: dict[str, Saved] = {
    "dmeans-walk": Saved(lambda: DMeans(random_state=1)),
    "dmeans-velocity": Saved(lambda: DMeans(2.0, 4, 2, motion="velocity", refine=True, random_state=2)),
    "dmeans-raw": Saved(lambda: DMeans(1.5, aging_cost=0.4, drift=0.3, certify=True, random_state=3)),
    "kdmeans-rbf": Saved(lambda: KDMeans(RBF(bandwidth=0.7), budget=5, random_state=1)),
    "kdmeans-linear": Saved(lambda: KDMeans("linear", 2.0, selection="l1", budget=3, random_state=1)),
    "kdmeans-gp": Saved(lambda: KDMeans("gaussian_process", budget=4, random_state=1), functions),
    "kdmeans-precomputed": Saved(lambda: KDMeans("precomputed", budget=4, random_state=1), None),
    "sdmeans-rbf": Saved(lambda: SDMeans("rbf", 3.0, random_state=1)),
    "sdmeans-diffusion": Saved(lambda: SDMeans(Diffusion(n_neighbors=4), budget=6, random_state=1)),
    "sdmeans-align": Saved(_align),
    "sdmeans-precomputed": Saved(lambda: SDMeans("precomputed", budget=3, random_state=1), None),
    "ids-dbscan": Saved(lambda: PersistentIds(DBSCAN(eps=0.5, min_samples=3), random_state=1)),
    "ids-velocity": Saved(lambda: PersistentIds(KMeans(2, n_init=3), 3.0, motion="velocity", random_state=1)),
    "ids-kernel": Saved(
        lambda: PersistentIds(AgglomerativeClustering(2), kernel="rbf", budget=4, random_state=1)
    ),
    "ids-align": Saved(
        lambda: PersistentIds(DBSCAN(eps=0.5), kernel=MST(scale=0.4), motion="align", random_state=1)
    ),
}

# Estimators and parameters that version 0.1.0 did not have.
RECENT: dict[str, Saved] = {
    "dmeans-cosine": Saved(lambda: DMeans(0.1, metric="cosine", random_state=1)),
    "dmeans-cosine-auto": Saved(lambda: DMeans(metric="cosine", random_state=1)),
    "dmeans-exclusive": Saved(lambda: DMeans(0.5, exclusive=True, min_hits=2, random_state=1)),
    "dmeans-duplicates": Saved(
        lambda: DMeans(0.5, exclusive=True, duplicates=True, motion="velocity", random_state=1)
    ),
    "ids-cosine": Saved(lambda: PersistentIds(KMeans(2, n_init=3), metric="cosine", random_state=1)),
    "ids-nearest": Saved(lambda: PersistentIds(DBSCAN(eps=0.3), noise="nearest", random_state=1)),
}
