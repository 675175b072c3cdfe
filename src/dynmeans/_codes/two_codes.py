"""Two codes for a stream, and the choice between them.

The Gaussian code is right where clusters are clouds, even if they touch. It fails where an object has one
point per step, and where objects are not Gaussian: pieces of them are more Gaussian than the whole. The
forest code is right where gaps separate objects of any shape. It fails where clusters touch: without a gap
it merges them. So the forest code is used if there are gaps, and the clusters that the Gaussian code finds
are pieces of larger objects: they are not clouds, and have no gaps between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from dynmeans._codes.cloud_test import are_clouds
from dynmeans._codes.equal_values import distinct_rows, spread_over_grid, total_weights
from dynmeans._codes.forest_code import (
    FORECAST_DRIFTS,
    ForestReference,
    forest_parts,
    forest_up_to,
    make_forest_reference,
    sampled_labels,
)
from dynmeans._codes.gap_test import have_gaps
from dynmeans._codes.gaussian_code import Reference, make_reference, parts_up_to
from dynmeans._codes.significance import is_significant
from dynmeans._model.types import FloatArray, IntArray

STRONG_EVIDENCE = math.log(20.0)  # nats: odds of 20 to 1 (Kass and Raftery, 1995)


class CodeLengths(NamedTuple):
    """Code lengths of one clustering, in nats per point; lower is better."""

    gaussian: float
    forest: float
    n_extra: int  # clusters after the first of each step, over all steps, among the points of the forest code
    sampled: IntArray | None = None  # (N,) ids of the points of the forest code
    velocity_lead: float = 0.0  # nats by which the best forecast with a velocity is better than without
    velocity_drift: float = math.inf  # drift of the best forecast with a velocity
    single_rows: float = 0.0  # nats of evidence that a cluster has one row per step, if the mode allows more
    up_to: tuple[FloatArray, FloatArray] | None = None  # (T,) each: both lengths up to each step

    @property
    def n_ids(self) -> int:
        """Number of ids among the points of the forest code."""
        return 0 if self.sampled is None else len(np.unique(self.sampled[self.sampled >= 0]))

    @property
    def n_rows_alone(self) -> int:
        """Number of rows, among the points of the forest code, whose id no other row has."""
        ids = np.empty(0) if self.sampled is None else self.sampled[self.sampled >= 0]
        return int(np.count_nonzero(np.unique(ids, return_counts=True)[1] == 1))

    @property
    def motion(self) -> str:
        """Motion that the forecasts of this clustering show: velocity on strong evidence only."""
        return "velocity" if self.velocity_lead >= STRONG_EVIDENCE else "walk"

    def with_motion(self, motion: str, n_rows: int) -> CodeLengths:
        """Return the lengths, over n rows, of codes that forecast the ids with one motion."""
        saved = self.velocity_lead / n_rows if motion == "velocity" else 0.0
        return self._replace(gaussian=self.gaussian - saved, forest=self.forest - saved)

    def of(self, by_forest: bool) -> float:
        """Return one of the two lengths."""
        return self.forest if by_forest else self.gaussian

    def is_clearly_longer(self, other: CodeLengths, by_forest: bool) -> bool:
        """Return whether another code is shorter, by two standard errors of the difference over the steps."""
        return is_significant(self.steps(by_forest) - other.steps(by_forest))

    def steps(self, by_forest: bool) -> FloatArray:
        """Return the part of each step in one of the two lengths, (T,); none if the result has no labels."""
        return np.empty(0) if self.up_to is None else np.diff(self.up_to[int(by_forest)], prepend=0.0)


class TwoCodes:
    """Both codes of the clusterings of one stream.

    Parameters
    ----------
    batches : sequence of ndarray of shape (n, d), n > 0
    times : ndarray of shape (T,)
    weights : sequence of ndarray of shape (n,), optional
        Only the Gaussian code uses them, relative to their mean: a row of weight 10 in a stream of such rows
        is one observation, and not ten copies, which would be a cluster without any extent.
    max_rows : int
        Maximum number of rows per step that the forest code uses.
    """

    def __init__(
        self,
        batches: Sequence[FloatArray],
        times: FloatArray,
        weights: Sequence[FloatArray] | None = None,
        *,
        max_rows: int,
    ) -> None:
        self._distinct = distinct_rows(batches)
        if self._distinct is not None:
            weights = total_weights(batches, self._distinct, weights)
            batches = [rows[first] for rows, first in zip(batches, self._distinct, strict=True)]
        batches = spread_over_grid(batches)
        self._gaussian: Reference = make_reference(batches, times, _relative(weights))
        self._forest: ForestReference = make_forest_reference(self._gaussian, max_rows)
        one = [np.zeros(len(batch), dtype=np.int64) for batch in batches]
        self._one_tree = float(forest_parts(self._forest, one).sum())
        self._results: dict[bytes, CodeLengths] = {}  # code lengths of labels, by their digest
        self._tested: dict[bytes, bool] = {}  # whether their clusters are clouds

    @property
    def n_rows(self) -> int:
        """Number of rows that the forest code uses."""
        return len(self._forest.rows)

    @property
    def rows(self) -> FloatArray:
        """All rows as they are encoded, (N, r): centered, and scaled to a mean variance of 1."""
        return self._gaussian.rows

    @property
    def has_copies(self) -> bool:
        """Whether most rows are copies of others; then only distinct rows are encoded."""
        return self._distinct is not None

    def lengths(self, labels: Sequence[IntArray], *, exclusive: bool = False) -> CodeLengths:
        """Compute both code lengths of a clustering. Rows with a negative label are noise.

        If there is strong evidence that a cluster has one row per step, the forest code does not encode the
        sizes of clusters. In the exclusive mode, single rows are no evidence. Many parameters have the same
        result, whose lengths are computed once.
        """
        if self._distinct is not None:
            labels = [np.asarray(ids)[first] for ids, first in zip(labels, self._distinct, strict=True)]
        digest = _digest(np.concatenate(labels))
        if digest not in self._results:
            self._results[digest] = self._lengths(labels)
        found = self._results[digest]
        if exclusive or found.single_rows < STRONG_EVIDENCE:
            return found._replace(single_rows=0.0)
        return found._replace(forest=found.forest - found.single_rows / self.n_rows)

    def _lengths(self, labels: Sequence[IntArray]) -> CodeLengths:
        gaussian = parts_up_to(self._gaussian, separate_noise(labels)).sum(axis=1)
        parts, likelihood = forest_up_to(self._forest, labels)
        forest = parts.sum(axis=1)
        sampled = sampled_labels(self._forest, labels)
        lengths = (float(gaussian[-1]), float(forest[-1]))
        walk, velocity = likelihood.T
        return CodeLengths(
            *lengths,
            self._count_extra(sampled),
            sampled,
            velocity_lead=float(velocity.max() - walk.max()),
            velocity_drift=FORECAST_DRIFTS[int(velocity.argmax())],
            single_rows=single_row_evidence(labels),
            up_to=(gaussian, forest),
        )

    def prefers_forest(self, results: Sequence[CodeLengths]) -> bool:
        """Return whether the forest code is used for the stream, from the best result of each code.

        Its best result must be shorter than one tree for all rows of a step: otherwise there are no gaps.
        Then the shorter of the two codes is used, with two exceptions. If there is strong evidence that each
        cluster has one row per step, clusters have no scatter for the Gaussian code. It may be shorter for
        one cluster of all rows, such as objects in a line. If clusters have shapes, that is, more edges than
        roots, the Gaussian code may be shorter because it splits them. There the forest code is used if there
        is strong evidence for its clusters, and those of the Gaussian code are pieces of them. Of clusters
        that touch, the forest code separates only some.
        """
        gaussian = min(results, key=lambda result: result.gaussian)
        forest = min(results, key=lambda result: result.forest)
        saved = self.n_rows * (self._one_tree - forest.forest)
        if saved <= 0.0 or forest.forest < gaussian.gaussian:
            return saved > 0.0
        if min(saved, forest.single_rows) >= STRONG_EVIDENCE:
            return True
        n_roots = forest.n_extra + len(self._forest.times)
        if self.n_rows <= 2 * n_roots or saved < STRONG_EVIDENCE:
            return False
        return self._are_pieces(gaussian.sampled, forest.sampled)

    def _are_pieces(self, sampled: IntArray | None, trees: IntArray | None) -> bool:
        """Return whether clusters are not clouds, and have no gaps between them within larger clusters."""
        if sampled is None or trees is None:
            return True
        digest, known = _digest(sampled), self._forest
        shortest = math.exp(known.first_log)
        if digest not in self._tested:
            self._tested[digest] = are_clouds(known.rows, sampled, known.starts, shortest)
        if self._tested[digest]:
            return False
        return not have_gaps(known.rows, sampled, trees, known.starts, shortest)

    def _count_extra(self, sampled: IntArray) -> int:
        has_id = sampled >= 0
        steps = np.repeat(np.arange(len(self._forest.times)), np.diff(self._forest.starts))[has_id]
        n_clusters = len(set(zip(steps.tolist(), sampled[has_id].tolist(), strict=True)))
        return n_clusters - len(set(steps.tolist()))


def single_row_evidence(labels: Sequence[IntArray]) -> float:
    """Return the evidence, in nats, that a cluster has one row per step; 0 if a cluster has two.

    It is the negative log probability that no two rows of a step have the same id by chance, if each row
    of a known id has any of the known ids with equal probability. New ids are no evidence: rows that have
    nothing in common would all be new. Noise has no id.
    """
    known: set[int] = set()
    evidence = 0.0
    for ids in labels:
        with_id = ids[ids >= 0].tolist()
        present = set(with_id)
        if len(present) < len(with_id):
            return 0.0
        n_known = len(present & known)
        evidence -= float(np.log1p(-np.arange(n_known) / max(len(known), 1)).sum())
        known |= present
    return evidence


def _relative(weights: Sequence[FloatArray] | None) -> Sequence[FloatArray] | None:
    """Divide weights by their mean."""
    if weights is None:
        return None
    mean = float(np.concatenate(weights).mean())
    return [each / mean for each in weights]


def _digest(ids: IntArray) -> bytes:
    return blake2b(ids.tobytes(), digest_size=16).digest()


def separate_noise(labels: Sequence[Any]) -> list[IntArray]:
    """Give every row of noise an id of its own, because the Gaussian code has no noise."""
    found = [np.asarray(ids) for ids in labels]
    if not any((ids < 0).any() for ids in found):
        return found
    fresh = max(int(ids.max(initial=0)) for ids in found) + 1
    separate = []
    for ids in found:
        noise = ids < 0
        n_noise = int(np.count_nonzero(noise))
        ids = ids.copy()
        ids[noise] = fresh + np.arange(n_noise)
        fresh += n_noise
        separate.append(ids)
    return separate
