"""The version is written once, in pyproject.toml; what repeats it must agree."""

import re
from pathlib import Path

from dynmeans import __version__

ROOT = Path(__file__).parents[1]


def test_the_citation_has_the_version_of_the_package():
    found = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == __version__


def test_the_changelog_has_a_section_for_the_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{__version__}]" in text
