"""The loops in C++: one small header an idea, bound once in module.cpp.

The compiled module lies beside the package, so that tools that read imports from source can follow them.
"""

from _dynmeans import (
    align_shifts,
    cut_tree,
    descend,
    distinct_colors,
    explained,
    gibbs,
    kernel_descend,
    lanes,
    learn_particles,
    nearest,
    spanning_tree,
)

__all__ = [
    "align_shifts",
    "cut_tree",
    "descend",
    "distinct_colors",
    "explained",
    "gibbs",
    "kernel_descend",
    "lanes",
    "learn_particles",
    "nearest",
    "spanning_tree",
]
