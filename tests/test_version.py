"""The version is written once, in pyproject.toml; requirements have lower bounds."""

import subprocess
import sys
from pathlib import Path

import dynmeans
from dynmeans import __version__

ROOT = Path(__file__).parents[1]


def test_the_changelog_has_a_section_for_the_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{__version__}]" in text


def test_the_package_lists_public_names_only():
    assert {"DMeans", "tune", "runs", "__version__"} <= set(dir(dynmeans))
    assert not {"Any", "TYPE_CHECKING"} & set(dir(dynmeans))
    assert all(name.startswith("__") or name in dynmeans.__all__ or name.islower() for name in dir(dynmeans))


def test_every_requirement_has_one_lower_bound():
    for arguments in ([], ["--build"]):
        command = [sys.executable, ROOT / "tools" / "lowest.py", *arguments]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        assert found
        assert all("==" in line for line in found)
