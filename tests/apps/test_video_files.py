from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from clips import av, packets, pictures, read_clip, write_audio, write_clip
from dynmeans._files.errors import InputError
from dynmeans.apps.video import PaletteOptions, QuantizeOptions, VideoFile, quantize


def painted(tmp_path: Path, source: Path, name: str, **parameters: object) -> Path:
    target = tmp_path / name
    quantize(QuantizeOptions(source, target, PaletteOptions(**parameters)))
    return target


def test_frames_come_out_as_they_went_in(tmp_path: Path) -> None:
    made = pictures()
    with VideoFile(write_clip(tmp_path / "a.mkv", made)) as video:
        frames = list(video.frames())
    np.testing.assert_array_equal([frame.pixels for frame in frames], made)
    np.testing.assert_allclose([frame.seconds for frame in frames], np.arange(8) / 10)


@pytest.mark.parametrize("name", ["out.mkv", "out.gif", "out.webp"])
def test_files_without_loss_hold_exactly_the_palette(tmp_path: Path, name: str) -> None:
    source = write_clip(tmp_path / "a.mkv", pictures())
    target = tmp_path / name
    codec = "ffv1" if name.endswith("mkv") else None
    quantize(QuantizeOptions(source, target, PaletteOptions(), codec, palette_file=tmp_path / "p.csv"))
    lines = np.loadtxt(tmp_path / "p.csv", delimiter=",", skiprows=1, usecols=(0, 3, 4, 5), dtype=int)
    frames = _pillow(target) if name.endswith("webp") else read_clip(target)
    assert len(frames) == 8
    for i, frame in enumerate(frames, 1):
        found = np.unique(frame.reshape(-1, 3), axis=0)
        np.testing.assert_array_equal(found, np.unique(lines[lines[:, 0] == i, 1:], axis=0))


def _pillow(path: Path) -> list[np.ndarray]:
    """Read an animated WebP, which FFmpeg writes but does not read."""
    image = pytest.importorskip("PIL.Image").open(path)
    frames = []
    for i in range(image.n_frames):
        image.seek(i)
        frames.append(np.asarray(image.convert("RGB")))
    return frames


@pytest.mark.parametrize("name", ["out.mp4", "out.mov", "out.webm", "out.avi", "out.mkv"])
def test_lossy_files_are_near_the_original(tmp_path: Path, name: str) -> None:
    made = pictures()
    frames = read_clip(painted(tmp_path, write_clip(tmp_path / "a.mkv", made), name))
    assert len(frames) == len(made)
    assert np.abs(np.array(frames).astype(int) - made).mean() < 12


def test_sound_is_copied_packet_by_packet(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", pictures(), codec="libx264", sound=True)
    assert packets(painted(tmp_path, source, "out.mp4")) == packets(source)


def test_audio_that_does_not_fit_is_dropped_with_a_warning(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", pictures(), codec="libx264", sound=True)
    outcome = quantize(QuantizeOptions(source, tmp_path / "out.webm", PaletteOptions()))
    assert outcome.sound == "left out: .webm holds no aac"
    assert outcome.frames == 8


@pytest.mark.parametrize(("height", "width"), [(47, 64), (48, 63), (1, 1), (33, 35)])
@pytest.mark.parametrize("name", ["out.mp4", "out.gif"])
def test_odd_sizes_stay_as_they_are(tmp_path: Path, height: int, width: int, name: str) -> None:
    source = write_clip(tmp_path / "a.mkv", pictures(3, height, width))
    assert read_clip(painted(tmp_path, source, name))[0].shape == (height, width, 3)


@pytest.mark.parametrize(
    ("codec", "pixel_format"),
    [("ffv1", "gray"), ("ffv1", "yuv420p10le"), ("ffv1", "yuva420p"), ("libx264", "yuv444p")],
)
def test_grey_deep_and_transparent_videos_are_read(tmp_path: Path, codec: str, pixel_format: str) -> None:
    source = write_clip(tmp_path / "a.mkv", pictures(3), codec=codec, pixel_format=pixel_format)
    frames = read_clip(painted(tmp_path, source, "out.gif"))
    expected = read_clip(source)
    assert np.abs(np.array(frames).astype(int) - expected).mean() < 12


def test_transparent_pixels_are_shown_on_black(tmp_path: Path) -> None:
    pixels = np.full((8, 8, 4), 200, dtype=np.uint8)
    pixels[:, :4, 3], pixels[:, 4:, 3] = 0, 255
    source = write_clip(tmp_path / "a.mkv", [pixels] * 2, pixel_format="bgra")
    with VideoFile(source) as video:
        frame = next(video.frames()).pixels
    assert frame[0, :, 0].tolist() == [0] * 4 + [200] * 4


def test_rotated_videos_are_turned_upright(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", pictures(2, 32, 48), codec="libx264")
    stored = read_clip(source)[0]
    turn(source)
    with VideoFile(source) as video:
        frame = next(video.frames()).pixels
    np.testing.assert_array_equal(frame, np.rot90(stored, -1))
    assert read_clip(painted(tmp_path, source, "out.mp4"))[0].shape == (48, 32, 3)


def turn(path: Path) -> None:
    """Set the display matrix of an MP4 file to a rotation by 90 degrees clockwise, as telephones do."""
    content = path.read_bytes()
    at = content.index((1 << 16).to_bytes(4, "big"), content.index(b"tkhd") + 44)
    matrix = b"".join(value.to_bytes(4, "big", signed=True) for value in (0, 1 << 16, 0, -1 << 16, 0))
    path.write_bytes(content[:at] + matrix + content[at + len(matrix) :])


def test_frames_of_another_size_get_the_size_of_the_first(tmp_path: Path) -> None:
    small, large = (write_clip(tmp_path / f"{n}.ts", pictures(3, n, n), codec="mpeg2video") for n in (32, 64))
    (tmp_path / "both.ts").write_bytes(small.read_bytes() + large.read_bytes())
    frames = read_clip(painted(tmp_path, tmp_path / "both.ts", "out.gif"))
    sizes = [len(frame) for frame in read_clip(tmp_path / "both.ts")]
    assert set(sizes) == {32, 64}
    assert len(frames) == len(sizes)
    assert {frame.shape for frame in frames} == {(32, 32, 3)}


def test_times_of_frames_that_come_unevenly_are_kept(tmp_path: Path) -> None:
    source = tmp_path / "a.mkv"
    times = [0, 40, 500, 520]
    with av.open(str(source), "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.height, stream.width, stream.pix_fmt = 48, 64, "bgr0"
        stream.codec_context.time_base = Fraction(1, 1000)
        for pixels, time in zip(pictures(4), times, strict=True):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts, frame.time_base = time, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    with VideoFile(source) as video:
        expected = [frame.seconds for frame in video.frames()]
    with VideoFile(painted(tmp_path, source, "out.mp4")) as video:
        np.testing.assert_allclose([frame.seconds for frame in video.frames()], expected, atol=1e-3)


def test_a_stop_leaves_a_file_that_can_be_played(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mkv", pictures(), sound=True)
    asked = iter([False] * 4 + [True] * 9)
    outcome = quantize(
        QuantizeOptions(source, tmp_path / "out.mp4", PaletteOptions()), stopped=lambda: next(asked)
    )
    assert not outcome.complete
    assert 0 < outcome.frames < 8
    assert len(read_clip(tmp_path / "out.mp4")) == outcome.frames


def test_a_truncated_video_is_kept_up_to_where_it_breaks(tmp_path: Path) -> None:
    made = [np.random.default_rng(i).integers(0, 256, (48, 64, 3), dtype=np.uint8) for i in range(40)]
    source = write_clip(tmp_path / "a.mkv", made)
    source.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
    outcome = quantize(QuantizeOptions(source, tmp_path / "out.gif", PaletteOptions(max_colors=4)))
    assert outcome.damage is not None
    assert "a.mkv" in str(outcome.damage)
    assert 10 < len(read_clip(tmp_path / "out.gif")) == outcome.frames < 30


def test_files_that_hold_no_video_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "words.mp4").write_text("no video at all\n" * 99)
    (tmp_path / "empty.mp4").write_bytes(b"")
    whole = write_clip(tmp_path / "whole.mp4", pictures(), codec="libx264")
    (tmp_path / "headless.mp4").write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    write_audio(tmp_path / "tone.m4a")
    for name, words in {
        "words.mp4": "not a readable video",
        "empty.mp4": "not a readable video",
        "headless.mp4": "not a readable video",
        "missing.mp4": "No such file",
        "tone.m4a": "contains no video, only sound",
    }.items():
        with pytest.raises(InputError, match=f"{name}: {words}"):
            quantize(QuantizeOptions(tmp_path / name, tmp_path / "out.mp4", PaletteOptions()))
    assert not list(tmp_path.glob("*out*"))


def test_metadata_that_is_not_utf8_does_not_matter(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mkv", pictures(3))
    data = path.read_bytes()
    assert b"Lavf" in data
    path.write_bytes(data.replace(b"Lavf", b"\xff\xfe\xfdf"))
    with VideoFile(path) as video:
        assert len(list(video.frames())) == 3


def test_frames_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.gif", pictures(1), codec="gif", pixel_format="rgb8")
    data = bytearray(path.read_bytes())
    data[6:10] = struct.pack("<HH", 12_000, 12_000)
    path.write_bytes(data)
    with pytest.raises(InputError, match="frames of 12000 x 12000 pixels; at most 33,554,432"):
        VideoFile(path)


def test_a_video_of_an_unknown_codec_is_refused(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.avi", pictures(2), codec="mjpeg", pixel_format="yuvj420p")
    path.write_bytes(path.read_bytes().replace(b"MJPG", b"!?!?"))
    with pytest.raises(InputError, match="FFmpeg has no decoder for its video"):
        VideoFile(path)
