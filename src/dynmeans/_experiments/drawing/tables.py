"""Tables in Markdown, and the numbers in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from dynmeans._experiments.results import Group
from dynmeans._model.types import FloatArray


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table; the first column is left-aligned, the others right-aligned."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def with_interval(group: Group, number: str) -> str:
    """Format the mean over the trials and half the width of its 95% interval."""
    column = group.column(number)
    return f"{column.mean():.3f}{_plus_minus(column)}"


def mean_difference(ours: Group, theirs: Group, number: str) -> str:
    """Format the mean difference on the same streams, and half the width of its 95% interval."""
    more = excess(ours, theirs, number)
    return f"{more.mean():+.3f}{_plus_minus(more)}"


def share(ours: Group, theirs: Group, number: str) -> str:
    """Format the ratio of means on the same streams in percent, and half its 95% interval."""
    ratio = ours.mean(number) / theirs.mean(number)
    rest = (ours.column(number) - ratio * theirs.column(number)) / theirs.mean(number)
    half = half_width(rest)
    return f"{100 * ratio:.1f}%" + (f" ± {100 * half:.1f}%" if np.isfinite(half) else "")


def excess(ours: Group, theirs: Group, number: str) -> FloatArray:
    """Compute the difference on each common stream."""
    seeds = sorted(ours.trials.keys() & theirs.trials.keys())
    return np.array([ours.trials[seed][number] - theirs.trials[seed][number] for seed in seeds])


def half_width(column: FloatArray) -> float:
    """Compute half the 95% interval of a mean, by Student's t; infinite for one trial."""
    n = len(column)
    return float(t.ppf(0.975, n - 1) * column.std(ddof=1) / np.sqrt(n)) if n > 1 else np.inf


def _plus_minus(column: FloatArray) -> str:
    half = half_width(column)
    return f" ± {half:.3f}" if np.isfinite(half) else ""


def milliseconds(group: Group) -> str:
    """Format the processor time per step."""
    return f"{1e3 * group.mean('seconds'):.3g}"
