"""Campaigns of damaged input files: each is read as its command reads it."""

from __future__ import annotations

import gzip
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import typer

from attack.damage import damaged
from attack.outcome import Outcome
from attack.seed_files import seed_bytes
from attack.workers import Attack, run_series
from dynmeans._files.errors import InputError, InputWarning
from dynmeans.apps.flights.messages import read_messages
from dynmeans.apps.flights.trajectories import Limits, build_trajectories
from dynmeans.apps.video.reading import VideoFile
from dynmeans.cli import app
from dynmeans.cli.choices import Metric
from dynmeans.cli.cluster.command import cluster
from dynmeans.cli.flights.command import flights
from dynmeans.cli.points.command import points
from dynmeans.cli.points.options import PointsAlgorithm
from dynmeans.cli.video.command import video

_STEPS = ((None, None), (None, "7rows"), ("t", None), ("t", "2s"))  # --time and --every
_WHOLE = 100  # one of this many files is read by the whole command, for flights and videos


def attack_files(kind: str, count: int, seed: int) -> Iterator[Outcome]:
    """Damage files of one kind and read each as its command does."""
    seed_bytes(kind)
    with TemporaryDirectory(prefix="dynmeans-attack-") as folder:
        directory = Path(folder)

        def run(number: int) -> int:
            name, data = damaged_file(kind, number, seed)
            path = directory / name
            path.write_bytes(data)
            return _COMMANDS[kind](path, directory / "out", number)

        yield from run_series(Attack(run, lambda number: f"{kind} {number} of seed {seed}", count))


def damaged_file(kind: str, number: int, seed: int) -> tuple[str, bytes]:
    """Name and content of a damaged file; it depends on the arguments only."""
    rng = random.Random(f"{kind} {number} {seed}")
    files = seed_bytes(kind)
    name = list(files)[number % len(files)]
    others = list(files.values())
    if name.endswith(".gz") and rng.random() < 0.7:  # damage behind the checksum
        return name, gzip.compress(damaged(gzip.decompress(files[name]), others, rng), 1, mtime=0)
    return name, damaged(files[name], others, rng)


def _command(action: Callable[[], object]) -> int:
    """Run the function of a command in this process, with the handling of errors that the shell sees.

    The command line is not parsed: that would take ten times as long as the reading of a small file.
    """
    streams = os.fdopen(os.dup(1), "w"), os.fdopen(os.dup(2), "w")
    with (
        mock.patch.object(app, "app", side_effect=lambda **options: _status(action)),
        mock.patch.multiple(sys, stdout=streams[0], stderr=streams[1]),
        warnings.catch_warnings(),
        streams[0],
        streams[1],
    ):
        warnings.simplefilter("default")
        warnings.simplefilter("error", RuntimeWarning)
        return app._run()


def _status(action: Callable[[], object]) -> int:
    try:
        action()
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def _cluster(path: Path, out: Path, number: int) -> int:
    is_timed = not path.name.startswith(("single", "arrays")) and path.suffix not in (".npy", ".npz")
    time, every = _STEPS[number // 19 % (4 if is_timed else 2)]
    weight = "w" if path.suffix in (".parquet", ".arrow", ".feather") and number % 2 else None
    options = {"time": time, "every": every, "weight": weight, "no_report": True, "force": True, "out": out}
    return _command(lambda: cluster([str(path)], **options))


def _embeddings(path: Path, out: Path, number: int) -> int:
    """Lists in a column, or an NPY file beside a valid table; with texts, by key, or alone."""
    is_array = path.suffix == ".npy"
    table = path.with_name("table.csv") if is_array else path
    if is_array:
        table.write_bytes(seed_bytes("embeddings")["lists.csv"])
    options: dict[str, Any] = {"text": "text"} if number % 3 else {"by": "word"}
    options |= {"time": "t", "embedding": str(path) if is_array else "e"}
    options |= {"metric": Metric.cosine} if number % 2 else {}
    return _command(lambda: cluster([str(table)], **options, no_report=True, force=True, out=out))


def _points(path: Path, out: Path, number: int) -> int:
    options = {"algorithm": PointsAlgorithm.dmeans, "no_report": True, "force": True, "out": out}
    return _command(lambda: points([path], **options))


def _flights(path: Path, out: Path, number: int) -> int:
    if number % _WHOLE == _WHOLE - 1:
        return _command(lambda: flights([str(path)], out, force=True))
    return _as_command(lambda: _join(path))


def _join(path: Path) -> None:
    build_trajectories(read_messages([str(path)]), Limits())


def _video(path: Path, out: Path, number: int) -> int:
    if number % _WHOLE == _WHOLE - 1:
        return _command(lambda: video(path, out.with_suffix(".mkv"), force=True))
    return _as_command(lambda: _decode(path))


def _decode(path: Path) -> None:
    with VideoFile(path) as video:
        video.tracks()
        assert video.n_frames is None or video.n_frames >= 0
        for part in video.parts():
            assert part


def _as_command(action: Callable[[], None]) -> int:
    """Status and one line of an action that is only a part of a command."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", InputWarning)
            action()
    except InputError as error:
        os.write(2, f"{' '.join(str(error).split())}\n".encode(errors="replace"))  # as a command prints it
        return 2
    return 0


_COMMANDS: dict[str, Callable[[Path, Path, int], int]] = {
    "tables": _cluster,
    "embeddings": _embeddings,
    "clouds": _points,
    "flights": _flights,
    "videos": _video,
}


def main() -> None:
    """Write a damaged file, to look at it: `python -m attack.reading KIND NUMBER [SEED]`."""
    kind, number, seed = [*sys.argv[1:], "0"][:3]
    name, data = damaged_file(kind, int(number), int(seed))
    Path(name).write_bytes(data)
    print(name)


if __name__ == "__main__":
    main()
