from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clips import pictures, read_clip, write_clip

Command = Callable[..., Any]


@pytest.fixture
def clip(folder: Path) -> Path:
    """clip.mkv: eight frames of three colors."""
    return write_clip(folder / "clip.mkv", pictures())


@pytest.mark.usefixtures("clip")
def test_a_video_its_palette_and_a_preview_are_written(dynmeans: Command, folder: Path) -> None:
    done = dynmeans("video", "clip.mkv", "out.gif", "--palette", "p.csv", "--preview", "p.png")
    assert done.code == 0
    assert done.err == ""
    lines = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert lines["frames"].startswith("8 at ")
    assert lines["colors"] == "3.0 on average, 3 at most"
    assert lines["sound"] == "none"
    assert lines["written"] == "out.gif, p.csv, p.png"
    assert len((folder / "p.csv").read_text().splitlines()) == 1 + 8 * 3
    (preview,) = read_clip(folder / "p.png")
    assert preview.shape == (148, 4 * 64 + 5 * 6, 3)
    np.testing.assert_array_equal(preview[6:54, 6:70], pictures()[0])


@pytest.mark.usefixtures("clip")
@pytest.mark.parametrize(
    "options",
    [("--per-frame", "kmeans"), ("--per-frame", "dpmeans"), ("--colorspace", "oklab"), ("--max-colors", "2")],
)
def test_every_palette_option_gives_a_video(
    dynmeans: Command, folder: Path, options: tuple[str, ...]
) -> None:
    assert dynmeans("video", "clip.mkv", "out.gif", *options).code == 0
    frames = read_clip(folder / "out.gif")
    assert len(frames) == 8
    maximum = {"kmeans": 20, "2": 2}.get(options[1], 3)
    assert all(len(np.unique(frame.reshape(-1, 3), axis=0)) <= maximum for frame in frames)


@pytest.mark.usefixtures("clip")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing.mp4", "out.mp4"), "nothing.mp4: No such file"),
        (("clip.mkv", "out.xyz"), "out.xyz: .xyz is no kind of video file"),
        (("clip.mkv", "clip.mkv"), "clip.mkv: the result must not replace"),
        (("clip.mkv", "out.mp4", "--palette", "clip.mkv"), "clip.mkv: the result must not replace"),
        (("clip.mkv", "out.mp4", "--preview", "out.mp4"), "must be different files"),
        (("clip.mkv", "out.mp4", "--preview", "no/p.png"), "no/p.png: there is no folder no"),
        (("clip.mkv", "."), ".: a folder; it must be a file"),
        (("clip.mkv", "out"), "out: the name must end in the kind of video"),
        (("clip.mkv", "no/out.mp4"), "no/out.mp4: there is no folder no"),
        (("clip.mkv", "out.mp4", "--codec", "magic"), "out.mp4: FFmpeg has no encoder called magic"),
        (("clip.mkv", "out.mp4", "--codec", "aac"), "out.mp4: aac encodes no video, but audio"),
        (("clip.mkv", "out.webm", "--codec", "libx264"), "out.webm: "),
        (("clip.mkv", "out.png"), "out.png: .png is a picture; it must be a kind of video file"),
        (("clip.mkv", "out.mp4", "--birth-cost", "-1"), "birth_cost must be"),
        (("clip.mkv", "out.mp4", "--lifetime", "1"), "lifetime must be"),
        (("clip.mkv", "out.mp4", "--max-colors", "0"), "'--max-colors'"),
    ],
)
def test_bad_lines_get_one_line_and_write_nothing(
    dynmeans: Command, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = sorted(folder.iterdir())
    done = dynmeans("video", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("dynmeans: error: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("clip")
def test_files_that_are_there_are_overwritten_only_by_force(dynmeans: Command, folder: Path) -> None:
    (folder / "p.csv").write_text("mine")
    done = dynmeans("video", "clip.mkv", "out.gif", "--palette", "p.csv")
    assert (done.code, done.err) == (2, "dynmeans: error: p.csv: exists already; --force overwrites it\n")
    assert (folder / "p.csv").read_text() == "mine"
    assert dynmeans("video", "clip.mkv", "out.gif", "--palette", "p.csv", "--force").code == 0
    assert (folder / "p.csv").read_text() != "mine"


def test_damage_is_reported_with_the_saved_frames(dynmeans: Command, folder: Path) -> None:
    noise = [np.random.default_rng(i).integers(0, 256, (48, 64, 3), dtype=np.uint8) for i in range(40)]
    source = write_clip(folder / "clip.mkv", noise)
    source.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
    done = dynmeans("video", "clip.mkv", "out.gif", "--max-colors", "4")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert done.err.endswith("; out.gif holds the frames before it\n")
    assert len(read_clip(folder / "out.gif")) > 10


# Sends the signal when the fifth frame is done.
INTERRUPTED = """
import os, signal, sys
from contextlib import contextmanager
from dynmeans.cli import main
from dynmeans.cli.video import run as video_run
@contextmanager
def progress():
    yield lambda done, total, colors: os.kill(os.getpid(), signal.SIGINT) if done == 5 else None
video_run._progress = progress
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores the signal
sys.argv = ["dynmeans", "video", "clip.mkv", "out.mp4"]
main()
"""


def test_ctrl_c_leaves_a_file_that_can_be_played(folder: Path) -> None:
    write_clip(folder / "clip.mkv", pictures(40))
    run = subprocess.run([sys.executable, "-c", INTERRUPTED], cwd=folder, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 130
    assert run.stderr.startswith("dynmeans: stopped; out.mp4 holds the first ")
    assert 0 < len(read_clip(folder / "out.mp4")) < 40
