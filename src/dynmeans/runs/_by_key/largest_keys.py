"""The keys with the most rows so far."""

from __future__ import annotations

from heapq import nlargest


class LargestKeys:
    """Count the rows of keys, and keep the largest up to date.

    Of keys with equally many rows, the one that came first is larger, so the result depends on the counts
    and the order of the keys only.

    Parameters
    ----------
    size : int
        Number of keys that `is_large` accepts.

    Examples
    --------
    >>> keys = LargestKeys(1)
    >>> keys.add("a", 2)
    >>> keys.add("b", 3)
    >>> keys.is_large("a"), keys.top(2)
    (False, ['b', 'a'])
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._ranks: dict[str, tuple[int, int]] = {}  # rows, and minus the number of the key
        self._large: dict[str, tuple[int, int]] = {}

    def add(self, key: str, count: int) -> None:
        """Add rows of a key."""
        rows, order = self._ranks.get(key, (0, -len(self._ranks)))
        rank = self._ranks[key] = (rows + count, order)
        if key in self._large or len(self._large) < self._size:
            self._large[key] = rank
        elif self._large:
            smallest = min(self._large, key=self._large.__getitem__)
            if rank > self._large[smallest]:
                del self._large[smallest]
                self._large[key] = rank

    def rows(self, key: str) -> int:
        """Return the number of rows of a key."""
        return self._ranks.get(key, (0, 0))[0]

    def is_large(self, key: str) -> bool:
        """Return whether a key is among the largest now."""
        return key in self._large

    def top(self, number: int) -> list[str]:
        """Return the largest keys that have rows, the largest first."""
        return [key for key in nlargest(number, self._ranks, key=self._ranks.__getitem__) if self.rows(key)]
