"""Words and example texts of clusters over their lifetimes, from those of single steps."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from dynmeans._files.run_folder.format import CLUSTERS_TABLE, Table
from dynmeans._model.types import IntArray

N_WORDS = 8  # number of words per cluster in the report
N_EXAMPLES = 3  # number of texts per cluster in the report


def describe_texts(table: Table, ids: IntArray) -> dict[str, Any]:
    """Return the words and examples of each cluster, or nothing if the run has no texts.

    A word counts its weight of rows divided by its rank in each step, summed over steps. The examples are
    those of the steps with most rows.

    Parameters
    ----------
    table : Table
        One entry per step and cluster, as in clusters.csv.
    ids : ndarray of shape (K,)
        Clusters to describe.
    """
    if CLUSTERS_TABLE.texts[0] not in table:
        return {}
    described = [_describe(table, np.flatnonzero((table["id"] == k) & (table["weight"] > 0))) for k in ids]
    return {"words": [words for words, _ in described], "examples": [examples for _, examples in described]}


def _describe(table: Table, entries: IntArray) -> tuple[str, list[str]]:
    score: defaultdict[str, float] = defaultdict(float)
    for i in entries.tolist():
        for rank, word in enumerate(table["words"][i].split(), 1):
            score[word] += float(table["weight"][i]) / rank
    largest = entries[np.argsort(-table["weight"][entries], kind="stable")]
    texts = [table[name][i] for name in CLUSTERS_TABLE.texts[1:] for i in largest.tolist()]
    examples = [text for text in dict.fromkeys(texts) if text][:N_EXAMPLES]
    return " ".join(sorted(score, key=lambda word: -score[word])[:N_WORDS]), examples
