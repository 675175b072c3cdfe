"""Warnings about rows of the first batch whose squared distances do not separate clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynmeans._algorithms.batch import Rows
from dynmeans._algorithms.estimation.proposal import Proposal
from dynmeans._algorithms.estimation.sphere_birth_cost import SAMPLE as SPHERE_SAMPLE
from dynmeans._algorithms.estimation.sphere_birth_cost import chance_of, distinct_sample
from dynmeans._model.types import FloatArray, IntArray
from dynmeans._sampling import evenly_spaced
from dynmeans.estimators._parameters.metric_choice import MANY_FEATURES

SAMPLE = 1000  # rows
MIN_ROWS = 30  # fewer do not determine the spread of a feature
MAX_NAMES = 3  # features that a warning names
NO_EFFECT = 0.01  # share of the largest spread: 1/10,000 of the squared distances
STANDARDIZE = "standardize them (StandardScaler, or --standardize in the command)"
FEW_EXPLAINED = 0.5  # share of the variance that the clusters explain


def check_scales(rows: Rows, names: Sequence[str] | None = None) -> dict[str, str]:
    """Return a warning if a feature has hardly any effect on distances, because another has a larger unit."""
    n, d = rows.shape
    if n < MIN_ROWS or d < 2:
        return {}
    spreads: list[float] = _spreads(_sampled(rows)).tolist()
    varying = [spread for spread in spreads if spread > 0.0]
    if len(varying) < 2 or min(varying) >= NO_EFFECT * max(varying):
        return {}
    most = max(varying)
    small = [i for i, spread in enumerate(spreads) if 0.0 < spread < NO_EFFECT * most]
    shown = [spreads.index(most), *small[:MAX_NAMES]]
    ranges = ", ".join(f"{_name(i, names)} {spreads[i]:.3g}" for i in shown)
    return {
        "scale": f"the features differ in scale (range of the middle 80%: {ranges}), so "
        f"{_listed(small, names)} no effect on the clusters; if that is not intended, {STANDARDIZE}"
    }


def check_features(proposal: Proposal | None, names: Sequence[str] | None = None) -> dict[str, str]:
    """Return a warning if scaled features, or logarithms, have clearly better clusters."""
    if proposal is None:
        return {}
    if proposal.logarithms:
        return {
            "width": "clusters are wider where values are larger, so that small values are merged and large "
            f"ones are split; the logarithms of {_joined(proposal.logarithms, names)} have clearly better "
            "clusters: cluster them instead"
        }
    scales = proposal.scales
    return {
        "width": f"clusters are up to {max(scales) / min(scales):.2g} times as wide in one feature as in "
        "another, which hides clusters that differ in the narrow one, and features divided by these widths "
        f"have clearly better clusters: use feature_scales={scales}, or tune"
    }


def check_embeddings(rows: Rows, labels: IntArray) -> dict[str, str]:
    """Return a warning if rows have many features, and clusters by distance explain little of them.

    Embeddings of texts or pictures are like this: their lengths vary, and their directions are clustered.
    """
    n, d = rows.shape
    if n < MIN_ROWS or d < MANY_FEATURES:
        return {}
    share = _explained(_sampled(rows), labels[evenly_spaced(n, SAMPLE)])
    if share >= FEW_EXPLAINED:
        return {}
    common = chance_of(distinct_sample(rows, SPHERE_SAMPLE)).mean > 0.0
    advice = "subtract the mean row of the data and use" if common else "use"
    return {
        "embeddings": f"the rows have {d} features, and the clusters explain {share:.0%} of their variance; "
        f"if they are embeddings, {advice} metric='cosine'; metric='euclidean' avoids this warning"
    }


def _sampled(rows: Rows) -> FloatArray:
    some = rows if len(rows) <= SAMPLE else rows[evenly_spaced(len(rows), SAMPLE)]
    return np.asarray(some, dtype=np.float64)


def _spreads(sample: FloatArray) -> FloatArray:
    """Return the range of the middle 80% of each feature; outliers have no effect on it."""
    ordered = np.sort(sample, axis=0)  # `np.quantile` takes ten times as long for 75 rows
    tenth = round(0.1 * (len(sample) - 1))
    with np.errstate(over="ignore"):
        spreads: FloatArray = ordered[-1 - tenth] - ordered[tenth]
    return spreads


def _explained(sample: FloatArray, labels: IntArray) -> float:
    """Return the share of the variance between clusters."""
    _, slots, counts = np.unique(labels, return_inverse=True, return_counts=True)
    with np.errstate(over="ignore", invalid="ignore"):
        centered = sample - sample.mean(axis=0)
        sums = np.zeros((len(counts), sample.shape[1]))
        np.add.at(sums, slots, centered)
        total = float(np.sum(centered**2))
        between = float(np.sum(np.sum(sums**2, axis=1) / counts))
    return between / total if 0.0 < total < np.inf else 1.0


def _listed(features: Sequence[int], names: Sequence[str] | None) -> str:
    """Return the names of features and the verb, such as "'x', 'y', 'z' and 2 others have"."""
    return f"{_joined(features, names)} {'have' if len(features) > 1 else 'has'}"


def _joined(features: Sequence[int], names: Sequence[str] | None) -> str:
    """Return the names of features, such as "'x', 'y', 'z' and 2 others"."""
    words = [_name(feature, names) for feature in features[:MAX_NAMES]]
    n_others = len(features) - len(words)
    if n_others:
        words.append("1 other" if n_others == 1 else f"{n_others} others")
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def _name(feature: int, names: Sequence[str] | None) -> str:
    return f"X[:, {feature}]" if names is None else repr(str(names[feature]))
