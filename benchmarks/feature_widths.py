"""``python -m benchmarks.feature_widths``: clusters that are wider in some features than in others.

Clusters are Gaussians with the same widths, which move a little. `DMeans()` measures plain distances, and
warns with `feature_scales` if divided features have clearly better clusters. The fourth column is a new model
with these scales.
"""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.field_clusterers import follow
from benchmarks.field_streams import FieldFrame
from benchmarks.frame_rates import score
from dynmeans import DMeans

SEEDS = range(20, 32)
N_STEPS, ROWS, APART, MOVED = 40, 30, 6.0, 0.06  # lengths in units of the widths
WIDTHS = ((1, 1), (3, 1), (10, 1), (5, 3, 1, 0.5), (1, 1, 1, 1))
CLUSTERS = 6


def main() -> None:
    """Print the identity F1 without and with the proposed scales, and the number of warnings."""
    warnings.simplefilter("ignore")
    print(f"{'widths':<16}{'DMeans()':>10}{'lowest':>8}{'warned':>8}{'with the scales':>17}{'lowest':>8}")
    for widths in WIDTHS:
        plain, scaled, n_warned = [], [], 0
        for seed in SEEDS:
            frames = long_clusters(np.array(widths, dtype=float), seed)
            model = DMeans(random_state=0)
            plain.append(score(frames, follow(model, frames)))
            scales = model._estimates.first_batches.scales
            n_warned += scales is not None
            scaled.append(score(frames, follow(DMeans(feature_scales=scales, random_state=0), frames)))
        name = ", ".join(f"{width:g}" for width in widths)
        print(
            f"{name:<16}{np.mean(plain):>10.3f}{min(plain):>8.3f}{n_warned:>5}/{len(SEEDS)}"
            f"{np.mean(scaled):>17.3f}{min(scaled):>8.3f}",
            flush=True,
        )


def long_clusters(widths: np.ndarray, seed: int) -> list[FieldFrame]:
    """Make clusters whose centers are at least `APART` widths from each other."""
    rng = np.random.default_rng(seed)
    d, centers = len(widths), np.empty((0, len(widths)))
    while len(centers) < CLUSTERS:
        center = rng.uniform(-APART, APART, d) * CLUSTERS ** (1 / d)
        if (np.linalg.norm(centers - center, axis=1) > APART).all():
            centers = np.vstack([centers, center])
    frames = []
    for t in range(N_STEPS):
        centers = centers + rng.normal(0, MOVED, centers.shape)
        ids = rng.permutation(np.repeat(np.arange(CLUSTERS), ROWS))
        rows = (centers[ids] + rng.normal(size=(len(ids), d))) * widths
        frames.append(FieldFrame(float(t), rows, ids))
    return frames


if __name__ == "__main__":
    main()
