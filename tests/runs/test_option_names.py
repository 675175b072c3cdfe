"""Messages of the estimators name options and columns."""

from __future__ import annotations

import pytest

from dynmeans.runs._option_names import as_options


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("birth_cost=3.5: use a smaller birth_cost", "--birth-cost 3.5: use a smaller --birth-cost"),
        ("use a larger reach, lifetime or birth_cost", "use a larger --reach, --lifetime or --birth-cost"),
        ("or motion='velocity'", "or --motion velocity"),
        ("or exclusive=True", "or --exclusive"),
        ("with refine=False", "with --no-refine"),
        ("got lifetime=3.0, reach=None", "got --lifetime 3.0, no --reach"),
        ("with feature_scales=(1.5, 20.0), so", "with --feature-scales 1.5,20.0, so"),
        ("lifetime must be above 1", "--lifetime must be above 1"),
        ("lifetime and reach make no difference", "lifetime and reach make no difference"),
        ("X[:, 1] is constant", "'speed' is constant"),
        ("X[:, 2] is constant", "feature 3 is constant"),
        ("standardize (StandardScaler, or --standardize in the command)", "standardize (--standardize)"),
    ],
)  # fmt: skip
def test_messages_name_options_and_columns(message: str, words: str) -> None:
    assert as_options(message, ["x", "speed"]) == words
    assert as_options(words, ["x", "speed"]) == words
