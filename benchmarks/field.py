"""``python -m benchmarks.field``: persistent ids on recorded streams, dynmeans and its baselines in one run.

The streams are in ``../shared/data/field``, in the folder of `--data` or in that of the environment variable
DYNMEANS_FIELD. Parameters of the baselines were chosen with labels on these streams (`--choose`); the methods
of dynmeans see no labels.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from sklearn.metrics import normalized_mutual_info_score
from threadpoolctl import threadpool_limits

from benchmarks import field_methods
from benchmarks.field_methods import Method, choose, parameters, select
from benchmarks.field_streams import EMBEDDINGS, FieldStream, folder_of, read_streams, shortened
from benchmarks.rows import Row, better
from dynmeans.metrics import hota, identity_f1, identity_switches, idf1, objects_from_rows

WHAT = "identity F1 on field streams: people, point clouds, radar, detections, objects and text"
PEER = "the best baseline of each kind, with parameters chosen with labels on these streams"
TARGET = "0.40 to 0.75 with defaults, 0.55 to 0.90 after `tune` without labels; the baseline on detections"

TARGETS = {
    "DMeans()": {"people_single": 0.75, "people_five": 0.75, "kitti": 0.65, "radar": 0.40},
    "tune": {"people_single": 0.90, "people_five": 0.85, "kitti": 0.70, "radar": 0.55},
}
QUICK_STEPS = 8
DRAWS = {
    "people_single": 30,
    "detections": 20,
    "people_five": 20,
    "radar": 12,
    "objects": 10,
    "kitti": 8,
    "text": 10,
}
OURS = {method.name for method in field_methods.METHODS if method.is_ours}
HEADER = ("stream", "method", "identity F1", "IDF1", "HOTA", "ids", "switches", "seconds")  # or NMI for HOTA


class Score(NamedTuple):
    """Scores of one method on one stream."""

    kind: str
    stream: str
    n_true: int  # number of true ids
    method: str
    identity_f1: float  # of rows
    idf1: float  # of objects
    agreement: float  # HOTA of tracked objects; normalized mutual information (NMI) of rows with embeddings
    n_ids: int
    switches: int
    seconds: float  # processor time for the whole stream, including tuning

    def cells(self) -> tuple[str, ...]:
        """Format the columns of `HEADER`."""
        counts = (f"{self.n_ids:,}", f"{self.switches:,}", f"{self.seconds:.2f}")
        name = f"{self.stream} ({self.n_true})"
        scores = (f"{self.identity_f1:.3f}", f"{self.idf1:.3f}", f"{self.agreement:.3f}")
        return (name, self.method, *scores, *counts)


def run(quick: bool) -> list[Row]:
    """Compare the mean identity F1 of each kind with that of the best baseline."""
    folder = folder_of()
    if not folder.is_dir():
        return [Row("field: skipped", note=f"no data in {folder}")]
    streams = read_streams(folder)
    if quick:
        streams = [shortened(stream, QUICK_STEPS) for stream in streams if stream.kind not in EMBEDDINGS]
    words = [name for name in field_methods.names() if not (quick and name.startswith("tune"))]
    scores = list(evaluate(streams, words))
    return [row for kind in dict.fromkeys(s.kind for s in streams) for row in _rows(kind, scores)]


def _rows(kind: str, scores: Sequence[Score]) -> Iterator[Row]:
    means = mean_by_method([score for score in scores if score.kind == kind])
    best = max(means.keys() - OURS, key=lambda name: means[name])
    for name in means:
        if name in OURS:
            target = TARGETS.get(name, {}).get(kind)
            if kind == "detections" and name == "tune":
                target = means["Kalman + Hungarian"]
            yield better(f"{kind}: {name} / {best}", means[name], means[best], target)


def mean_by_method(scores: Sequence[Score]) -> dict[str, float]:
    """Compute the mean identity F1 over streams."""
    names = dict.fromkeys(score.method for score in scores)
    return {n: float(np.mean([s.identity_f1 for s in scores if s.method == n])) for n in names}


def evaluate(streams: Sequence[FieldStream], words: Sequence[str] = ()) -> Iterator[Score]:
    """Run all installed methods whose names contain one of the words on all streams."""
    for stream in streams:
        for method in select(stream.kind, words):
            if method.is_installed:
                yield score(stream, method)


def score(stream: FieldStream, method: Method) -> Score:
    """Run one method on one stream, on one thread."""
    params = parameters(stream.kind, method)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scores show what the warnings are about
        start = process_time()
        found = method.run(stream.frames, **params)
        seconds = process_time() - start
    objects = objects_from_rows(stream.true, found)
    is_embedded = stream.kind in EMBEDDINGS
    return Score(
        kind=stream.kind,
        stream=stream.name,
        n_true=len(np.setdiff1d(np.concatenate(stream.true), [-1])),
        method=method.name,
        identity_f1=identity_f1(stream.true, found, clutter=-1),
        idf1=idf1(*objects).idf1,
        agreement=nmi(stream.true, found) if is_embedded else hota(*objects).hota,
        n_ids=len(np.setdiff1d(np.concatenate(found), [-1])),
        switches=identity_switches(stream.true, found, clutter=-1),
        seconds=seconds,
    )


def nmi(true: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> float:
    """Return the normalized mutual information of true and found ids over all rows of a stream."""
    return float(normalized_mutual_info_score(np.concatenate(true), np.concatenate(found)))


def table(scores: Sequence[Score]) -> str:
    """Format the scores of one kind as a Markdown table."""
    is_embedded = scores[0].kind in EMBEDDINGS
    header = ["NMI" if is_embedded and name == "HOTA" else name for name in HEADER]
    return _markdown([header, *(one.cells() for one in scores)])


def summary(scores: Sequence[Score]) -> str:
    """Format the mean identity F1 of each kind: the best baseline, and every method of dynmeans."""
    ours = [name for name in field_methods.names() if name in {s.method for s in scores} & OURS]
    lines = [("kind", "best baseline", "", *ours)]
    for kind in dict.fromkeys(score.kind for score in scores):
        means = mean_by_method([score for score in scores if score.kind == kind])
        best = max(means.keys() - OURS, key=lambda name: means[name], default="")
        cells = [f"{means[name]:.3f}" if name in means else "" for name in (best, *ours)]
        lines.append((kind, best, *cells))
    return _markdown(lines)


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    """Align a table; the first two columns are words, the others numbers."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ["| " + " | ".join(_aligned(line, widths)) + " |" for line in lines]
    rule = "|" + "|".join("-" * (w + 1) + ("-" if i < 2 else ":") for i, w in enumerate(widths)) + "|"
    return "\n".join([text[0], rule, *text[1:]])


def _aligned(line: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for i, (cell, width) in enumerate(zip(line, widths, strict=True)):
        yield cell.ljust(width) if i < 2 else cell.rjust(width)


def choose_all(streams: Sequence[FieldStream], words: Sequence[str], path: Path) -> None:
    """Choose the parameters of the baselines with labels, and write them."""
    warnings.simplefilter("ignore")
    for kind, group in groupby(streams, key=lambda stream: stream.kind):
        of_kind = list(group)
        for method in select(kind, words):
            if not method.is_ours and method.is_installed:
                params = choose(method, of_kind, DRAWS[kind])
                print(kind, method.name, params, flush=True)
                field_methods.write_parameters(path, kind, method.name, params)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table per kind of stream."""
    options = parse(arguments)
    folder = folder_of(options.data)
    streams = read_streams(folder, options.only)
    if not streams:
        raise SystemExit(f"no streams in {folder}; pass their folder by --data")
    if options.choose:
        choose_all(streams, options.methods, field_methods.CHOSEN)
        return
    missing = {m.needs for m in field_methods.METHODS if not m.is_installed}
    if missing:
        print(f"not installed and left out: {', '.join(sorted(missing))}")
    scores: list[Score] = []
    for kind, group in groupby(streams, key=lambda stream: stream.kind):
        scores += (of_kind := list(evaluate(list(group), options.methods)))
        print(f"\n## {kind}\n\n{table(of_kind)}", flush=True)
    print(f"\n## Mean identity F1\n\n{summary(scores)}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field", description=__doc__)
    for option, metavar, words in (
        ("--only", "KIND[/STREAM]", "some streams; all by default"),
        ("--methods", "WORD", "methods whose names contain one of the words; all by default"),
    ):
        parser.add_argument(option, nargs="+", default=[], metavar=metavar, help=words)
    parser.add_argument("--data", type=Path, help="folder of the streams")
    parser.add_argument(
        "--choose", action="store_true", help="choose the parameters of the baselines with labels instead"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
