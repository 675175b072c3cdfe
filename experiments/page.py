"""Puts the tables of the results into the page "The paper's experiments" (docs/experiments.md).

``python experiments/page.py`` rewrites what stands between the marks of the page; a test compares them.
"""

from __future__ import annotations

import re
from pathlib import Path

from dynmeans.experiments import EXPERIMENTS
from dynmeans.experiments.results import read_results

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "experiments.md"
RESULTS = ROOT / "experiments" / "results"
_MARKED = re.compile(r"(<!-- results: (\w+) -->\n).*?(\n<!-- end -->)", re.DOTALL)


def with_tables(text: str) -> str:
    """The page with the tables as the results have them now."""
    return _MARKED.sub(lambda found: found[1] + tables(found[2]) + found[3], text)


def tables(name: str) -> str:
    """What an experiment tells, and from how many trials."""
    experiment, results = EXPERIMENTS[name], read_results(RESULTS / f"{name}.json")
    return f"\n{experiment.tell(results)}\n"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
