"""The recipe for BERTopic on the page of topics, with the real package where it is installed."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import read_blocks, run_python

from dynmeans import DMeans

PAGE = Path(__file__).parents[2] / "docs" / "topics.md"
TRUTH = {"storm": "rain", "election": "vote", "football": "goal", "heat": "sun"}  # topic, and a word of it


@pytest.fixture(scope="module")
def bertopic() -> Any:
    return pytest.importorskip("bertopic")


@pytest.mark.filterwarnings("ignore")  # of other packages
def test_the_recipe_keeps_topics_and_their_words(
    bertopic: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in read_blocks(PAGE):
        if block.language == "python" and "read_run" not in block.code:
            run_python(block, PAGE, names)
    recipe = re.search(r"```\{code-block\} python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert recipe is not None
    exec(recipe[1], names)
    topics, model = names["topics"], names["topic_model"]
    found = [{w for w, _ in model.get_topic(topic)} for topic in np.unique(topics)]
    assert len(found) == len(TRUTH)
    for words in names["vocabulary"].values():
        assert sum(len(set(words) & own) >= 5 for own in found) == 1
    assert dict(model.topic_sizes_) == dict(Counter(topics.tolist()))


@pytest.mark.filterwarnings("ignore")
def test_its_topic_mapper_renumbers_ids_that_are_born_together(bertopic: Any) -> None:
    from bertopic.backend import BaseEmbedder
    from bertopic.dimensionality import BaseDimensionalityReduction
    from bertopic.vectorizers import OnlineCountVectorizer

    clusterer = DMeans(birth_cost=1.0, random_state=0)
    model = bertopic.BERTopic(
        embedding_model=BaseEmbedder(),
        umap_model=BaseDimensionalityReduction(),
        hdbscan_model=clusterer,
        vectorizer_model=OnlineCountVectorizer(),
    )
    for n in (15, 17):  # 15 clusters at first, then two more
        X = 10.0 * np.repeat(np.arange(n), 3)[:, None] + np.tile([0.0, 0.1, 0.2], n)[:, None]
        model.partial_fit([f"word{row // 3} common" for row in range(3 * n)], X)
    mapping = model.topic_mapper_.get_mappings()
    assert sorted(mapping) == sorted(mapping.values()) == list(range(17))
    assert all(mapping[k] == k for k in range(15))
    assert model.topics_ == [mapping[k] for k in clusterer.labels_]
    for k, row in enumerate(clusterer.labels_[::3]):
        assert model.get_topic(mapping[row])[0][0] == f"word{k}"
