"""Color palette of the report and the figure."""

from __future__ import annotations

import heapq

import numpy as np

from dynmeans._model.types import IntArray

# Twelve colors for white and near-black backgrounds. Every two differ by at least 0.1 in OKLab, for normal
# vision and for red- and green-blind vision.
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
    """Assign colors so that clusters alive at the same time differ, while there are enough colors.

    Parameters
    ----------
    born, end : int array of shape (K,)
        First and last step of every lifetime, sorted by birth.

    Returns
    -------
    int array of shape (K,)
        Index into `PALETTE`: the color used by the fewest living clusters, and least recently assigned.

    Examples
    --------
    >>> assign_colors(np.array([1, 1, 2]), np.array([9, 9, 9])).tolist()
    [0, 1, 2]
    """
    n_users = [0] * len(PALETTE)
    last_user = [-1] * len(PALETTE)  # last cluster of each color
    living: list[tuple[int, int]] = []  # (last step of a lifetime, its color)
    colors = np.empty(len(born), dtype=np.int64)
    for k in range(len(born)):
        while living and living[0][0] < born[k]:
            n_users[heapq.heappop(living)[1]] -= 1
        color = min(range(len(PALETTE)), key=lambda c: (n_users[c], last_user[c]))
        colors[k] = color
        last_user[color] = k
        n_users[color] += 1
        heapq.heappush(living, (int(end[k]), color))
    return colors
