"""Checks of the scales of the features in the first rows of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynmeans._model.types import BoolArray, FloatArray
from dynmeans._tables.chunk import name_list
from dynmeans.estimators._diagnostics.row_checks import MIN_ROWS, check_scales


def warn_of_constant(is_constant: BoolArray, features: Sequence[str]) -> dict[str, str]:
    """Return a warning, by kind, if ``--standardize`` does not scale some features."""
    names = [repr(name) for name, is_one in zip(features, is_constant.tolist(), strict=True) if is_one]
    if not names:
        return {}
    verb, pronoun = ("is", "it is") if len(names) == 1 else ("are", "they are")
    return {
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
