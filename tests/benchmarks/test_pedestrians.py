from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks import pedestrians
from benchmarks.pedestrians import Params

CENTIMETRES = "# framerate: 25 fps\n# id frame x/cm y/cm z/cm\n"
METRES = "#generated\n# id frame x/m y/m z/m\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A corridor in centimeters and a bottleneck in meters: two people who walk side by side."""
    monkeypatch.setattr(pedestrians, "DATA", tmp_path)
    for file, head, unit in zip(pedestrians.FILES.values(), (CENTIMETRES, METRES), (100, 1), strict=True):
        rows = [f"{who} {f} {unit * 0.04 * f} {unit * 2.0 * who} 170" for who in (1, 2) for f in range(50)]
        (tmp_path / file).write_bytes(gzip.compress((head + "\n".join(rows)).encode()))
    pedestrians.read_people.cache_clear()
    yield tmp_path
    pedestrians.read_people.cache_clear()


@pytest.mark.usefixtures("folder")
def test_files_in_centimeters_and_in_meters_give_the_same_positions() -> None:
    first, second = (pedestrians.read_people(name) for name in pedestrians.FILES)
    for a, b in zip(first.batches, second.batches, strict=True):
        np.testing.assert_allclose(a, b)
    assert first.batches[0].max() == 4.0


@pytest.mark.usefixtures("folder")
def test_a_batch_holds_a_quarter_of_a_second() -> None:
    people = pedestrians.read_people("corridor")
    assert people.times == [0, 1, 2, 3, 4, 5, 6, 7]
    assert [len(who) for who in people.labels] == [14, 12, 12, 12, 14, 12, 12, 12]


@pytest.mark.usefixtures("folder")
def test_people_who_walk_apart_are_tracked_without_error() -> None:
    assert (
        pedestrians.track(pedestrians.read_people("corridor"), Params(0.1, 2.0, 2.0), "velocity", [0]) == 1.0
    )


@pytest.mark.usefixtures("folder")
def test_choice_for_both_streams_is_the_best_for_the_worse_of_them() -> None:
    chosen = pedestrians.choose("walk", [0], {"birth_cost": (1e-6, 0.1), "lifetime": (2.0,), "reach": (2.0,)})
    assert chosen == dict.fromkeys((*pedestrians.FILES, "both"), Params(0.1, 2.0, 2.0))


@pytest.mark.usefixtures("folder")
def test_every_stream_has_a_row_for_each_of_its_parameters() -> None:
    rows = pedestrians.run(quick=True)
    assert [row.target.value for row in rows if row.target] == [0.95, 0.98, 0.88, 0.88]
    assert all(row.ours is not None and row.peer is not None for row in rows)


def test_missing_data_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pedestrians, "DATA", tmp_path / "nowhere")
    (row,) = pedestrians.run(quick=True)
    assert "nowhere" in row.note
    assert row.reached is None
