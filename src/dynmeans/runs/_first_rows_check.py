"""Checks of the scales of the features in the first rows of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynmeans._model.types import BoolArray, FloatArray
from dynmeans._tables.chunk import name_list
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


class FirstRowsCheck:
    """Collect the first rows, which may be of several steps, and check the scales of their features once.

    Parameters
    ----------
    features : sequence of str
        Names of the columns, for the warnings.
    """

    def __init__(self, features: Sequence[str]) -> None:
        self.warnings: dict[str, str] = {}  # by kind
        self._features = features
        self._rows: list[FloatArray] | None = []  # None after the check

    def add(self, X: FloatArray) -> None:
        """Add the rows of a step; check them when there are enough."""
        if self._rows is None:
            return
        self._rows.append(X)
        rows = np.concatenate(self._rows)
        if len(rows) >= MIN_ROWS:
            self.warnings = check_scales(rows, self._features)
            self._rows = None
