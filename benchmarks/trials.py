"""The same trial on many seeds, on two processes; and time that a busy machine does not distort."""

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


class Score(NamedTuple):
    """How one method did on one stream."""

    tracked: float
    per_step: float
    clusters: int  # different ids in the stream
    seconds: float  # a step


class Summary(NamedTuple):
    """How one method did on several streams."""

    tracked: float
    worst: float  # of the streams, tracked
    per_step: float
    clusters: float
    seconds: float  # a step

    def told(self) -> str:
        """One line for a note."""
        return (
            f"worst stream {self.worst:.3f}, per step {self.per_step:.3f}, "
            f"{self.clusters:.0f} ids, {1e3 * self.seconds:.1f} ms a step"
        )


Map = Callable[[Callable[[int], Score], Sequence[int]], Iterable[Score]]


def processor_seconds(job: Job) -> float:
    """Time that processors worked on one call: what others do on the machine meanwhile does not count."""
    start = process_time()
    job()
    return process_time() - start


def judge(follow: Follow, stream: Stream) -> Score:
    """Follow one stream on one thread, and compare with the truth."""
    with threadpool_limits(1):
        total, found = timed(lambda: follow(stream))
    return Score(
        tracking_accuracy(stream.labels, found),
        per_step_accuracy(stream.labels, found),
        len(np.unique(np.concatenate(found))),
        total / len(stream.batches),
    )


def summarise(scores: Sequence[Score]) -> Summary:
    """Means over the streams, and the worst of them."""
    mean = Score(*np.mean(scores, axis=0).tolist())
    worst = min(score.tracked for score in scores)
    return Summary(mean.tracked, worst, mean.per_step, mean.clusters, mean.seconds)


@contextmanager
def workers(processes: int = PROCESSES) -> Iterator[Map]:
    """A map of trials over seeds; what runs in other processes must be picklable.

    Processes start once, and take what they are given at once and in order: whoever asks for all trials
    before looking at the first result keeps all of them busy to the end.
    """
    if processes == 1:
        yield map
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        yield pool.map
