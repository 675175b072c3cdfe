"""Tables in Markdown, and the numbers in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from dynmeans.experiments.results import Group
from dynmeans.model.types import FloatArray


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, its first column to the left and the others to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def with_interval(group: Group, number: str) -> str:
    """Mean over the trials and half the width of its 95% interval."""
    column = group.column(number)
    return f"{column.mean():.3f}{_half_width(column)}"


def difference(ours: Group, theirs: Group, number: str) -> str:
    """Mean of what we have more on the same streams, and half the width of its 95% interval."""
    seeds = sorted(ours.trials.keys() & theirs.trials.keys())
    more = np.array([ours.trials[seed][number] - theirs.trials[seed][number] for seed in seeds])
    return f"{more.mean():+.3f}{_half_width(more)}"


def _half_width(column: FloatArray) -> str:
    """By Student's t; nothing is known from one trial."""
    n = len(column)
    return f" ± {t.ppf(0.975, n - 1) * column.std(ddof=1) / np.sqrt(n):.3f}" if n > 1 else ""


def milliseconds(group: Group) -> str:
    """Processor time a step."""
    return f"{1e3 * group.mean('seconds'):.3g}"
