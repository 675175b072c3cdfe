"""Files of moving points, and the contents of a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynmeans.datasets import moving_gaussians


def write_points(path: Path, *, first: int = 0, steps: int = 12, seed: int = 1) -> Path:
    stream = moving_gaussians(4, steps, points_per_cluster=5, random_state=seed)
    lines = ["when,x,y,word"]
    for minute, batch in enumerate(stream.batches, first):
        moment = np.datetime64("2024-03-01T00:00:00") + np.timedelta64(minute, "m")
        lines += [f"{moment},{x!r},{y!r},w" for x, y in batch.tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
