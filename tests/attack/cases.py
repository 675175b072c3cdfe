"""Command lines that write, each with its inputs, and its undisturbed output."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from air_traffic import as_rows, small_week, write_csv
from attack.server import CUT, KILL, Server, Strike, events_of, log_of
from clips import pictures, write_clip
from point_files import contents, write_points

LINE = ["--birth-cost", "0.06", "--standardize", "--time", "when", "--every", "1min"]
NEVER = 1e9  # seconds between two saves
OUT = "out"


class Case(NamedTuple):
    """One command line, run in a folder of its own."""

    prepare: Callable[[Path, Server], object]  # writes the inputs
    line: list[str]
    resumes: bool  # whether the same command reports that the run is complete
    equal: tuple[str, ...] = ("",)  # ends of the names of files that are equal each time; pictures are not


def _csv(folder: Path, server: Server) -> None:
    write_points(folder / "points.csv")


def _nothing(folder: Path, server: Server) -> None:
    """No input."""


def _npy(folder: Path, server: Server) -> None:
    np.save(folder / "points.npy", np.random.default_rng(0).normal(size=(60, 2)))


def _two_days(folder: Path, server: Server) -> None:
    """A second day that continues the model of the first, of which the folder stays as it is."""
    write_points(folder / "day1.csv", steps=6)
    write_points(folder / "points.csv", first=6, steps=6)
    line = ["cluster", "day1.csv", *LINE, "--out", "day1", "--state", "state"]
    code = server.wait(server.start(line, folder, NEVER))
    if code:
        raise RuntimeError(log_of(folder))


def _old_run(folder: Path, server: Server) -> None:
    """A folder with a run of other rows, to be overwritten."""
    write_points(folder / "points.csv")
    write_points(folder / "old.csv", seed=7)
    server.wait(server.start(["cluster", "old.csv", *LINE, *RESULT], folder, NEVER))


def _frames(folder: Path, server: Server) -> None:
    rng = np.random.default_rng(0)
    (folder / "frames").mkdir()
    for i in range(4):
        people = rng.normal(0, 0.1, (2, 30, 3)) + np.array([[[i * 0.1, 0, 1]], [[3, 3 - i * 0.1, 1]]])
        np.save(folder / "frames" / f"{i}.npy", people.reshape(-1, 3))


def _week(folder: Path, server: Server) -> None:
    write_csv(as_rows(small_week()), folder / "week.csv")


def _keys(folder: Path, server: Server) -> None:
    lines = write_points(folder / "points.csv").read_text().split("\n")
    keyed = [line.replace(",w", f",key {index % 3}") for index, line in enumerate(lines[1:])]
    (folder / "points.csv").write_text("\n".join([lines[0], *keyed]))


def _texts(folder: Path, server: Server) -> None:
    """Texts, and their embeddings in a list column and in an NPY file."""
    vectors = np.random.default_rng(0).normal(size=(60, 8)) + 3 * np.eye(8)[np.arange(60) % 3]
    words = ["red apple", "green tea", "blue sky"]
    rows = [{"day": i // 10, "e": vector.tolist(), "text": words[i % 3]} for i, vector in enumerate(vectors)]
    (folder / "texts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    np.save(folder / "vectors.npy", vectors)


def _finished(folder: Path, server: Server) -> None:
    """A finished run, of which the report is drawn again."""
    write_points(folder / "points.csv")
    server.wait(server.start(["cluster", "points.csv", *LINE, *RESULT, "--no-report"], folder, NEVER))


def _clip(folder: Path, server: Server) -> None:
    (folder / OUT).mkdir()
    write_clip(folder / "clip.mkv", pictures(3))


RESULT = ["--out", OUT]
CLUSTER = ["--state", "state", *RESULT]
TEXTS = ["cluster", "texts.jsonl", "--time", "day", "--text", "text", "--metric", "cosine"]
VIDEO = ["--palette", f"{OUT}/palette.csv", "--preview", f"{OUT}/preview.png", "--codec", "ffv1"]
GEOGRAPHY = (".jsonl", ".geojson")
CASES = {
    "csv": Case(_csv, ["cluster", "points.csv", *LINE, *CLUSTER], True),
    "npy": Case(_npy, ["cluster", "points.npy", "--every", "5rows", "--birth-cost", "1", *CLUSTER], True),
    "second day": Case(_two_days, ["cluster", "points.csv", *LINE, *CLUSTER], True),
    "overwrite": Case(_old_run, ["cluster", "points.csv", *LINE, *CLUSTER, "--force"], True),
    "points": Case(_frames, ["points", "frames", "--rate", "10", "--force", *RESULT], False),
    "automatic": Case(_csv, ["cluster", "points.csv", "--time", "when", "--every", "1min", *CLUSTER], True),
    "exclusive": Case(
        _csv, ["cluster", "points.csv", *LINE, "--exclusive", "--min-hits", "2", *CLUSTER], True
    ),
    "by": Case(_keys, ["cluster", "points.csv", *LINE, "--by", "word", *CLUSTER], True),
    "lists": Case(_texts, [*TEXTS, "--embedding", "e", *CLUSTER], True),
    "vectors": Case(_texts, [*TEXTS, "--embedding", "vectors.npy", *CLUSTER], True),
    "report": Case(_finished, ["report", OUT], False),
    "video": Case(
        _clip, ["video", "clip.mkv", f"{OUT}/small.mkv", *VIDEO, "--force"], False, (".csv", ".png")
    ),
    "demo": Case(_nothing, ["demo", "--force", *RESULT], False, (".csv", ".jsonl")),
    "flights": Case(_week, ["flights", "week.csv", "--force", *RESULT], False, GEOGRAPHY),
    "tune": Case(
        _csv,
        ["tune", "points.csv", "--time", "when", "--every", "1min", "--trials", "3", "--force", *RESULT],
        False,
        GEOGRAPHY,
    ),
}
QUICK = (
    "csv",
    "npy",
    "second day",
    "overwrite",
    "points",
    "automatic",
    "by",
    "vectors",
    "report",
)  # well under a second each


class Whole(NamedTuple):
    """A case that was not disturbed."""

    folder: Path  # inputs only
    files: dict[str, bytes]  # its output
    events: int  # number of write operations


class Arena:
    """Folders for all cases, and the server that runs them."""

    def __init__(self, root: Path, server: Server) -> None:
        self.root, self.server = root, server
        self._wholes: dict[str, Whole] = {}
        self._count = 0

    def whole(self, name: str) -> Whole:
        """Inputs and undisturbed result of a case."""
        if name not in self._wholes:
            inputs = self.root / f"inputs {name}"
            inputs.mkdir()
            CASES[name].prepare(inputs, self.server)
            self._wholes[name] = Whole(inputs, {}, 0)
            folder = self.fresh(name)
            code = self.run(name, folder, NEVER)
            if code:
                raise RuntimeError(f"{name}: undisturbed, status {code}: {log_of(folder)}")
            self._wholes[name] = Whole(inputs, results(folder, name), events_of(folder))
        return self._wholes[name]

    def fresh(self, name: str) -> Path:
        """A new folder with the inputs of a case."""
        self._count += 1
        folder = self.root / f"attempt{self._count}"
        shutil.copytree(self.whole(name).folder, folder)
        return folder

    def run(self, name: str, folder: Path, pause: float, strike: Strike = Strike()) -> int:  # noqa: B008
        """Exit code of a case in a folder."""
        return self.server.wait(self.server.start(CASES[name].line, folder, pause, strike))

    def check(self, name: str, folder: Path) -> str:
        """Run a case to its end; return the error in the result, or an empty text."""
        code = self.run(name, folder, NEVER)
        if code:
            return f"status {code}: {log_of(folder)}"
        if results(folder, name) != self.whole(name).files:
            return f"the result differs: {differences(results(folder, name), self.whole(name).files)}"
        if not CASES[name].resumes:
            return ""
        code = self.run(name, folder, NEVER)
        if code or "already complete" not in log_of(folder) or log_of(folder).count("\n") != 1:
            return f"a complete run: status {code}: {log_of(folder)}"
        same = results(folder, name) == self.whole(name).files
        return "" if same else "already complete, but the result differs"

    def drop(self, folder: Path) -> None:
        """Remove a finished attempt."""
        shutil.rmtree(folder)


def results(folder: Path, name: str, *, hidden: bool = True) -> dict[str, bytes]:
    """Files that a case has written; of pictures and timings only that they are there and not empty."""
    files = {key: data for key, data in contents(folder / OUT).items() if hidden or key[0] != "."}
    equal = CASES[name].equal
    return {key: data if key.endswith(equal) else bytes([len(data) > 0]) for key, data in files.items()}


def differences(found: dict[str, bytes], expected: dict[str, bytes]) -> str:
    """Names of files, and by how many bytes they are too long."""
    names = sorted(found.keys() | expected.keys())
    other = [name for name in names if found.get(name) != expected.get(name)]
    return ", ".join(f"{name} {len(found.get(name, b'')) - len(expected.get(name, b'')):+}" for name in other)


@contextmanager
def arena() -> Iterator[Arena]:
    """Open an arena in a temporary folder."""
    server = Server()
    try:
        with tempfile.TemporaryDirectory(prefix="dynmeans-attack-") as root:
            yield Arena(Path(root).resolve(), server)
    finally:
        server.close()


def random_strike(rng: random.Random, how: str, events: int) -> Strike:
    """A strike before any write operation; one of the last operations in half of the cases."""
    last = rng.random() < 0.5
    event = rng.randint(max(1, events - 40), events + 1) if last else rng.randint(1, events + 1)
    return Strike(how, event, rng.randrange(2**32))


__all__ = ["CASES", "CUT", "KILL", "NEVER", "QUICK", "Arena", "arena", "random_strike"]
