"""Warnings of D-Means about rows that do not suit the metric, and about results that cannot be trusted."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import singledispatch
from typing import TYPE_CHECKING, Any, NamedTuple

from dynmeans._algorithms.batch import Batch, Rows
from dynmeans._algorithms.estimation.birth_cost import N_ESTIMATION_BATCHES
from dynmeans._model.events import Event, StepReport
from dynmeans._model.state import ClusterState
from dynmeans._model.types import IntArray
from dynmeans.estimators._diagnostics.birth_warnings import (
    warn_of_common_direction,
    warn_of_no_births,
    warn_of_unit_rows,
)
from dynmeans.estimators._diagnostics.caller import caller_level
from dynmeans.estimators._diagnostics.result_checks import (
    START,
    Birth,
    ClusteringWarning,
    LastCheck,
    check_estimate,
    check_one_direction,
    check_result,
    check_single_steps,
    is_check_due,
)
from dynmeans.estimators._diagnostics.row_checks import check_embeddings, check_features, check_scales
from dynmeans.estimators._parameters.metric_choice import may_be_cosine
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters

if TYPE_CHECKING:
    from dynmeans.estimators.dmeans import DMeans

ROW_CHECKS = ("scale", "embeddings")  # kinds that concern the rows, not the result


class WarningRecord(NamedTuple):
    """Warnings of a model so far; state files do not contain them."""

    current: dict[str, str]  # text of each kind, after the last check
    given: frozenset[str]  # kinds that the caller was warned of
    last_birth: Birth | None = None  # beside remembered clusters
    last_check: LastCheck | None = None  # with final parameters, and not in a model from a state file


NO_WARNINGS = WarningRecord({}, frozenset())


def warn_of_rows(
    state: ClusterState, batch: Batch, resolved: ResolvedParameters, history: Iterable[Event]
) -> None:
    """Warn in one of the first steps if the metric does not suit the rows; ``state`` is that before it."""
    if state.n_steps == 0:
        warn = warn_of_common_direction if resolved.is_cosine else warn_of_unit_rows
        warn(batch.rows)
    if resolved.is_cosine and state.n_steps + 1 == N_ESTIMATION_BATCHES:  # else see `check_result`
        warn_of_no_births(batch.rows, state.centers, resolved.costs.birth, history, "cosine")


def update_warnings(model: DMeans, batch: Batch, report: StepReport, resolved: ResolvedParameters) -> None:
    """Check the last step of a model if a check is due, and warn the caller of what was not found before."""
    step, is_due = report.step, is_check_due(report.step)
    if step == 1:
        model._warnings = NO_WARNINGS._replace(last_check=START if resolved.is_final else None)
    elif 0 < len(report.born) < len(model._state.ids):
        model._warnings = _with_birth(model._warnings, Birth(step, report.birth_cost))
    if not (is_due or step == 1) or model._is_silent or len(batch.rows) == 0:
        return
    record = model._warnings
    found = _find_warnings(model, batch, report, resolved)
    # An estimate changes in the first steps: what a later check of the result does not find has ended.
    valid = {kind: text for kind, text in record.current.items() if kind in ROW_CHECKS or not is_due}
    first_texts = {kind: record.current.get(kind, text) for kind, text in found.items()}
    last_check = record.last_check
    if is_due:
        last_check = LastCheck(step, model._state.next_id) if resolved.is_final else None
    model._warnings = record._replace(
        current=valid | first_texts, given=record.given | found.keys(), last_check=last_check
    )
    give_warnings(text for kind, text in found.items() if kind not in record.given)


def _with_birth(record: WarningRecord, birth: Birth) -> WarningRecord:
    """Return the warnings after a birth beside remembered clusters, which ends the warning of no births."""
    current = {kind: text for kind, text in record.current.items() if kind != "birth"}
    return WarningRecord(current, record.given, birth, record.last_check)


def _find_warnings(
    model: DMeans, batch: Batch, report: StepReport, resolved: ResolvedParameters
) -> dict[str, str]:
    """Return the warnings about the last step of a model, by kind."""
    if resolved.is_cosine:  # the other checks are about squared distances; see `warn_of_rows`
        if model.birth_cost != "auto" or not is_check_due(report.step):
            return {}
        rows, _ = checked_rows(batch.rows, report.labels)
        return check_one_direction(rows, model._state, resolved.costs.birth, len(batch.rows))
    rows, labels = checked_rows(batch.rows, report.labels)
    names = getattr(model, "feature_names_in_", None)
    found = check_scales(rows, names)
    if model.metric == "auto" and may_be_cosine(model):
        found |= check_embeddings(rows, labels)
    if is_check_due(report.step):
        assert resolved.used is not None
        described, known = report._replace(labels=labels), model._warnings
        birth = known.last_birth
        found |= check_result(
            rows,
            described,
            model._state,
            resolved.used,
            len(batch.rows),
            had_births=birth is not None and birth.refutes(report, resolved.used),
            since=known.last_check,
        )
    if model.birth_cost == "auto":
        first = model._estimates.first_batches
        found |= check_features(None if first is None else first.proposal, names)
        for kind in ("single", "one"):  # found in the data
            found.pop(kind, None)
        if "width" in found or not resolved.is_final:  # then the birth cost will be another one
            found.pop("birth", None)
        if is_check_due(report.step):
            found |= check_estimate(resolved.costs.birth)
    if is_check_due(report.step) and model._warnings.last_check is not None:
        found |= check_single_steps(model._state, model.min_hits)
    return found


def give_warnings(texts: Iterable[str]) -> None:
    """Warn the caller of the package."""
    for text in texts:
        warnings.warn(text, ClusteringWarning, stacklevel=caller_level())


@singledispatch
def checked_rows(rows: Any, labels: IntArray) -> tuple[Rows, IntArray]:
    """Return the rows that are checked, with their labels: all of them, or a sample if they are elsewhere."""
    return rows, labels
