"""Tables in Markdown, and the numbers in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynmeans.experiments.results import Group

STUDENT = 1.96  # standard errors to either side that hold the mean in 95% of the cases


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, its first column to the left and the others to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def with_interval(group: Group, number: str) -> str:
    """Mean over the trials and half the width of its 95% interval."""
    column = group.column(number)
    half = STUDENT * column.std(ddof=1) / np.sqrt(len(column)) if len(column) > 1 else np.nan
    return f"{column.mean():.3f} ± {half:.3f}"


def milliseconds(group: Group) -> str:
    """Processor time a step."""
    return f"{1e3 * group.mean('seconds'):.3g}"
