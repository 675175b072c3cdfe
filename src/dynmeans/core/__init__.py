"""The loops in C++: one small header an idea, bound once in module.cpp.

The compiled module lies beside the package, so that tools that read imports from source can follow them.
"""

from _dynmeans import (
    align_shifts,
    code_length,
    cut_forest,
    descend,
    distinct_colors,
    distinct_rows,
    expand_centers,
    explained,
    gaussian,
    gibbs,
    kernel_descend,
    lanes,
    learn_particles,
    nearest,
    pursue,
    round_rows,
    slot_sums,
    spanning_tree,
    tree_distances,
)

__all__ = [
    "align_shifts",
    "code_length",
    "cut_forest",
    "descend",
    "distinct_colors",
    "distinct_rows",
    "expand_centers",
    "explained",
    "gaussian",
    "gibbs",
    "kernel_descend",
    "lanes",
    "learn_particles",
    "nearest",
    "pursue",
    "round_rows",
    "slot_sums",
    "spanning_tree",
    "tree_distances",
]
