"""``python -m benchmarks.field_seeds KIND ...``: identity F1 after `tune` with four seeds of the search."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from benchmarks.field_methods import tuned
from benchmarks.field_streams import folder_of, read_streams
from dynmeans import DMeans
from dynmeans.metrics import identity_f1

SEEDS = range(4)


def main(kinds: Sequence[str]) -> None:
    """Print one line per stream."""
    warnings.simplefilter("ignore")
    for stream in read_streams(folder_of(), kinds):
        scores = [
            identity_f1(stream.true, tuned(DMeans(), seed=seed)(stream.frames), clutter=-1) for seed in SEEDS
        ]
        print(f"{stream.kind}/{stream.name}", *(f"{score:.3f}" for score in scores), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
