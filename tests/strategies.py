"""Random problems and streams for the property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from reference import Problem

seeds = st.integers(0, 2**32 - 1)


def make_problem(seed: int, n: int, d: int, n_old: int, *, weighted: bool, birth: float = 0.15) -> Problem:
    """Blobs, some of them where a remembered cluster was."""
    rng = np.random.default_rng(seed)
    positions = rng.uniform(size=(max(2, n_old + 1), d))
    X = positions[rng.integers(len(positions), size=n)] + 0.1 * rng.normal(size=(n, d))
    weights = rng.choice([0.3, 1.0, 2.0, 3.5], size=n) if weighted else np.ones(n)
    phi = positions[:n_old] + 0.1 * rng.normal(size=(n_old, d))
    gamma = rng.uniform(0.2, 5.0, size=n_old)
    return Problem(X, weights, phi, gamma, birth * rng.uniform(0.05, 1.2, size=n_old), birth)


@st.composite
def problems(draw: st.DrawFn, max_rows: int = 40, max_old: int = 4) -> Problem:
    """One batch, and the clusters remembered before it."""
    return make_problem(
        draw(seeds),
        draw(st.integers(1, max_rows)),
        draw(st.integers(1, 4)),
        draw(st.integers(0, max_old)),
        weighted=draw(st.booleans()),
        birth=draw(st.sampled_from([0.02, 0.15, 0.6])),
    )


@st.composite
def streams(draw: st.DrawFn, max_steps: int = 8) -> list[np.ndarray]:
    """Batches of drifting blobs that come and go."""
    rng = np.random.default_rng(draw(seeds))
    d = draw(st.integers(1, 3))
    positions = rng.uniform(size=(draw(st.integers(1, 4)), d))
    batches = []
    for _ in range(draw(st.integers(1, max_steps))):
        positions = positions + 0.05 * rng.normal(size=positions.shape)
        present = positions[rng.uniform(size=len(positions)) < 0.7]
        shown = present if len(present) else positions[:1]
        rows = shown[rng.integers(len(shown), size=rng.integers(1, 25))]
        batches.append(rows + 0.03 * rng.normal(size=rows.shape))
    return batches
