"""The benchmarks lie beside the package, at the root of the repository."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)

for needed in ("river", "psutil", "matplotlib"):
    pytest.importorskip(needed, reason=f"the benchmarks need {needed}: pip install --group bench")
