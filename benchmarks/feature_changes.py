"""``python -m benchmarks.feature_changes``: clusters that are wider in some features, or for larger values.

Clusters are Gaussians with the same widths, which move a little. Or the values are exponentials of these, as
durations and amounts often are. `DMeans()` measures plain distances, and warns if scaled features, or their
logarithms, have clearly better clusters. The fourth column is a new model with the proposed change.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from benchmarks.field_clusterers import follow
from benchmarks.field_streams import FieldFrame
from benchmarks.frame_rates import score
from dynmeans import DMeans

SEEDS = range(20, 32)
N_STEPS, ROWS, APART, MOVED = 40, 30, 6.0, 0.06  # lengths in units of the widths
CLUSTERS = 6
GROWTH = 0.25  # standard deviation of the logarithms
WIDTHS = ((1, 1), (3, 1), (10, 1), (5, 3, 1, 0.5), (1, 1, 1, 1))
SHIFT = 100.0  # makes all values positive


def main() -> None:
    """Print the identity F1 without and with the proposed changes, and the number of warnings."""
    warnings.simplefilter("ignore")
    print(f"{'clusters':<36}{'DMeans()':>10}{'lowest':>8}{'warned':>8}{'with the change':>17}{'lowest':>8}")
    for widths in WIDTHS:
        streams = [clusters(np.array(widths, dtype=float), seed) for seed in SEEDS]
        name = f"widths {', '.join(f'{width:g}' for width in widths)}"
        _print(name, streams)
        _print(f"{name}, positive", [_changed(frames, lambda X: X + SHIFT) for frames in streams])
    for d in (2, 4):
        streams = [clusters(np.ones(d), seed) for seed in SEEDS]
        _print(
            f"exponentials, {d} features",
            [_changed(frames, lambda X: np.exp(GROWTH * X)) for frames in streams],
        )


def _changed(frames: list[FieldFrame], change: Callable[[np.ndarray], np.ndarray]) -> list[FieldFrame]:
    return [frame._replace(X=change(frame.X)) for frame in frames]


def _print(name: str, streams: list[list[FieldFrame]]) -> None:
    plain, changed, n_warned = [], [], 0
    for frames in streams:
        model = DMeans(random_state=0)
        plain.append(score(frames, follow(model, frames)))
        proposal = model._estimates.first_batches.proposal
        scales = proposal.scales if proposal is not None and proposal.scales else None
        n_warned += proposal is not None
        if proposal is not None and proposal.logarithms:
            frames = _changed(frames, np.log)
        changed.append(score(frames, follow(DMeans(feature_scales=scales, random_state=0), frames)))
    print(
        f"{name:<36}{np.mean(plain):>10.3f}{min(plain):>8.3f}{n_warned:>5}/{len(streams)}"
        f"{np.mean(changed):>17.3f}{min(changed):>8.3f}",
        flush=True,
    )


def clusters(widths: np.ndarray, seed: int) -> list[FieldFrame]:
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
