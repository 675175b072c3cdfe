"""Code length of a clustered stream: a quality measure that needs no labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dynmeans._codes.gaussian_code import Reference, code_parts, make_reference, median_interval
from dynmeans.tuning._clustered_stream import read_clustered

__all__ = ["Reference", "code_length", "code_parts", "make_reference", "median_interval"]


def code_length(
    batches: Sequence[Any], labels: Sequence[Any], times: Sequence[float] | None = None, weights: Any = None
) -> float:
    """Compute the nats per point that encode the points and ids of a stream; lower is better.

    Only differences between clusterings of the same stream are meaningful. The result is invariant to scale,
    translation and rotation of the data.

    Parameters
    ----------
    batches : sequence of array-like of shape (n, d)
    labels : sequence of array-like of shape (n,)
        Id of every point.
    times : sequence of float, optional
        Event times; by default the interval between steps is 1.
    weights : sequence of array-like of shape (n,), optional
        A point of weight m counts as m points.

    Returns
    -------
    float

    Examples
    --------
    >>> from dynmeans.datasets import moving_gaussians
    >>> from dynmeans.tuning import code_length
    >>> stream = moving_gaussians(3, 20, noise=0.02, random_state=0)
    >>> one = [0 * labels for labels in stream.labels]
    >>> code_length(stream.batches, stream.labels) < code_length(stream.batches, one)
    True
    """
    stream = read_clustered(batches, labels, times, weights)
    reference = make_reference(stream.batches, stream.times, stream.weights)
    return float(sum(code_parts(reference, stream.labels)))
