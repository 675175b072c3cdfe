from __future__ import annotations

import numpy as np
import pytest

from benchmarks.methods import MAKERS
from benchmarks.tracking import CHOSEN
from dynmeans.datasets import moving_gaussians


@pytest.mark.parametrize("name", MAKERS)
def test_every_method_labels_every_row_of_every_batch(name: str) -> None:
    stream = moving_gaussians(n_steps=3, random_state=0)
    tracker = MAKERS[name](**CHOSEN[name])
    for X, y in zip(stream.batches, stream.labels, strict=True):
        tracker.partial_fit(X, y)
        assert tracker.labels_.shape == (len(X),)
        assert tracker.labels_.dtype == np.int64
