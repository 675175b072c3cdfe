"""Check the output of `make dist`: contents and size of both archives, and that the installed wheel works.

Usage: ``python tools/check_dist.py FOLDER``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

SOURCES = (".hpp", ".inl", ".cpp")
LARGEST = 3 * 2**20  # bytes of the source distribution: neither results nor pictures
EXAMPLE = "import dynmeans; print(dynmeans.DMeans(1.0).fit_predict([[0.0], [9.0]]), dynmeans.__version__)"


def main(folder: Path) -> None:
    """Raise if an archive is not as it should be."""
    (sdist,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    check_sdist(sdist)
    check_wheel(wheel)
    check_installation(wheel)
    print(f"{sdist.name}: {sdist.stat().st_size:,} bytes; {wheel.name}: {wheel.stat().st_size:,} bytes")


def check_sdist(path: Path) -> None:
    """All that a build needs, and nothing large."""
    with tarfile.open(path) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    for name in ("pyproject.toml", "CMakeLists.txt", "LICENSE"):
        require(name in names, f"{path.name} lacks {name}")
    core = {path.as_posix() for path in Path("src/core").rglob("*") if path.suffix in SOURCES}
    require(core and core <= set(names), f"{path.name} lacks {sorted(core - set(names))[:3]}")
    large = [name for name in names if name.startswith(("experiments/results", "benchmarks/results"))]
    require(not large, f"{path.name} holds results: {large[:3]}")
    size = path.stat().st_size
    require(size <= LARGEST, f"{path.name} has {size:,} bytes, more than {LARGEST:,}")


def check_wheel(path: Path) -> None:
    """No source of the core, but its type hints and their marker."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    sources = [name for name in names if name.endswith(SOURCES)]
    require(not sources, f"{path.name} holds C++ sources: {sources[:3]}")
    for name in ("dynmeans/py.typed", "dynmeans/_core.pyi"):
        require(name in names, f"{path.name} lacks {name}")


def check_installation(wheel: Path) -> None:
    """Install from the wheel where no compiler can be found, and run it."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        environment = os.environ | {"PATH": str(python.parent), "CC": "none", "CXX": "none"}
        install = [python, "-m", "pip", "install", "-q", "--only-binary", ":all:", wheel.resolve()]
        for command in (install, [python, "-c", EXAMPLE], [python.with_name("dynmeans"), "--version"]):
            subprocess.run(command, cwd=folder, env=environment, check=True)


def require(holds: object, message: str) -> None:
    """Exit with a message unless a condition holds."""
    if not holds:
        sys.exit(message)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
