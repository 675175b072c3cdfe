"""Draw the figures again and put the tables into the page "The paper's experiments" (docs/experiments.md).

``python experiments/page.py`` uses the results as they are, also those of an unfinished run. It rewrites the
text between the marks of the page; a test compares them.
"""

from __future__ import annotations

import re
from pathlib import Path

from dynmeans._experiments import find_experiment
from dynmeans._experiments.results import read_results
from dynmeans._experiments.runner import draw_experiment

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "experiments.md"
RESULTS = ROOT / "experiments" / "results"
_MARKED = re.compile(r"(<!-- results: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(text: str) -> str:
    """Return the page with the current tables."""
    return _MARKED.sub(lambda found: found[1] + tables(found[2]) + found[3], text)


def tables(name: str) -> str:
    """Return the tables of an experiment."""
    return f"\n{find_experiment(name).summarize(read_results(RESULTS / f'{name}.json'))}\n\n"


if __name__ == "__main__":
    for path in RESULTS.glob("*.json"):
        draw_experiment(find_experiment(path.stem), read_results(path), RESULTS)
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
