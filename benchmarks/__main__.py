"""``python -m benchmarks [NAME...] [--quick] [--out DIR]``: measure, print the table, write the JSON."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks import report
from benchmarks.clock import timed
from benchmarks.rows import Row

NAMES = (
    *(
        "small",
        "detections",
        "medium",
        "assign",
        "wide",
        "memory",
        "scaling",
        "tracking",
        "peers",
        "pedestrians",
    ),
    *(
        "rings",
        "spectral",
        "million",
        "processes",
        "tuning",
        "persistent_ids",
        "windows",
        "video",
        "people",
        "field",
        "keyed",
        "faiss_passes",
        "threads",
    ),
)
DRAWING = ("scaling", "million")
RESULTS = Path(__file__).with_name("results")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all or the named benchmarks; stop at the first failure."""
    options = parse(arguments)
    results: dict[str, list[Row]] = {}
    for name in options.names or NAMES:
        time, results[name] = timed(partial(measure, name, options))
        print(report.table(f"{name} ({time:.0f} s)", results[name]), flush=True)
    print(report.summary(results))
    print(f"\n{report.write_json(results, options.out)}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=report.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)}; all by default")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, as a smoke test")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the JSON and the plot")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(NAMES))
    if unknown:
        parser.error(f"unknown benchmark {', '.join(unknown)}; choose from {', '.join(NAMES)}")
    return options


def measure(name: str, options: argparse.Namespace) -> list[Row]:
    """Run one benchmark; those with figures get the output folder."""
    module = importlib.import_module(f"benchmarks.{name}")
    where = {"out": options.out} if name in DRAWING else {}
    rows: list[Row] = module.run(options.quick, **where)
    return rows


if __name__ == "__main__":
    main()
