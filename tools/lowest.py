"""Print the lower bounds in `pyproject.toml` as exact versions, which `make test-oldest` installs.

Usage: ``python tools/lowest.py`` prints the requirements of the package, its extras and its tests;
``python tools/lowest.py --build`` prints those of the build.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
GROUPS = ("test", "bench")  # what the test suite needs


def lowest(requirements: Iterable[str], own_name: str = "") -> Iterator[str]:
    """Yield each requirement with its lower bound as the only version, except those on the package.

    Raises
    ------
    ValueError
        If a requirement has no lower bound, or more than one.
    """
    for requirement in map(Requirement, requirements):
        if requirement.name == own_name:
            continue
        bounds = [bound.version for bound in requirement.specifier if bound.operator == ">="]
        if len(bounds) != 1:
            raise ValueError(f"{requirement} must have exactly one lower bound, got {bounds}")
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        marker = f"; {requirement.marker}" if requirement.marker else ""
        yield f"{requirement.name}{extras}=={bounds[0]}{marker}"


def main() -> None:
    """Print one requirement per line."""
    table = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    project, groups = table["project"], table["dependency-groups"]
    if "--build" in sys.argv[1:]:
        found = table["build-system"]["requires"]
    else:
        parts = [*project["optional-dependencies"].values(), *(groups[name] for name in GROUPS)]
        found = chain(project["dependencies"], *parts)
    print(*lowest(found, project["name"]), sep="\n")


if __name__ == "__main__":
    main()
