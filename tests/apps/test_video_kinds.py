"""Every kind of file is written so that players can read it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from clips import av, packets, pictures, read_clip, write_clip
from dynmeans._files.errors import InputError
from dynmeans.apps.video import PaletteOptions, QuantizeOptions, QuantizeResult, VideoFile, quantize
from dynmeans.apps.video.reading import DamagedVideo

GREEN = (39, 199, 60)


def paint(source: Path, name: str, codec: str | None = None) -> tuple[Path, QuantizeResult]:
    target = source.parent / name
    return target, quantize(QuantizeOptions(source, target, PaletteOptions(), codec))


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("out.mpg", None),
        ("out.mpg", "mpeg1video"),
        ("out.ts", None),
        ("out.vob", None),
        ("out.mxf", None),
        ("out.3gp", None),
        ("out.ogv", None),
        ("out.apng", None),
        ("out.y4m", None),
        ("out.avi", None),
        ("out.avi", "rawvideo"),
        ("out.mkv", "mjpeg"),
        ("out.mkv", "mpeg2video"),
        ("out.mp4", "png"),
    ],
)
def test_frames_and_times_are_kept_in_every_kind_of_file(
    tmp_path: Path, name: str, codec: str | None
) -> None:
    made = pictures(12)
    target, _ = paint(write_clip(tmp_path / "a.mkv", made, rate=25), name, codec)
    with VideoFile(target) as video:
        frames = list(video.frames())
        assert video.rate == 25
    np.testing.assert_allclose(np.diff([frame.seconds for frame in frames]), 0.04, atol=2e-3)
    assert np.abs(np.array([frame.pixels for frame in frames]).astype(int) - made).mean() < 12


def test_rates_that_a_format_does_not_support_are_filled_with_repeated_frames(tmp_path: Path) -> None:
    target, outcome = paint(write_clip(tmp_path / "a.mkv", pictures(12), rate=10), "out.mxf")
    with VideoFile(target) as video:
        frames = list(video.frames())
        assert video.rate == Fraction(24000, 1001)
    assert outcome.frames == 12
    assert frames[-1].seconds == pytest.approx(1.1, abs=0.05)


@pytest.mark.parametrize("name", ["out.gif", "out.mp4", "out.mkv", "out.avi"])
def test_the_duration_of_the_last_frame_is_kept(tmp_path: Path, name: str) -> None:
    source = write_clip(tmp_path / "a.gif", pictures(3), codec="gif", pixel_format="rgb8", final_delay=300)
    with av.open(str(paint(source, name)[0])) as container:
        assert container.duration / 1e6 == pytest.approx(3.2)


def test_webp_keeps_all_delays_and_plays_for_ever(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.gif", pictures(3), codec="gif", pixel_format="rgb8", final_delay=300)
    target = paint(source, "out%d.webp")[0]
    with pytest.importorskip("PIL.Image").open(target) as image:
        delays = []
        for i in range(image.n_frames):
            image.seek(i)
            image.load()
            delays.append(image.info["duration"])
        assert (delays, image.info["loop"]) == ([100, 100, 3000], 0)
    with pytest.raises(InputError, match="an animated WebP, which FFmpeg does not read"):
        paint(target, "again.gif")


@pytest.mark.parametrize(
    ("sound", "name"),
    [("libopus", "out.mov"), ("flac", "out.mov"), ("pcm_s16le", "out.flv"), ("flac", "out.ts")],
)
def test_audio_that_is_refused_late_is_dropped_with_a_warning(tmp_path: Path, sound: str, name: str) -> None:
    target, outcome = paint(write_clip(tmp_path / "a.mkv", pictures(3), sound=sound), name)
    assert outcome.sound == f"left out: {target.suffix} holds no {sound.removeprefix('lib')}"
    assert len(read_clip(target)) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mkv", name]


def test_sound_is_copied_into_transport_streams(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mkv", pictures(12), sound="mp3")
    target, outcome = paint(source, "out.ts")
    assert outcome.sound == "copied"
    assert packets(target) == packets(source)


def test_no_packet_of_sound_without_a_duration_is_cut_off(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.avi", pictures(12), codec="mpeg4", sound="flac")
    assert packets(paint(source, "out.mp4")[0]) == packets(source)


def test_all_sounds_are_copied(tmp_path: Path) -> None:
    one, two = (write_clip(tmp_path / f"{c}.mkv", pictures(4), sound=c) for c in ("mp3", "libopus"))
    with (
        av.open(str(tmp_path / "both.mkv"), "w") as both,
        av.open(str(one)) as first,
        av.open(str(two)) as second,
    ):
        streams = [*first.streams, *second.streams.audio]
        copies = {stream: both.add_stream_from_template(stream) for stream in streams}
        copies[second.streams.audio[0]].metadata["language"] = "ger"
        for container in (first, second):
            for packet in container.demux([s for s in streams if s.container is container]):
                if packet.dts is not None:
                    packet.stream = copies[packet.stream]
                    both.mux(packet)
    target, outcome = paint(tmp_path / "both.mkv", "out.mkv")
    assert outcome.sound == "copied"
    assert [packets(target, i) for i in (0, 1)] == [packets(one), packets(two)]
    with av.open(str(target)) as container:
        assert container.streams.audio[1].metadata["language"] == "ger"
    assert paint(tmp_path / "both.mkv", "out.avi")[1].sound == "1 of 2 copied"


@pytest.mark.parametrize(("height", "tag"), [(720, 1), (720, 2), (48, 1), (48, 2), (48, 6)])
@pytest.mark.parametrize("name", ["out.mp4", "out.avi"])
def test_colors_are_written_with_the_matrix_that_players_take(
    tmp_path: Path, height: int, tag: int, name: str
) -> None:
    source = tmp_path / "a.mp4"
    matrix = "ITU709" if tag == 1 or (tag == 2 and height == 720) else "ITU601"
    with av.open(str(source), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.height, stream.width, stream.pix_fmt = height, 64, "yuv420p"
        stream.codec_context.colorspace, stream.codec_context.color_range = tag, 1
        frame = av.VideoFrame.from_ndarray(np.full((height, 64, 3), GREEN, np.uint8), format="rgb24")
        frame = frame.reformat(format="yuv420p", dst_colorspace=matrix, dst_color_range="MPEG")
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    with VideoFile(source) as video:
        np.testing.assert_allclose(next(video.frames()).pixels[0, 0], GREEN, atol=3)
    with av.open(str(paint(source, name)[0])) as container:
        frame = next(container.decode(video=0))
    assert frame.colorspace == (2 if name == "out.avi" else 1 if matrix == "ITU709" else 6)
    taken = {1: "ITU709", 6: "ITU601", 2: "ITU709" if height == 720 else "ITU601"}[frame.colorspace]
    pixels = frame.reformat(format="rgb24", src_colorspace=taken, src_color_range="MPEG").to_ndarray()
    np.testing.assert_allclose(pixels[0, 0], GREEN, atol=6)


@pytest.mark.parametrize("turned", [False, True])
def test_pixels_that_are_not_square_stay_so(tmp_path: Path, turned: bool) -> None:
    source = tmp_path / "a.mp4"
    with av.open(str(source), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.height, stream.width, stream.pix_fmt = 48, 64, "yuv420p"
        stream.codec_context.sample_aspect_ratio = Fraction(4, 3)
        if turned:
            stream.set_display_rotation(90)
        for pixels in pictures(2):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    with av.open(str(paint(source, "out.mp4")[0])) as container:
        assert container.streams.video[0].sample_aspect_ratio == (
            Fraction(3, 4) if turned else Fraction(4, 3)
        )


def test_file_names_may_look_like_urls_or_options(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mkv", pictures(2)).rename(tmp_path / "a:b%d.mkv")
    assert len(read_clip(paint(source, "http:c%d.gif")[0].rename(tmp_path / "c.gif"))) == 2


@pytest.mark.parametrize(("name", "codec"), [("out.avi", None), ("out.y4m", None), ("out.mov", "rawvideo")])
def test_odd_sizes_are_written_where_they_can_be(tmp_path: Path, name: str, codec: str | None) -> None:
    target, _ = paint(write_clip(tmp_path / "a.mkv", pictures(2, 47, 63)), name, codec)
    assert read_clip(target)[0].shape == (47, 63, 3)


@contextmanager
def file_size(maximum: int) -> Iterator[None]:
    """Refuse to write larger files, as a full disk would."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (maximum, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_write_error_is_not_reported_as_a_damaged_source(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    made = [random.integers(0, 256, (96, 128, 3), dtype=np.uint8) for _ in range(12)]
    source = write_clip(tmp_path / "a.mkv", made)
    with file_size(20_000), pytest.raises(InputError, match=r"out\.mkv: File too large") as caught:
        paint(source, "out.mkv", "ffv1")
    assert not isinstance(caught.value, DamagedVideo)
    assert [path.name for path in tmp_path.iterdir()] == ["a.mkv"]
