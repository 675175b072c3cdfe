from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans.plots._palette import PALETTE, assign_colors

# Linear sRGB as seen without working green or red cones (Machado, Oliveira and Fernandes 2009).
VISIONS = {
    "usual": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}


def linear_rgb() -> np.ndarray:
    raw = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in PALETTE])
    return np.where(raw <= 0.04045, raw / 12.92, ((raw + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    cones = (
        rgb
        @ np.array(
            [
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ]
        ).T
    )
    return (
        np.cbrt(cones)
        @ np.array(
            [
                [0.2104542553, 0.7936177850, -0.0040720468],
                [1.9779984951, -2.4285922050, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.8086757660],
            ]
        ).T
    )


@pytest.mark.parametrize("vision", VISIONS)
def test_every_two_colors_differ_for_every_kind_of_vision(vision: str) -> None:
    seen = oklab(np.clip(linear_rgb() @ np.array(VISIONS[vision]).T, 0, 1))
    distances = np.linalg.norm(seen[:, None] - seen[None], axis=2) + np.eye(len(seen))
    assert distances.min() >= 0.1


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 12)), max_size=80))
def test_a_newborn_gets_the_color_that_the_fewest_living_clusters_have(pairs: list[tuple[int, int]]) -> None:
    born, end = np.array(sorted((b, b + n) for b, n in pairs)).reshape(-1, 2).T
    colors = assign_colors(born, end)
    for k in range(len(born)):
        living = colors[:k][end[:k] >= born[k]]
        wearers = np.bincount(living, minlength=len(PALETTE))
        assert wearers[colors[k]] == wearers.min()


def test_more_clusters_than_colors_share_them_evenly() -> None:
    colors = assign_colors(np.arange(36), np.full(36, 99))
    assert set(np.bincount(colors)) == {3}
