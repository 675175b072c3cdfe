"""The units in which the rows of a run are clustered, and checks of the scales of their features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynmeans._model.types import BoolArray, FloatArray
from dynmeans._tables.chunk import name_list
from dynmeans._tables.standardize import Scale, learn_scale
from dynmeans._tables.time_steps.batches import WindowBatch
from dynmeans.estimators._diagnostics.row_checks import MIN_ROWS, check_scales


def warn_of_scale(is_constant: BoolArray, n_rows: int, features: Sequence[str]) -> dict[str, str]:
    """Return warnings, by kind, about the scales of ``--standardize``.

    Parameters
    ----------
    is_constant : ndarray of shape (d,)
        Whether all rows of the first step are equal in a feature, so that it is not scaled.
    n_rows : int
        Rows of the first step.
    features : sequence of str
        Names of the features.
    """
    found = {}
    if n_rows < MIN_ROWS and not is_constant.all():
        found["few"] = (
            f"the first step has only {n_rows} rows, from which --standardize takes the scale of "
            "every feature; use longer steps (--every), or --feature-scales"
        )
    names = [repr(name) for name, is_one in zip(features, is_constant.tolist(), strict=True) if is_one]
    if not names:
        return found
    verb, pronoun = ("is", "it is") if len(names) == 1 else ("are", "they are")
    return found | {
        "constant": f"{name_list(names)} {verb} constant in the first step, so {pronoun} not scaled by "
        "--standardize; use --feature-scales"
    }


class RowScaling:
    """The units in which the rows of a run are clustered, and warnings about the scales of their features.

    With ``--standardize``, the first batch with rows sets the scale of all rows. Otherwise the scales of the
    first rows, which may be of several steps, are checked once.

    Parameters
    ----------
    features : sequence of str
        Names of the columns, for the warnings.
    standardize : bool
    is_checked : bool
        Whether the scales are checked if the rows are not standardized.
    scale : Scale or None
        The scale, if earlier rows have set it.
    """

    def __init__(
        self, features: Sequence[str], *, standardize: bool, is_checked: bool, scale: Scale | None = None
    ) -> None:
        self.scale = scale
        self.warnings: dict[str, str] = {}  # by kind
        self._features, self._standardize = features, standardize
        self._first_rows: list[FloatArray] | None = [] if is_checked and not standardize else None

    def apply(self, batch: WindowBatch) -> FloatArray:
        """Return the rows of a batch in the units in which they are clustered."""
        if self._first_rows is not None:
            self._first_rows.append(batch.X)
            self._check_if_enough(np.concatenate(self._first_rows))
        if self._standardize and self.scale is None and len(batch.X):
            self.scale, is_constant = learn_scale(batch.X, batch.weights)
            self.warnings = warn_of_scale(is_constant, len(batch.X), self._features)
        return batch.X if self.scale is None else self.scale.apply(batch.X)

    def _check_if_enough(self, rows: FloatArray) -> None:
        if len(rows) >= MIN_ROWS:
            self.warnings = check_scales(rows, self._features)
            self._first_rows = None
