"""One step of an estimator: validate, cluster, publish. An error leaves the model unchanged."""

from __future__ import annotations

from collections import deque
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from dynmeans._algorithms.batch import Batch, Rows
from dynmeans._model.events import Event, StepReport
from dynmeans._model.state import next_time
from dynmeans._model.types import BoolArray, IntArray
from dynmeans.estimators._parameters.estimates import with_labels
from dynmeans.estimators._validation import columns_of, draw_seed

if TYPE_CHECKING:
    from dynmeans.estimators._shell.base import BatchClusterer


class StepInput(NamedTuple):
    """Arguments of one step, before the rows and their weights are validated."""

    X: Any
    sample_weight: Any = None
    t: float | None = None
    labels: IntArray | None = None  # of `PersistentIds.update`
    items: NDArray[Any] | None = None  # names of the rows


def advance(model: BatchClusterer, given: StepInput, reset: bool) -> tuple[Event, ...]:
    """Run one step, publish its result and return its events; ``reset`` forgets all earlier batches."""
    first = reset or "_state" not in vars(model)
    state: Any = None if first else model._state
    old, seed = (None, 0) if first else (model._estimates, model._seed)
    resolved = model._resolve(state, old, seed)  # validates the parameters before the data
    columns = copy(model) if first else model  # an error must not change the known columns
    rows = columns._read(given.X, reset=first, min_rows=1 if reset else 0)
    if first:
        state = model._initial_state(rows.shape[1])
    present, batch = _read_batch(model, given, rows, next_time(state.clusters, given.t))
    if first:
        seed = draw_seed(model.random_state)
    estimates = model._learn(old, batch, seed) if resolved.learns else old
    if first or estimates is not old:  # the batch may have changed estimated parameters
        resolved = model._resolve(state, estimates, seed)
    resolved = resolved.at(batch.time, state.clusters)
    state, report, events = model._cluster_batch(state, batch, resolved)
    if resolved.used is not None or not resolved.is_final:
        report = report.with_parameters(resolved.used, resolved.is_final)
    learned = estimates and with_labels(estimates, report.labels)
    attributes = {"_state": state, "_estimates": learned, "_seed": seed}
    if first:
        attributes |= columns_of(columns) | {"_history": deque(maxlen=resolved.history_size)}
    published = report
    if present is not None:
        after = model._resolve(state, estimates, seed)
        published = report._replace(labels=model._label_absent(state, rows, present, report, after))
    _publish(model, attributes, published, events)
    model._warn(batch, report, resolved)
    return events


def _read_batch(
    model: BatchClusterer, given: StepInput, rows: Rows, now: float
) -> tuple[BoolArray | None, Batch]:
    """Return which rows have a positive weight, None if all have, and the batch of these rows."""
    X, sample_weight, _, labels, items = given
    weights = model._read_weights(X, sample_weight, rows)
    if labels is not None:
        _check_length("labels", labels, rows)
    if items is not None:
        _check_length("items", items, rows)
    if weights is None or weights.all():
        return None, Batch(rows, weights, now, labels, items)
    present = weights > 0
    return present, Batch(
        rows[present],
        weights[present],
        now,
        None if labels is None else labels[present],
        None if items is None else items[present],
    )


def _check_length(name: str, column: NDArray[Any], rows: Rows) -> None:
    if len(column) != len(rows):
        raise ValueError(f"{name} must have one entry for each of {len(rows)} rows, got {len(column)}")


def _publish(
    model: BatchClusterer, attributes: dict[str, Any], report: StepReport, events: tuple[Event, ...]
) -> None:
    """Set all attributes at once, so that signals and other threads never see half of a step."""
    attributes["step_"] = report
    attributes["labels_"] = report.labels
    attributes["n_iter_"] = report.n_iter
    attributes["birth_cost_"] = report.birth_cost
    model.__dict__.update(attributes)
    model._history.extend(events)
    if "_history" in attributes and "feature_names_in_" not in attributes:
        model.__dict__.pop("feature_names_in_", None)
