"""Trials over many seeds in two processes, timed by processor time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from time import process_time
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.clock import Job, timed
from dynmeans.datasets import Stream
from dynmeans.metrics import per_step_accuracy, tracking_accuracy

PROCESSES = 2

Follow = Callable[[Stream], list[np.ndarray]]  # a stream -> the ids found in each of its batches


class TrialScore(NamedTuple):
    """Scores of one method on one stream."""

    tracked: float
    per_step: float
    clusters: int  # distinct ids in the stream
    seconds: float  # per step


class Summary(NamedTuple):
    """Mean scores of one method over streams."""

    tracked: float
    worst: float  # tracking accuracy of the worst stream
    per_step: float
    clusters: float
    seconds: float  # per step

    def summary(self) -> str:
        """Return one line for a note."""
        return (
            f"worst stream {self.worst:.3f}, per step {self.per_step:.3f}, "
            f"{self.clusters:.0f} ids, {1e3 * self.seconds:.1f} ms per step"
        )


Map = Callable[[Callable[[int], TrialScore], Sequence[int]], Iterable[TrialScore]]


def processor_seconds(job: Job) -> float:
    """Measure the processor time of one call."""
    start = process_time()
    job()
    return process_time() - start


def evaluate(follow: Follow, stream: Stream) -> TrialScore:
    """Cluster one stream on one thread, and compare with the true labels."""
    with threadpool_limits(1):
        total, found = timed(lambda: follow(stream))
    return TrialScore(
        tracking_accuracy(stream.labels, found),
        per_step_accuracy(stream.labels, found),
        len(np.unique(np.concatenate(found))),
        total / len(stream.batches),
    )


def summarize(scores: Sequence[TrialScore]) -> Summary:
    """Compute means over the streams, and the worst stream."""
    mean = TrialScore(*np.mean(scores, axis=0).tolist())
    worst = min(score.tracked for score in scores)
    return Summary(mean.tracked, worst, mean.per_step, mean.clusters, mean.seconds)


@contextmanager
def workers(processes: int = PROCESSES) -> Iterator[Map]:
    """Map trials over seeds; arguments must be picklable.

    Processes start once and take trials in order. To keep all of them busy, submit all trials before the
    first result is read.
    """
    if processes == 1:
        yield map
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        yield pool.map
