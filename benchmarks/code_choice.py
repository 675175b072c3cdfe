"""``python -m benchmarks.code_choice [KIND ...]``: what decides between the two codes of `tune`.

For each stream, recorded and changed, the candidates of `tune` are run on the first third. The table has the
identity F1 of the result that each code prefers, and two tests of the clusters of the Gaussian code: whether
they are clouds, and the mean share of the edges between them within clusters of the other result.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from benchmarks.field_streams import POINTS, FieldStream, folder_of, read_streams
from benchmarks.field_variants import variants
from dynmeans import tune
from dynmeans._codes.cloud_test import wasted_nats
from dynmeans._codes.gap_test import edge_shares
from dynmeans._codes.two_codes import CodeLengths, TwoCodes
from dynmeans.metrics import identity_f1
from dynmeans.tuning.trials import Trial

BUDGET = 60
MAX_ROWS = 200  # per step, as in `tune`


def main(kinds: Sequence[str]) -> None:
    """Print one row per stream."""
    print("| stream | code | F1 of Gaussian | F1 of forest | standard errors from clouds | mean share |")
    print("|---|---|---:|---:|---:|---:|")
    for recorded in read_streams(folder_of(), kinds):
        for stream in variants(recorded):
            print(_row(stream), flush=True)


def _row(stream: FieldStream) -> str:
    frames = [frame for frame in stream.frames[: max(6, len(stream.frames) // 3)] if len(frame.X)][:60]
    trials: list[Trial] = []
    steps = [{"X": frame.X, "t": frame.time} for frame in frames]
    found = tune(steps, budget=BUDGET, n_jobs=1, random_state=0, on_trial=trials.append)
    codes = TwoCodes(
        [frame.X for frame in frames], np.array([frame.time for frame in frames]), max_rows=MAX_ROWS
    )
    known = codes._forest
    truth = [frame.y[some] for frame, some in zip(frames, known.picked, strict=True)]
    results = [lengths for trial in trials for lengths in trial.lengths if lengths.sampled is not None]
    best = [min(results, key=lambda lengths: lengths.of(by_forest)) for by_forest in (False, True)]
    pieces, trees = (_sampled(lengths) for lengths in best)
    scores = [
        identity_f1(truth, np.split(_sampled(lengths), known.starts[1:-1]), clutter=-1) for lengths in best
    ]
    shortest = math.exp(known.first_log)
    wasted = wasted_nats(known.rows, pieces, known.starts, shortest)
    errors = wasted.mean() / (wasted.std(ddof=1) / math.sqrt(len(wasted))) if wasted.any() else 0.0
    shares = [
        edge_shares(known.rows[a:b], pieces[a:b], trees[a:b], shortest) for a, b in pairwise(known.starts)
    ]
    means = [each.mean() for each in shares if len(each)]
    share = f"{np.mean(means):.2f}" if means else "no edge"
    name = f"{stream.kind}/{stream.name}"
    return f"| {name} | {found.criterion_} | {scores[0]:.2f} | {scores[1]:.2f} | {errors:.1f} | {share} |"


def _sampled(lengths: CodeLengths) -> np.ndarray:
    """Return the ids of the rows that the forest code uses."""
    assert lengths.sampled is not None
    return lengths.sampled


if __name__ == "__main__":
    main(sys.argv[1:] or POINTS)
