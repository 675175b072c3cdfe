"""Result of tuning."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from dynmeans.estimators._shell.base import BatchClusterer
from dynmeans.tuning.trials import Trial

RESULT_COLUMNS = (
    "score",
    "score_std",
    "n_orders",
    "n_clusters",
    "n_ids",
)  # of the table; others are parameters
Column = np.ndarray[Any, np.dtype[Any]]


class Tuning:
    """Result of :func:`dynmeans.tune`.

    Attributes
    ----------
    best_params_ : dict
        Parameters that were searched, of the best trial. Parameters that the estimator fixes, such as
        ``metric="cosine"``, are not in it: ``clone(best_estimator_)`` is an estimator with all parameters
        that is not fitted, and ``estimator.set_params(**best_params_)`` sets those that were searched.
    best_estimator_ : estimator
        Fitted on all batches with these parameters, under the best assignment order of the trial; the next
        ``partial_fit`` continues the stream.
    best_score_ : float
        Code length in nats per point; for kernels, 1 minus separation times id consistency;
        with labels, 1 minus tracking accuracy. Lower is better.
    criterion_ : str
        What the score is: "forest code", "Gaussian code", "separation",
        "pair score" or "1 - tracking accuracy".
    finalists_ : list of dict
        The trials that were evaluated under several orders, the best first, each with the name of its
        ``estimator``, its ``params`` and its ``score``.
    runner_up_ : dict or None
        Parameters of the second trial.
    table_ : dict of arrays
        All trials, one column per parameter (None where an estimator does not have it) and, of several
        estimators, a column ``estimator``, with ``score``, ``score_std`` over orders,
        ``n_orders``, ``n_clusters`` per step and ``n_ids`` in total. The best trial comes first, then the
        other finalists, then the rest, sorted by score. ``pandas.DataFrame(table_)`` works.
    notes_ : tuple of str
        Diagnostics: warnings about the result; usually empty.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        best: BatchClusterer,
        diagnostics: tuple[str, ...],
        estimators: Sequence[str],
        criterion: str,
    ) -> None:
        self._trials, self._estimators = tuple(trials), tuple(estimators)
        self.criterion_ = criterion
        self.best_params_ = dict(trials[0].params)
        self.best_score_ = trials[0].score
        self.best_estimator_ = best
        self.runner_up_ = dict(trials[1].params) if len(trials) > 1 else None
        self.notes_ = diagnostics

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={_short(value)}" for name, value in self.best_params_.items())
        name = f"{self._estimators[0]}, " if len(set(self._estimators)) > 1 else ""
        return f"Tuning({name}{words}; {self._trials[0].n_clusters:g} clusters, {len(self._trials)} trials)"

    @property
    def table_(self) -> dict[str, Column]:  # noqa: D102
        names = dict.fromkeys(name for trial in self._trials for name in trial.params)
        columns = {name: [trial.params.get(name) for trial in self._trials] for name in names}
        if len(set(self._estimators)) > 1:
            columns = {"estimator": list(self._estimators), **columns}
        scores: dict[str, list[Any]] = {
            "score": [trial.score for trial in self._trials],
            "score_std": [float(np.std(trial.scores)) for trial in self._trials],
            "n_orders": [len(trial.scores) for trial in self._trials],
            "n_clusters": [trial.n_clusters for trial in self._trials],
            "n_ids": [trial.n_ids for trial in self._trials],
        }
        return {name: _column(values) for name, values in {**columns, **scores}.items()}

    @property
    def finalists_(self) -> list[dict[str, Any]]:  # noqa: D102
        again = max(len(trial.scores) for trial in self._trials)
        pairs = zip(self._trials, self._estimators, strict=True)
        return [
            {"estimator": name, "params": dict(trial.params), "score": trial.score}
            for trial, name in pairs
            if len(trial.scores) == again
        ]

    def plot(self, path: str | PathLike[str] | None = None) -> Any:
        """Draw the score over every parameter, and the number of clusters.

        Parameters
        ----------
        path : path, optional
            File to write; its suffix determines the format.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from dynmeans.plots._tuning import draw_tuning

        return draw_tuning(self.table_, path)


def _column(values: list[Any]) -> Column:
    """Convert numbers to a numeric array and kernels to an object array."""
    kinds = {
        str if isinstance(value, str) else float for value in values if isinstance(value, int | float | str)
    }
    if len(kinds) == 1 and all(isinstance(value, int | float | str) for value in values):
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else repr(value)
