"""Result of tuning."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from dynmeans.estimators.base import BatchClusterer
from dynmeans.tuning.trials import Trial

Column = np.ndarray[Any, np.dtype[Any]]


class Tuning:
    """Result of :func:`dynmeans.tune`.

    Attributes
    ----------
    best_params_ : dict
        Parameters of the best trial: ``DMeans(**best_params_)``.
    best_estimator_ : estimator
        Fitted on all batches with these parameters, under the best assignment order of the trial; the next
        ``partial_fit`` continues the stream.
    best_score_ : float
        Code length in nats per point; for kernels, 1 minus separation times id consistency;
        with labels, 1 minus tracking accuracy. Lower is better.
    runner_up_ : dict or None
        Parameters of the second trial.
    table_ : dict of arrays
        All trials, one column per parameter, with ``score``, ``score_std`` over orders,
        ``n_orders``, ``n_clusters`` per step and ``n_ids`` in total. The best trial comes first, then the
        other finalists, then the rest, sorted by score. ``pandas.DataFrame(table_)`` works.
    notes_ : tuple of str
        Diagnostics: warnings about the result; usually empty.
    """

    def __init__(self, trials: Sequence[Trial], best: BatchClusterer, diagnostics: tuple[str, ...]) -> None:
        self._trials = tuple(trials)
        self.best_params_ = dict(trials[0].params)
        self.best_score_ = trials[0].score
        self.best_estimator_ = best
        self.runner_up_ = dict(trials[1].params) if len(trials) > 1 else None
        self.notes_ = diagnostics

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={_short(value)}" for name, value in self.best_params_.items())
        return f"Tuning({words}; {self._trials[0].n_clusters:g} clusters, {len(self._trials)} trials)"

    @property
    def table_(self) -> dict[str, Column]:  # noqa: D102
        columns: dict[str, list[Any]] = {name: [] for name in self.best_params_}
        for trial in self._trials:
            for name, column in columns.items():
                column.append(trial.params[name])
        scores: dict[str, list[Any]] = {
            "score": [trial.score for trial in self._trials],
            "score_std": [float(np.std(trial.scores)) for trial in self._trials],
            "n_orders": [len(trial.scores) for trial in self._trials],
            "n_clusters": [trial.n_clusters for trial in self._trials],
            "n_ids": [trial.n_ids for trial in self._trials],
        }
        return {name: _column(values) for name, values in {**columns, **scores}.items()}

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
        from dynmeans.plots.tuning import draw_tuning

        return draw_tuning(self.table_, path)


def _column(values: list[Any]) -> Column:
    """Convert numbers to a numeric array and kernels to an object array."""
    if all(isinstance(value, int | float | str) for value in values):
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else repr(value)
