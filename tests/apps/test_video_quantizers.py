from __future__ import annotations

import numpy as np
import pytest

from clips import COLORS, pictures
from dynmeans import DMeans
from dynmeans.apps.video import PaletteOptions, QualityMeter, distinct, make_quantizer
from dynmeans.apps.video import quantizers as painters
from dynmeans.apps.video.quantizers import PASSES

PARAMETERS = [
    PaletteOptions(),
    PaletteOptions(colorspace="oklab"),
    PaletteOptions(per_frame="dpmeans"),
    PaletteOptions(per_frame="kmeans"),
]


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_every_pixel_gets_a_color_of_the_palette_and_none_is_unused(parameters: PaletteOptions) -> None:
    paint = make_quantizer(parameters)
    for picture in pictures(3):
        quantized = paint(distinct(picture))
        assert quantized.pixels.shape == picture.shape
        np.testing.assert_array_equal(
            np.bincount(quantized.indices.ravel(), minlength=len(quantized.palette)), quantized.sizes
        )
        assert (quantized.sizes > 0).all()


def test_the_palette_of_three_colors_with_noise_is_these_three() -> None:
    paint = make_quantizer(PaletteOptions())
    for picture in pictures(4):
        quantized = paint(distinct(picture))
        assert quantized.ids.tolist() == [0, 1, 2]
        gaps = np.abs(quantized.palette[:, None].astype(int) - COLORS).max(axis=2)
        assert (gaps.min(axis=0) <= 2).all()


def test_distinct_colors_with_counts_are_clustered_as_all_pixels_would_be() -> None:
    paint = make_quantizer(PaletteOptions())
    twin = DMeans(800.0, lifetime=15, reach=1.1, n_restarts=1, max_iter=PASSES, random_state=0)
    for picture in pictures(4):
        quantized = paint(distinct(picture))
        twin.partial_fit(picture.reshape(-1, 3).astype(np.float32))
        np.testing.assert_array_equal(quantized.ids[quantized.indices].ravel(), twin.labels_)


def test_many_colors_are_painted_by_cells_nearly_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    y, x = np.mgrid[0:60, 0:80]
    film = [np.stack([3 * x, 4 * y, 2 * x + y + t], axis=2).astype(np.uint8) for t in range(0, 40, 10)]
    errors = []
    for many in (100, 10**6):
        monkeypatch.setattr(painters, "MANY_COLORS", many)
        monkeypatch.setattr(painters, "PASSES", painters.PASSES_MANY)
        paint, meter = make_quantizer(PaletteOptions()), QualityMeter()
        for picture in film:
            colors = distinct(picture)
            quantized = paint(colors)
            assert quantized.labels.shape == (len(colors.rows),)
            assert np.bincount(quantized.indices.ravel()).tolist() == quantized.sizes.tolist()
            meter.add(picture, colors, quantized)
        errors.append(meter.quality.error.mean())
    assert errors[0] != errors[1]
    assert errors[0] < 1.1 * errors[1]


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("maximum", [1, 2, 5])
def test_there_are_never_more_colors_than_allowed(parameters: PaletteOptions, maximum: int) -> None:
    paint = make_quantizer(parameters._replace(max_colors=maximum))
    random = np.random.default_rng(1)
    for _ in range(4):
        assert len(paint(distinct(random.integers(0, 256, (12, 12, 3), dtype=np.uint8))).palette) <= maximum


def test_after_a_frame_with_many_colors_the_birth_cost_decreases() -> None:
    paint = make_quantizer(PaletteOptions(max_colors=4, lifetime=2))
    random = np.random.default_rng(2)
    paint(distinct(random.integers(0, 256, (12, 12, 3), dtype=np.uint8)))
    for _ in range(4):  # until the colors of that frame are forgotten
        paint(distinct(np.zeros((2, 2, 3), dtype=np.uint8)))
    flat = np.repeat(np.array([[[90, 90, 90], [130, 90, 90]]], dtype=np.uint8), 6, axis=0)
    counts = [len(paint(distinct(flat)).palette) for _ in range(60)]
    assert counts[0] == 1
    assert counts[-1] == 2


def test_a_lasting_palette_flickers_less_than_one_for_each_frame() -> None:
    random = np.random.default_rng(3)
    ramp = np.linspace(0, 255, 96)[None, :, None] * np.ones((24, 1, 3))
    frames = [np.clip(ramp + random.normal(0, 4, ramp.shape), 0, 255).astype(np.uint8) for _ in range(10)]
    flicker = {}
    for name in (None, "dpmeans", "kmeans"):
        meter, paint = (
            QualityMeter(),
            make_quantizer(PaletteOptions(per_frame=name, max_colors=6 if name == "kmeans" else None)),
        )
        for frame in frames:
            colors = distinct(frame)
            meter.add(frame, colors, paint(colors))
        flicker[name] = meter.quality.flicker
    assert flicker[None] < min(flicker["dpmeans"], flicker["kmeans"])


def test_measures_have_their_defined_values() -> None:
    meter, paint = QualityMeter(), make_quantizer(PaletteOptions(birth_cost=1e9, per_frame="dpmeans"))
    frames = [np.array([[[0, 0, 0], [level] * 3]], dtype=np.uint8) for level in (60, 90, 90)]
    for frame in frames:
        colors = distinct(frame)
        meter.add(frame, colors, paint(colors))
    quality = meter.quality
    assert quality.n_colors.tolist() == [1, 1, 1]
    assert quality.error[0] == pytest.approx(3 * 30**2)
    assert quality.change[0] == 1.0  # 15 levels everywhere, instead of 30 on one side
    assert np.isnan(quality.change[1])
    assert quality.flicker == 0.0


def test_the_largest_seed_works_for_many_frames() -> None:
    paint = make_quantizer(PaletteOptions(per_frame="dpmeans", seed=2**64 - 1))
    colors = distinct(np.full((2, 2, 3), 99, np.uint8))
    assert [len(paint(colors).palette) for _ in range(3)] == [1, 1, 1]
