"""Words and example texts of clusters."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from dynmeans.text import distinctive_words, nearest_texts

WORDS = ["rain", "wind", "vote", "party", "the", "goal"]


@st.composite
def labeled_texts(draw):
    texts = draw(
        st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=12)
    )
    return texts, draw(st.lists(st.integers(-1, 2), min_size=len(texts), max_size=len(texts)))


def weights_by_hand(texts, labels):
    """The formula, word by word."""
    counts = {k: Counter() for k in sorted(set(labels) - {-1})}
    for text, k in zip(texts, labels, strict=True):
        if k >= 0:
            counts[k].update(text.split())
    everywhere = sum(counts.values(), Counter())
    mean = sum(everywhere.values()) / max(len(counts), 1)
    return {
        k: {w: n / sum(own.values()) * math.log(1 + mean / everywhere[w]) for w, n in own.items()}
        for k, own in counts.items()
    }


@given(labeled_texts())
@settings(max_examples=80, deadline=None)
def test_weights_are_those_of_the_formula(case):
    texts, labels = case
    expected = weights_by_hand(texts, labels)
    found = distinctive_words(texts, labels, n_words=100)
    assert {k: dict(words) for k, words in found.items()} == {
        k: pytest.approx(words) for k, words in expected.items()
    }
    for words in found.values():
        weights = [weight for _, weight in words]
        assert weights == sorted(weights, reverse=True)


def test_words_of_all_clusters_come_last():
    texts = ["the rain", "the wind and rain", "the vote", "the party and vote"]
    found = distinctive_words(texts, [0, 0, 1, 1], n_words=2)
    assert {k: words[0][0] for k, words in found.items()} == {0: "rain", 1: "vote"}
    assert all(len(words) == 2 for words in found.values())


def test_noise_and_clusters_without_words():
    assert distinctive_words(["rain", "a ?", "vote"], [0, 1, -1]) == {
        0: [("rain", pytest.approx(math.log(1.5)))],
        1: [],
    }
    assert distinctive_words(["?", ""], [0, 0]) == {0: []}
    assert distinctive_words([], []) == {}
    assert distinctive_words(["rain"], [-1]) == {}
    with pytest.raises(ValueError, match="labels must have one entry for each of 1 texts"):
        distinctive_words(["rain"], [0, 1])


def test_pairs_of_words_do_not_cross_texts():
    pairs = CountVectorizer(ngram_range=(2, 2))
    found = distinctive_words(["red wine", "white wine"], [0, 0], vectorizer=pairs)
    assert [word for word, _ in found[0]] == ["red wine", "white wine"]


def test_examples_are_the_nearest_distinct_texts():
    X = np.array([[0.0], [0.2], [0.1], [0.3], [9.0]])
    texts = ["a", "c", "b", "b", "far"]
    assert nearest_texts(texts, X, [0, 0, 0, 0, 4], [[0.1], [5.0], [9.0]], [0, 2, 4]) == {
        0: ["b", "a", "c"],
        4: ["far"],
    }


def test_examples_by_cosine_ignore_lengths():
    X = [[10.0, 0.0], [0.7, 0.7], [0.0, 0.0]]
    found = nearest_texts(
        ["east", "north-east", "nowhere"], X, [0, 0, 0], [[3.0, 0.5]], [0], 1, metric="cosine"
    )
    assert found == {0: ["east"]}
