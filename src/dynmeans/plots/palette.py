"""One set of colours for the page and the picture."""

from __future__ import annotations

import heapq

import numpy as np

from dynmeans._model.types import IntArray

# Twelve colours that hold on white and on near-black. They were moved apart in OKLab until every two of them
# differ by 0.1 or more, to the usual eye and to one without red or green cones.
PALETTE = (
    "#0865f8",
    "#e5b805",
    "#0bb484",
    "#d40b54",
    "#71389a",
    "#14c6ff",
    "#ff89c4",
    "#017876",
    "#9c9d19",
    "#c94cb4",
    "#758efe",
    "#6a5c00",
)


def assign_colors(born: IntArray, end: IntArray) -> IntArray:
    """Give clusters colours so that those alive together differ, as long as there are colours enough.

    Parameters
    ----------
    born, end : int array of shape (K,)
        First and last step of every life, sorted by birth.

    Returns
    -------
    int array of shape (K,)
        Index into `PALETTE`: the colour that fewest living clusters wear, given least recently.

    Examples
    --------
    >>> assign_colors(np.array([1, 1, 2]), np.array([9, 9, 9])).tolist()
    [0, 1, 2]
    """
    wearers = [0] * len(PALETTE)
    given = [-1] * len(PALETTE)  # whom each colour was given to last
    living: list[tuple[int, int]] = []  # (last step of a life, its colour)
    colors = np.empty(len(born), dtype=np.int64)
    for k in range(len(born)):
        while living and living[0][0] < born[k]:
            wearers[heapq.heappop(living)[1]] -= 1
        color = min(range(len(PALETTE)), key=lambda c: (wearers[c], given[c]))
        colors[k] = color
        given[color] = k
        wearers[color] += 1
        heapq.heappush(living, (int(end[k]), color))
    return colors
