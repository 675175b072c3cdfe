"""The loops in C++: one small header an idea, bound once in module.cpp.

The compiled module lies beside the package, so that tools that read imports from source can follow them.
"""

from _dynmeans import (
    align_shifts,
    code_length,
    cut_tree,
    descend,
    explained,
    kernel_descend,
    lanes,
    nearest,
    spanning_tree,
)

__all__ = [
    "align_shifts",
    "code_length",
    "cut_tree",
    "descend",
    "explained",
    "kernel_descend",
    "lanes",
    "nearest",
    "spanning_tree",
]
