"""The equation index and the tags in the source agree, one to one."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPER = ROOT.parent / "shared" / "paper" / "dynamic-means.tex"
INDEX = ROOT / "docs" / "equations.md"
SOURCES = [
    path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".pyi", ".hpp", ".cpp", ".inl"}
]

# With parentheses a claim, without them a mention; in double backticks it is about tags, not a tag.
TAG = re.compile(r"(?<!`)\b(Eq\.|Algorithm) \((\w+)\)")
ROW = re.compile(r"^\| (Eq\.|Algorithm) \((\w+)\) \|.*\| `(\w+)` in `(\S+)` \|$", re.MULTILINE)
PREFIX = {"Eq.": "eq", "Algorithm": "alg", "theorem": "thm", "algorithm": "alg"}
BEHIND = re.compile(r"^\| `(\w+)`(?: \((\w+)\))? \|", re.MULTILINE)
UNLABELLED = "reparameterization"  # the paper prints it without a label


def claims() -> list[tuple[str, str, Path]]:
    """Kind, label and file of every claim in the source."""
    found = ((TAG.findall(path.read_text(encoding="utf-8")), path) for path in SOURCES)
    return [(kind, label, path) for tags, path in found for kind, label in tags]


def index() -> list[tuple[str, str, str, str]]:
    """Kind, label, name and file of every line of the index."""
    return ROW.findall(INDEX.read_text(encoding="utf-8"))


def behind() -> list[str]:
    """Labels that the index lists as not implemented by code of their own."""
    part = INDEX.read_text(encoding="utf-8").partition("## Not implemented separately")[2]
    return [f"{PREFIX[kind or 'Eq.']}:{label}" for label, kind in BEHIND.findall(part)]


def implemented() -> list[str]:
    """Labels that the index lists as implemented."""
    return [f"{PREFIX[kind]}:{label}" for kind, label, *_ in index() if label != UNLABELLED]


def test_each_equation_is_claimed_once_in_the_source_and_listed_once() -> None:
    claimed = Counter((kind, label) for kind, label, _ in claims())
    twice = {
        tag: [str(p.relative_to(ROOT)) for *t, p in claims() if tuple(t) == tag]
        for tag, n in claimed.items()
        if n > 1
    }
    assert not twice, "claimed more than once: drop the parentheses where it is only a mention"
    assert sorted(claimed) == sorted((kind, label) for kind, label, *_ in index())


def test_the_index_names_the_file_and_the_function_of_each_claim() -> None:
    where = {(kind, label): path for kind, label, path in claims()}
    for kind, label, name, file in index():
        assert where[kind, label] == ROOT / file
        assert re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8")), f"{file} has no {name}"


def test_the_index_claims_no_missing_code() -> None:
    assert behind()
    assert not set(behind()) & {f"{PREFIX[kind]}:{label}" for kind, label, _ in claims()}


@pytest.mark.skipif(not PAPER.exists(), reason="the paper does not lie beside this repository")
def test_every_label_of_the_paper_is_in_the_index_once() -> None:
    labels = set(re.findall(r"\\label\{((?:eq|alg|thm):\w+)\}", PAPER.read_text(encoding="utf-8")))
    assert sorted(implemented() + behind()) == sorted(labels)
