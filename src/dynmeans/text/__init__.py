"""Words and example texts of clusters."""

from dynmeans.text.examples import nearest_texts
from dynmeans.text.words import distinctive_words

__all__ = ["distinctive_words", "nearest_texts"]
