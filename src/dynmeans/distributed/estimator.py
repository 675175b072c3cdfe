"""D-Means for Dask arrays and data frames."""

from __future__ import annotations

from os import PathLike
from typing import Any, cast

import dask
import numpy as np
from distributed import Client, default_client

from dynmeans._algorithms.batch import Batch, Rows
from dynmeans._algorithms.sphere import unit_rows
from dynmeans._model.events import StepReport
from dynmeans._model.forecast import prior_of_living
from dynmeans._model.lifecycle import StepResult
from dynmeans._model.state import ClusterState
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.distributed import _tasks as tasks
from dynmeans.distributed._all_rows import refuse_large
from dynmeans.distributed._batch import (
    SMALL,
    PresentRows,
    RemoteBatch,
    RemoteRows,
    RemoteWeights,
    as_dask,
    check_weights,
    example_of,
    gather_chunks,
    is_distributed,
    lazy_blocks,
)
from dynmeans.distributed._step import step
from dynmeans.estimators import DMeans as LocalDMeans
from dynmeans.estimators import load as load_local
from dynmeans.estimators._diagnostics.birth_warnings import warn_of_unit_rows
from dynmeans.estimators._diagnostics.result_checks import SAMPLE
from dynmeans.estimators._diagnostics.result_warnings import checked_rows
from dynmeans.estimators._parameters.feature_scales import divided
from dynmeans.estimators._parameters.metric_choice import MANY_FEATURES, are_unit_rows, metric_for
from dynmeans.estimators._parameters.resolved_parameters import ResolvedParameters
from dynmeans.estimators._shell.step import StepInput


class DMeans(LocalDMeans):
    """Cluster Dask arrays and data frames with the labels, ids and centers of :class:`dynmeans.DMeans`.

    The parameters and attributes are those of :class:`dynmeans.DMeans`. ``partial_fit`` takes a Dask array or
    a Dask data frame; ``labels_`` is then a lazy Dask array with the same chunks. The partitions stay on the
    workers of the current Dask client; only centers, sums and a few rows are sent. The result equals that of
    the local estimator bit for bit, for any number of workers, threads and chunks, and also if workers
    are lost. State files are those of the local estimator: each estimator loads the files of the other.

    ``refine``, ``exclusive``, ``certify`` and ``metric="cosine"`` need all rows at once: batches up to 1 GiB
    are then gathered, larger ones are refused. With ``birth_cost="auto"``, set ``refine=False`` and
    ``exclusive=False`` for larger batches.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from dynmeans.distributed import DMeans
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     model = DMeans(birth_cost=1.0, random_state=0)
    ...     X = da.from_array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0]], chunks=(2, 2))
    ...     model.partial_fit(X).labels_.compute()
    array([0, 0, 1])
    """

    def _run(self, given: StepInput, *, reset: bool = False) -> Any:
        if not is_distributed(given.X):
            return super()._run(given, reset=reset)
        batch = RemoteBatch(given.X, given.sample_weight)
        super()._run(given._replace(X=batch, sample_weight=None), reset=reset)
        if isinstance(self.labels_, np.ndarray):  # a small batch
            labels = as_dask(self.labels_, batch.chunks)
            self.__dict__.update(labels_=labels, step_=self.step_._replace(labels=labels))
        return self

    def _read(self, X: Any, *, reset: bool, min_rows: int = 1) -> Rows:
        if not isinstance(X, RemoteBatch):
            return super()._read(X, reset=reset, min_rows=min_rows)
        example = super()._read(example_of(X.rows), reset=reset, min_rows=0)
        X.read(_client(), example.dtype, example.shape[1], min_rows)
        rows: Any = RemoteRows(X.chunks) if len(X) > SMALL else X.gathered.rows
        metric = metric_for(self, None if reset else vars(self).get("_estimates"), rows)
        if isinstance(rows, RemoteRows):
            refuse_large(self, rows, metric)
        if self.feature_scales is not None:
            return divided(X.gathered.rows, self.feature_scales)
        if metric != "cosine":
            return cast(Rows, rows)
        return unit_rows(X.gathered.rows)

    def _read_weights(self, X: Any, sample_weight: Any, rows: Rows) -> FloatArray | None:
        if not isinstance(X, RemoteBatch):
            return super()._read_weights(X, sample_weight, rows)
        if X.weights is None:
            return None
        if not isinstance(rows, RemoteRows):
            return super()._read_weights(X, X.gathered.weights, rows)
        check_weights(X.chunks)
        weights: FloatArray = cast(Any, RemoteWeights(X.chunks))
        return weights

    def _label_absent(
        self, state: ClusterState, rows: Rows, present: Any, report: StepReport, resolved: ResolvedParameters
    ) -> IntArray:
        if not isinstance(present, PresentRows):
            return super()._label_absent(state, rows, present, report, resolved)
        chunks, labels = cast(Any, rows).chunks, report.labels
        if isinstance(labels, np.ndarray):
            labels = as_dask(labels, present.chunks)
        prior = prior_of_living(state, report.time, resolved.costs, resolved.motion)
        living = tasks.LivingClusters(prior.centers, prior.gammas, prior.revival, state.ids)
        clusters = dask.delayed(living, pure=True)
        each = chunks.futures, cast(Any, labels).to_delayed().ravel(), [clusters] * len(chunks.futures)
        found: IntArray = lazy_blocks(chunks, tasks.label_absent, *each)
        return found

    def _cluster_rows(self, state: ClusterState, batch: Batch, resolved: ResolvedParameters) -> StepResult:
        search = resolved.search
        if isinstance(batch.rows, RemoteRows) and (search.refine or search.exclusive or self.certify):
            batch = batch._replace(**gather_chunks(batch.rows.chunks)._asdict())
        if not isinstance(batch.rows, RemoteRows):
            return super()._cluster_rows(state, batch, resolved)
        result = step(state, batch, resolved.costs, resolved.motion, search)
        if state.n_steps == 0 and batch.rows.shape[1] >= MANY_FEATURES:
            warn_of_unit_rows(batch.rows[evenly_spaced(len(batch.rows), SAMPLE)])
        return result


@are_unit_rows.register
def _(rows: RemoteRows) -> bool:
    return rows.shape[1] >= MANY_FEATURES and all(rows.chunks.map(tasks.has_unit_rows))


@checked_rows.register
def _(rows: RemoteRows, labels: Any) -> tuple[Rows, IntArray]:
    every = evenly_spaced(len(rows), SAMPLE)
    return rows[every], np.asarray(labels[every])


def load(path: str | PathLike[str]) -> DMeans:
    """Read a model that this or the local estimator saved, to continue with Dask collections.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save`` of :class:`dynmeans.DMeans` or :class:`dynmeans.distributed.DMeans`.

    Returns
    -------
    DMeans
    """
    return to_distributed(load_local(path))


def to_distributed(model: LocalDMeans) -> DMeans:
    """Return a model with the state of a local one."""
    if type(model).__name__ != "DMeans":
        raise ValueError(f"the state file holds a {type(model).__name__}, but only DMeans is distributed")
    found = DMeans(**model.get_params())
    found.__dict__.update({name: value for name, value in vars(model).items() if name != "_lock"})
    return found


def _client() -> Client:
    try:
        return default_client()
    except ValueError:
        raise ValueError(
            "a Dask collection needs a Dask client: start one with distributed.Client(), or give the address "
            "of a scheduler, distributed.Client(address)"
        ) from None
