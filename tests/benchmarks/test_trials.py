from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from benchmarks import trials
from benchmarks.trials import TrialScore, evaluate, summarize, workers
from dynmeans.datasets import moving_rings


def seeded(offset: float, seed: int) -> TrialScore:
    return TrialScore(seed / 10 + offset, 0.5, seed, 0.001)


def test_truth_has_accuracy_one_and_a_single_cluster_that_of_its_largest_ring() -> None:
    stream = moving_rings(4, n_points=60, random_state=0)
    perfect = evaluate(lambda stream: stream.labels, stream)
    assert (perfect.tracked, perfect.per_step, perfect.clusters) == (1.0, 1.0, 3)
    one_cluster = evaluate(lambda stream: [np.zeros(len(y), dtype=np.int64) for y in stream.labels], stream)
    assert one_cluster.clusters == 1
    assert one_cluster.tracked < 0.6


def test_time_is_that_of_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "timed", lambda job: (5.0, job()))
    assert evaluate(lambda stream: stream.labels, moving_rings(50, n_points=3, random_state=0)).seconds == 0.1


def test_summary_holds_means_and_the_worst_stream() -> None:
    result = summarize([TrialScore(0.9, 0.8, 3, 0.1), TrialScore(0.5, 1.0, 5, 0.3)])
    assert tuple(result) == pytest.approx((0.7, 0.5, 0.9, 4.0, 0.2))
    assert "worst stream 0.500" in result.summary()


def test_two_processes_report_the_same_as_one() -> None:
    trial = partial(TrialScore, per_step=0.5, clusters=3, seconds=0.001)
    with workers(2) as two, workers(1) as one:
        assert list(two(trial, [1, 2, 3])) == list(one(trial, [1, 2, 3]))


def test_every_seed_counts_once() -> None:
    with workers(1) as each:
        assert summarize(list(each(partial(seeded, 0.1), [1, 2, 6]))).tracked == pytest.approx(0.4)
