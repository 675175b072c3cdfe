"""Validate true and found objects with their similarities, and encode their ids as small integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynmeans.metrics._runs import (
    FloatArray,
    IntArray,
    batch_sizes,
    encode,
    read_ids,
    require_equal_steps,
    to_arrays,
)


class ObjectStep(NamedTuple):
    """The objects of one step."""

    true: IntArray  #         (n_true,)          codes of the true ids
    found: IntArray  #        (n_found,)         codes of the found ids
    similarity: FloatArray  # (n_true, n_found)  between 0 and 1


class ObjectSteps(NamedTuple):
    """The objects of a run, with ids as codes 0, 1, 2, ... by first appearance."""

    steps: list[ObjectStep]
    true_counts: IntArray  #  (true ids,)   number of steps with this id
    found_counts: IntArray  # (found ids,)

    @property
    def n_true(self) -> int:
        """Number of true objects, summed over steps."""
        return int(self.true_counts.sum())

    @property
    def n_found(self) -> int:
        """Number of found objects, summed over steps."""
        return int(self.found_counts.sum())


class SimilarPairs(NamedTuple):
    """Pairs of a true and a found id, sorted by true, then by found id."""

    true: IntArray  #   (pairs,)
    found: IntArray  #  (pairs,)
    total: FloatArray  # (pairs,)  sum of a value over steps


def read_objects(
    true_batches: Iterable[ArrayLike],
    found_batches: Iterable[ArrayLike],
    similarity_batches: Iterable[ArrayLike],
) -> ObjectSteps:
    """Check ids and similarities, and encode the ids."""
    true, found = read_ids(true_batches, "true_batches"), read_ids(found_batches, "found_batches")
    require_equal_steps(len(true), "true_batches", len(found), "found_batches")
    similarity = _read_similarities(similarity_batches, batch_sizes(true), batch_sizes(found))
    if not any(batch.size for batch in (*true, *found)):
        raise ValueError(f"no true and no found objects in {len(true)} batches; at least one is needed")
    for name, batches in (("true_batches", true), ("found_batches", found)):
        _require_unique(batches, name)
    true_codes, found_codes = _encode_batches(true), _encode_batches(found)
    steps = [ObjectStep(*step) for step in zip(true_codes, found_codes, similarity, strict=True)]
    return ObjectSteps(steps, _counts(true_codes), _counts(found_codes))


def sum_over_steps(run: ObjectSteps, codes: Sequence[IntArray], values: Sequence[FloatArray]) -> SimilarPairs:
    """Sum a value of pairs over all steps; `codes` are made by `pair_codes`."""
    code, inverse = np.unique(np.concatenate([*codes, np.empty(0, np.int64)]), return_inverse=True)
    total = np.bincount(inverse, np.concatenate([*values, np.empty(0)]), minlength=code.size)
    true, found = np.divmod(code, max(1, run.found_counts.size))
    return SimilarPairs(true, found, total.astype(np.float64))


def pair_codes(run: ObjectSteps, true: IntArray, found: IntArray) -> IntArray:
    """Encode pairs of a true and a found code as one integer each."""
    return true * max(1, run.found_counts.size) + found


def _read_similarities(
    batches: Iterable[ArrayLike], n_true: Sequence[int], n_found: Sequence[int]
) -> list[FloatArray]:
    similarities = to_arrays(batches, "similarity_batches", np.float64)
    require_equal_steps(len(n_true), "true_batches", len(similarities), "similarity_batches")
    return [
        _check_similarity(similarity, f"similarity_batches[{i}]", (n_true[i], n_found[i]))
        for i, similarity in enumerate(similarities)
    ]


def _check_similarity(similarity: FloatArray, name: str, shape: tuple[int, int]) -> FloatArray:
    if similarity.size == 0 and 0 in shape:
        return np.zeros(shape)
    if similarity.shape != shape:
        raise ValueError(
            f"{name} has shape {similarity.shape}; {shape[0]} true and {shape[1]} found ids need {shape}"
        )
    bad = ~((similarity >= 0) & (similarity <= 1))
    if bad.any():
        raise ValueError(f"{name} has the value {similarity[bad][0]}; similarities must be between 0 and 1")
    return similarity


def _require_unique(batches: Sequence[IntArray], name: str) -> None:
    for i, ids in enumerate(batches):
        values, counts = np.unique(ids, return_counts=True)
        if (counts > 1).any():
            raise ValueError(
                f"{name}[{i}] has the id {values[counts > 1][0]} more than once; an id appears at most once "
                "per step (objects_from_rows groups the rows of an object)"
            )


def _encode_batches(batches: Sequence[IntArray]) -> list[IntArray]:
    bounds = np.cumsum(batch_sizes(batches))[:-1]
    return np.split(encode(np.concatenate(batches)), bounds)


def _counts(batches: Sequence[IntArray]) -> IntArray:
    return np.bincount(np.concatenate(batches)).astype(np.int64)


def require_threshold(threshold: float) -> None:
    """Reject similarity thresholds outside of (0, 1]."""
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is {threshold}; it must be above 0 and at most 1")
