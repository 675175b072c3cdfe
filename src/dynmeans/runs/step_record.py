"""The result of a step as a run writes it: in the units of the input, with words for texts."""

from __future__ import annotations

from dynmeans._files.run_tables import StepRecord, StepTexts
from dynmeans._model.lifecycle import StepResult
from dynmeans._model.types import FloatArray
from dynmeans._tables.standardize import Scale
from dynmeans._tables.windows import WindowBatch
from dynmeans.text import distinctive_words, nearest_texts


def record_of(
    batch: WindowBatch, X: FloatArray, result: StepResult, scale: Scale | None, unit: float
) -> StepRecord:
    """Convert the result of a step.

    Parameters
    ----------
    batch : WindowBatch
        All rows of the step.
    X : ndarray of shape (n, d)
        The rows that were clustered: all of them, or those of one key.
    result : StepResult
    scale : Scale or None
        Of the features, if they were standardized.
    unit : float
        Length of the unit of time of the model, in the units of the time column.
    """
    clusters, report, events = result
    time = float(report.time) if batch.time is None else batch.time
    return StepRecord(
        report=report,
        time=time,
        X=X,
        ids=clusters.ids,
        centers=clusters.centers if scale is None else scale.undo(clusters.centers),
        ages=(clusters.clock - clusters.last_seen) * unit,
        events=[event._replace(time=time + (event.time - report.time) * unit) for event in events],
    )


def texts_of(batch: WindowBatch, record: StepRecord, metric: str) -> StepTexts:
    """Return the words and examples of the clusters of a step whose rows have texts."""
    rows = batch.texts or []  # a window may have no rows
    labels = record.report.labels
    words = {k: [word for word, _ in found] for k, found in distinctive_words(rows, labels).items()}
    examples = nearest_texts(rows, batch.X, labels, record.centers, record.ids, metric=metric)
    return StepTexts(rows, words, examples)
