"""A step as it is written to the run folder: in the units of the input, with the texts of its clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dynmeans._files.run_folder.tables import StepRecord, StepTexts
from dynmeans._model.events import Event, StepReport
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._tables.time_steps.batches import WindowBatch
from dynmeans.text import distinctive_words, nearest_texts


class RememberedClusters(NamedTuple):
    """The clusters that are remembered after a step."""

    ids: IntArray  # (K,)
    centers: FloatArray  # (K, d) in the units of the input
    ages: FloatArray  # (K,) in units of time of the model


def in_units(events: Sequence[Event], model_time: float, time: float, unit: float) -> list[Event]:
    """Return events with times in the units of the input; `model_time` is `time` in those of the model."""
    return [event._replace(time=time + (event.time - model_time) * unit) for event in events]


def make_record(
    batch: WindowBatch,
    X: FloatArray,
    report: StepReport,
    events: Sequence[Event],
    clusters: RememberedClusters,
    unit: float,
    texts: StepTexts | None = None,
) -> StepRecord:
    """Return a step with times in the units of the input.

    Parameters
    ----------
    batch : WindowBatch
    X : ndarray of shape (n, d)
        Rows of the report: those of the batch, or of one key.
    report, events : StepReport, sequence of Event
        Report and events of the step.
    clusters : RememberedClusters
    unit : float
        Length of the model's unit of time, in the units of the time column.
    texts : StepTexts, optional
    """
    time = float(report.time) if batch.time is None else batch.time
    return StepRecord(
        report=report,
        time=time,
        X=X,
        ids=clusters.ids,
        centers=clusters.centers,
        ages=clusters.ages * unit,
        events=in_units(events, float(report.time), time, unit),
        texts=texts,
        left_out=batch.left_out,
    )


def describe_clusters(
    batch: WindowBatch, labels: IntArray, clusters: RememberedClusters, metric: str
) -> StepTexts:
    """Return the words and examples of the clusters of a step from the texts of its rows."""
    rows = batch.texts or []  # a window may have no rows
    words = {k: [word for word, _ in found] for k, found in distinctive_words(rows, labels).items()}
    examples = nearest_texts(rows, batch.X, labels, clusters.centers, clusters.ids, metric=metric)
    return StepTexts(rows, words, examples)
