"""Words that set a cluster apart: class-based TF-IDF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone


def distinctive_words(
    texts: Sequence[str], labels: Any, n_words: int = 10, *, vectorizer: Any = None
) -> dict[int, list[tuple[str, float]]]:
    """Return the words that set each cluster apart from the others, with their weights.

    All texts of a cluster count as one document. The weight of word w in cluster c is its class-based TF-IDF
    (Grootendorst 2022),

        tf(w, c) log(1 + A / f(w)),

    where tf(w, c) is the share of w among the words of the cluster, f(w) the number of times that w appears
    in all clusters, and A the mean number of words per cluster.

    Parameters
    ----------
    texts : sequence of str, of length n
    labels : array-like of shape (n,)
        Cluster of each text; texts with the label -1 are noise and are not used.
    n_words : int, default=10
        Maximum number of words per cluster.
    vectorizer : CountVectorizer, optional
        Splits and counts, for example with stop words or word pairs. By default words of two or more letters,
        in lower case.

    Returns
    -------
    dict
        Words with weights in descending order, by cluster. A cluster without words has an empty list.

    Examples
    --------
    >>> from dynmeans.text import distinctive_words
    >>> texts = ["rain and wind", "wind and flood", "vote and party", "the party wins"]
    >>> words = distinctive_words(texts, [0, 0, 1, 1], n_words=1)
    >>> {k: found[0][0] for k, found in words.items()}
    {0: 'wind', 1: 'party'}
    """
    clusters = np.asarray(labels)
    if clusters.shape != (len(texts),):
        raise ValueError(f"labels must have one entry for each of {len(texts)} texts, got {clusters.shape}")
    is_clustered = clusters >= 0
    names, which = np.unique(clusters[is_clustered], return_inverse=True)
    counts, words = _counts([texts[i] for i in np.flatnonzero(is_clustered).tolist()], vectorizer)
    members = csr_array((np.ones(len(which)), (which, np.arange(len(which)))), shape=(len(names), len(which)))
    weights = class_tf_idf(csr_array(members @ counts))
    return {int(name): _top(weights, k, words, n_words) for k, name in enumerate(names.tolist())}


def class_tf_idf(counts: csr_array) -> csr_array:
    """Return the weights (K, W) of words from their counts (K, W) in the clusters."""
    totals, everywhere = counts.sum(axis=1), counts.sum(axis=0)
    mean = float(totals.mean()) if len(totals) else 0.0
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    weights = counts.copy()
    weights.data = counts.data / totals[row] * np.log1p(mean / everywhere[counts.indices])
    return weights


def _counts(texts: list[str], vectorizer: Any) -> tuple[Any, Any]:
    """Return the counts (n, W) and the words (W,); no words at all are not an error here."""
    from sklearn.feature_extraction.text import CountVectorizer  # most runs have no texts

    counter = CountVectorizer() if vectorizer is None else clone(vectorizer)
    try:
        return counter.fit_transform(texts), counter.get_feature_names_out()
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        return csr_array((len(texts), 0)), np.empty(0, dtype=object)


def _top(weights: csr_array, k: int, words: Any, count: int) -> list[tuple[str, float]]:
    """Return the heaviest words of a cluster, ties in alphabetical order."""
    part = slice(*weights.indptr[k : k + 2])
    found = zip(words[weights.indices[part]], weights.data[part], strict=True)
    ordered = sorted(
        ((str(word), float(weight)) for word, weight in found), key=lambda pair: (-pair[1], pair[0])
    )
    return ordered[:count]
