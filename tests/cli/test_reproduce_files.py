from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clips import pictures, write_clip

pytest.importorskip("av")


def test_a_film_is_compared_and_drawn(dynmeans: Callable[..., Any], folder: Path) -> None:
    pytest.importorskip("matplotlib")
    film = write_clip(folder / "a.mkv", pictures(5))
    outcome = dynmeans("reproduce", "video", "--input", film, "--quick", "--jobs", 1)
    assert outcome.code == 0
    assert "| D-Means |" in outcome.out
    for name in ("video-quick.json", "video.png", "video.svg"):
        assert (folder / "results" / name).exists()


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("video",), "needs a video: --input FILE"),
        (("rings", "--input", "a.csv"), "makes its own data"),
        (("flights", "--input", "none.csv", "--quick", "--jobs", 1), "none.csv"),
    ],
)
def test_files_that_are_missing_or_not_wanted_are_named_in_one_line(
    arguments: tuple[object, ...], rule: str, dynmeans: Callable[..., Any], folder: Path
) -> None:
    outcome = dynmeans("reproduce", *arguments)
    assert outcome.code == 2
    assert rule in outcome.err
    assert outcome.err.count("\n") == 1
