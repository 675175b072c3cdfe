"""The loops in C++: one small header an idea, bound once in module.cpp.

The compiled module lies beside the package, so that tools that read imports from source can follow them.
"""

from _dynmeans import descend, lanes, nearest

__all__ = ["descend", "lanes", "nearest"]
