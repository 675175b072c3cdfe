"""Warnings of D-Means about results that cannot be trusted."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections import deque

from dynmeans._algorithms.batch import Batch
from dynmeans._algorithms.birth_cost import N_ESTIMATION_BATCHES
from dynmeans._model.events import Event, StepParameters, StepReport
from dynmeans._model.state import ClusterState
from dynmeans.estimators.diagnostics.birth_warnings import (
    warn_of_common_direction,
    warn_of_no_births,
    warn_of_unit_rows,
)
from dynmeans.estimators.diagnostics.caller import caller_level
from dynmeans.estimators.diagnostics.result_checks import ClusteringWarning, check_result, is_check_due
from dynmeans.estimators.diagnostics.row_checks import check_embeddings, check_scales
from dynmeans.estimators.parameters.metric_choice import may_be_cosine
from dynmeans.estimators.parameters.step_rules import StepRules

ROW_CHECKS = ("scale", "embeddings")  # kinds that concern the rows, not the result


class ResultWarnings:
    """Mixin: warn of rows that do not suit the metric, and of results that cannot be trusted."""

    birth_cost: float | str
    metric: str
    _state: ClusterState
    _history: deque[Event]

    @property
    @abstractmethod
    def parameters_(self) -> StepParameters:
        """Parameters of the last step."""

    def _warn_of_rows(self, state: ClusterState, batch: Batch, rules: StepRules) -> None:
        if state.n_steps >= N_ESTIMATION_BATCHES or "_is_silent" in vars(self):
            return
        if state.n_steps == 0:
            warn = warn_of_common_direction if rules.is_cosine else warn_of_unit_rows
            warn(batch.rows)
        if rules.is_cosine and state.n_steps + 1 == N_ESTIMATION_BATCHES:  # else see `check_result`
            warn_of_no_births(batch.rows, state.centers, rules.costs.birth, self._history, "cosine")

    def _warn(self, batch: Batch, report: StepReport, rules: StepRules) -> None:
        if report.step == 1:
            self._warnings: dict[str, str] = {}
            self._given_warnings: set[str] = set()
        is_due = is_check_due(report.step)
        if not (report.step == 1 or is_due) or len(batch.rows) == 0 or "_is_silent" in vars(self):
            return
        if rules.is_cosine:
            return  # the checks and their advice are about squared distances; see _warn_of_rows
        found = self._check_rows(batch, report)
        if is_due:
            found |= self._check_result(batch, report)
        if self.birth_cost == "auto":
            for kind in ("single", "one"):  # found in the data
                found.pop(kind, None)
        # An estimate changes in the first steps: what a later check of the result does not find has ended.
        kept = {kind: text for kind, text in self.warnings_.items() if kind in ROW_CHECKS or not is_due}
        self._warnings = {**kept, **{kind: self.warnings_.get(kind, text) for kind, text in found.items()}}
        given = self.__dict__.get("_given_warnings", set())
        self._given_warnings = given | set(found)
        for kind, text in found.items():
            if kind not in given:
                warnings.warn(text, ClusteringWarning, stacklevel=caller_level())

    def _check_rows(self, batch: Batch, report: StepReport) -> dict[str, str]:
        names = getattr(self, "feature_names_in_", None)
        if self.metric == "auto" and may_be_cosine(self):
            return check_scales(batch.rows, names) | check_embeddings(batch.rows, report.labels)
        return check_scales(batch.rows, names)

    def _check_result(self, batch: Batch, report: StepReport) -> dict[str, str]:
        return check_result(batch.rows, report, self._state, self.parameters_)

    @property
    def warnings_(self) -> dict[str, str]:
        """Warnings about results that cannot be trusted, by kind, of the last check. They are not saved."""
        known: dict[str, str] = self.__dict__.get("_warnings", {})
        return known
