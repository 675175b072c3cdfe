"""The equations of the page about the sphere, and the tags in the source that implement them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TAG = re.compile(r"Eq\. \(?(sphere-[a-z-]+)\)?")


def tags(paths):
    return {tag for path in paths for tag in TAG.findall(path.read_text(encoding="utf-8"))}


def test_the_page_and_the_source_have_the_same_equations():
    page = ROOT / "docs/sphere.md"
    source = [*ROOT.glob("src/core/sphere/*.hpp"), *ROOT.glob("src/dynmeans/**/*.py")]
    numbered = re.findall(r"Eq\. \((sphere-[a-z-]+)\)", page.read_text(encoding="utf-8"))
    assert sorted(numbered) == sorted(set(numbered))
    assert set(numbered) == tags([page]) == tags(source)
