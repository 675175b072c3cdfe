from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans._experiments.reference_dpmeans import reference_dpmeans
from dynmeans.baselines import DPMeans


def as_published(rows: np.ndarray, birth: float, seed: int) -> np.ndarray:
    """Run one order of the rows, one row and one center at a time."""
    order = np.random.default_rng(seed).permutation(len(rows))
    centers, labels = [rows.mean(axis=0)], [0] * len(rows)
    while True:
        before = list(labels)
        for i in order:
            squared = [float(np.sum((rows[i] - center) ** 2)) for center in centers]
            if min(squared) > birth:
                centers.append(rows[i])
                labels[i] = len(centers) - 1
            else:
                labels[i] = int(np.argmin(squared))
        kept = sorted(set(labels))
        labels = [kept.index(label) for label in labels]
        centers = [rows[np.array(labels) == k].mean(axis=0) for k in range(len(kept))]
        if labels == before:
            return np.array(labels)


def same_groups(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.array_equal(a[:, None] == a, b[:, None] == b))


@given(st.integers(0, 10_000), st.integers(1, 40), st.floats(0.05, 4.0))
@settings(deadline=None, max_examples=60)
def test_labels_are_those_of_one_row_after_another(seed: int, n: int, birth: float) -> None:
    rows = np.random.default_rng(seed).normal(size=(n, 3))
    assert same_groups(reference_dpmeans(rows, birth, 1, seed), as_published(rows, birth, seed))


def test_well_separated_clusters_are_those_that_bounds_find() -> None:
    rng = np.random.default_rng(0)
    rows = np.repeat(20.0 * rng.normal(size=(6, 5)), 30, axis=0) + 0.1 * rng.normal(size=(180, 5))
    found = reference_dpmeans(rows, 4.0, 3, 0)
    assert same_groups(found, DPMeans(birth_cost=4.0, n_restarts=3, random_state=0).fit(rows).labels_)


def test_labels_are_numbered_by_first_appearance() -> None:
    rows = np.array([[9.0], [0.0], [9.1], [-7.0]])
    assert reference_dpmeans(rows, 1.0, 2, 3).tolist() == [0, 1, 0, 2]
