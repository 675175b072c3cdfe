from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clips import av, packets, pictures, read_clip, write_audio, write_clip
from dynmeans._files.errors import InputError
from dynmeans.apps.video import PaletteOptions, QuantizeOptions, VideoFile, quantize


def times(path: Path) -> list[float]:
    with VideoFile(path) as video:
        return [frame.seconds for frame in video.frames()]


def noise(n: int) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.integers(0, 256, (48, 64, 3), dtype=np.uint8) for _ in range(n)]


def cut(path: Path) -> Path:
    """Leave the first half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path


def test_pictures_that_are_stored_out_of_order_keep_their_times(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.avi", pictures(30), codec="libx264")
    found = times(source)
    np.testing.assert_allclose(np.diff(found), 0.1)
    quantize(QuantizeOptions(source, tmp_path / "out.mkv", PaletteOptions()))
    np.testing.assert_allclose(np.diff(times(tmp_path / "out.mkv")), 0.1, atol=2e-3)


def test_a_long_last_frame_is_no_damage(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.gif", pictures(3), codec="gif", pixel_format="rgb8", final_delay=300)
    with VideoFile(source) as video:
        frames = list(video.frames())
    assert [frame.duration for frame in frames] == pytest.approx([0.1, 0.1, 3.0])


def test_sound_may_go_on_after_the_last_picture(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mkv", pictures(3), sound=True, seconds=4.0)
    assert quantize(QuantizeOptions(source, tmp_path / "out.mkv", PaletteOptions())).damage is None


@pytest.mark.parametrize(("name", "codec"), [("a.mkv", "ffv1"), ("a.avi", "mpeg4"), ("a.flv", "flv1")])
def test_truncated_files_with_audio_are_reported(tmp_path: Path, name: str, codec: str) -> None:
    source = cut(write_clip(tmp_path / name, noise(60), codec=codec, rate=25, sound="mp3"))
    outcome = quantize(QuantizeOptions(source, tmp_path / "out.gif", PaletteOptions(max_colors=4)))
    assert outcome.damage is not None
    assert "should last 2.4" in str(outcome.damage)
    assert 10 < outcome.frames < 50


def test_a_truncated_gif_is_reported(tmp_path: Path) -> None:
    source = cut(write_clip(tmp_path / "a.gif", noise(8), codec="gif", pixel_format="rgb8"))
    outcome = quantize(QuantizeOptions(source, tmp_path / "out.mkv", PaletteOptions(max_colors=4)))
    assert outcome.damage is not None
    assert len(read_clip(tmp_path / "out.mkv")) == outcome.frames < 8


def test_joined_recordings_keep_all_their_sound(tmp_path: Path) -> None:
    one = write_clip(tmp_path / "one.ts", pictures(20), codec="mpeg2video", rate=25, sound="mp2")
    (tmp_path / "both.ts").write_bytes(2 * one.read_bytes())
    quantize(QuantizeOptions(tmp_path / "both.ts", tmp_path / "out.mkv", PaletteOptions()))
    assert packets(tmp_path / "out.mkv") == packets(tmp_path / "both.ts")
    found = times(tmp_path / "out.mkv")
    assert len(found) == len(read_clip(tmp_path / "both.ts"))
    assert np.diff(found).min() > 0.035
    assert np.diff(found).max() < 0.25


def test_cover_art_is_no_video(tmp_path: Path) -> None:
    source = write_audio(tmp_path / "a.mp4", cover=pictures(1)[0])
    with av.open(str(source)) as container:
        assert len(container.streams.video) == 1
    with pytest.raises(InputError, match=r"a\.mp4: contains no video, only sound"):
        quantize(QuantizeOptions(source, tmp_path / "out.mp4", PaletteOptions()))
