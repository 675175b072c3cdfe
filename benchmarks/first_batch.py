"""``python -m benchmarks.first_batch``: clusters that `DMeans()` finds in one batch of Gaussian clusters.

The clusters are 12 apart, have a standard deviation of 1 along one axis and less along the others, and are
parallel or turned at random. A result is wrong if the number of clusters is off by more than a tenth, and by
more than one. The peer is HDBSCAN of scikit-learn with its defaults.
"""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
from sklearn.cluster import HDBSCAN

from dynmeans import DMeans
from dynmeans._model.types import FloatArray, IntArray

SHAPES = ((1.0, 1.0), (1.0, 0.3), (1.0, 0.1), (1.0, 0.03), (1.0, 0.5, 0.2))
COUNTS, SIZES = (1, 2, 4, 10, 30), (30, 100, 1000)
MIN_ROWS = 4  # per cluster, on average
SEEDS = range(3)
SPACING = 12.0


def main() -> None:
    """Print the number of wrong results for every shape."""
    print(f"{'standard deviations':<24}{'batches':>8}{'DMeans() wrong':>16}{'HDBSCAN() wrong':>17}")
    warnings.simplefilter("ignore")  # the scores show what the warnings are about
    for shape in SHAPES:
        wrong = np.array([is_wrong(*case) for case in cases(shape)])
        print(f"{shape!s:<24}{len(wrong):>8}{wrong[:, 0].sum():>16}{wrong[:, 1].sum():>17}", flush=True)


def cases(shape: tuple[float, ...]) -> list[tuple[FloatArray, int]]:
    """Return the batches of one shape, each with the number of clusters that have rows."""
    return [
        draw(shape, k, n, seed, turned=turned, equal=equal)
        for k, n, turned, equal, seed in product(COUNTS, SIZES, (False, True), (False, True), SEEDS)
        if n >= MIN_ROWS * k
    ]


def draw(
    shape: tuple[float, ...], k: int, n: int, seed: int, *, turned: bool, equal: bool
) -> tuple[FloatArray, int]:
    """Draw n rows of k clusters on a grid, of equal or different expected size."""
    rng = np.random.default_rng(seed)
    shares = np.full(k, 1 / k) if equal else rng.dirichlet(np.full(k, 2.0))
    labels: IntArray = rng.choice(k, n, p=shares)
    rows: FloatArray = rng.normal(size=(n, len(shape))) * shape
    if turned:
        angle = rng.uniform(0, np.pi, k)[labels]
        x, y = rows[:, 0].copy(), rows[:, 1].copy()
        rows[:, 0], rows[:, 1] = np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y
    side = int(np.ceil(np.sqrt(k)))
    rows[:, :2] += SPACING * np.column_stack(np.divmod(labels, side))
    return rows, len(np.unique(labels))


def is_wrong(rows: FloatArray, k: int) -> tuple[bool, bool]:
    """Return whether the number of clusters is wrong, by `DMeans` and by HDBSCAN."""
    found = DMeans(random_state=0).fit_predict(rows), HDBSCAN(copy=True).fit_predict(rows)
    ours, peer = (abs(len(np.unique(labels[labels >= 0])) - k) > max(1.0, 0.1 * k) for labels in found)
    return bool(ours), bool(peer)


if __name__ == "__main__":
    main()
