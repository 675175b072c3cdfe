"""The loops in C++, bound once."""

from dynmeans.core._core import descend, lanes, nearest

__all__ = ["descend", "lanes", "nearest"]
