"""Slow, obvious twins of the end of a step: what becomes of each cluster, and which are found_by_twin."""

from __future__ import annotations

import numpy as np

from dynmeans._model.lifecycle import SplitMergeSlots


def update_clusters_twin(before, now, lifetime):
    """One cluster after another under the random walk, which knows no velocities, as a dict of columns."""
    old = len(before["ids"])
    tables = ("centers", "weights", "velocities", "velocity_cov", "last_seen", "ids", "hits")
    after = {name: [] for name in (*tables, "active", "sizes", "born", "revived", "asleep", "died")}
    for k, slot_weights in enumerate(before["slot_weights"]):
        one = {name: before[name][k] for name in tables} if k < old else newborn(before, k)
        was_awake = k < old and before["last_seen"][k] == before["clock"]
        if slot_weights > 0:
            gamma = before["gammas"][k] if k < old else 0.0
            one["hits"] += 1
            one |= {"centers": before["positions"][k], "weights": gamma + slot_weights, "last_seen": now}
            after["active"].append(one["ids"])
            after["sizes"].append(slot_weights)
        if k >= old:
            after["born"].append(one["ids"])
        elif slot_weights > 0 and not was_awake:
            after["revived"].append(one["ids"])
        elif slot_weights == 0 and was_awake:
            after["asleep"].append(one["ids"])
        if now - one["last_seen"] > lifetime:
            after["died"].append(one["ids"])
            continue
        for name in tables:
            after[name].append(one[name])
    return after


def newborn(before, k):
    """At rest, under the next id."""
    return {
        "ids": before["next_id"] + k - len(before["ids"]),
        "hits": 0,
        "velocities": np.zeros(0),
        "velocity_cov": np.zeros(2),
    }


def find_split_merge(rows, forecasts, slots, mass, awake, slot_weights, n_old, min_share, max_ratio):
    """Splits and merges in slots, written as the definition says it."""
    distances = np.sum((rows[:, None] - forecasts[awake]) ** 2, axis=2)
    parents = distances.argmin(axis=1)
    shared = np.array(
        [
            [mass[(parents == h) & (slots == s)].sum() for s in range(len(slot_weights))]
            for h in range(len(awake))
        ]
    )

    def mean(which):
        return mass[which] @ rows[which] / mass[which].sum()

    def squared_distance(a, b):
        return float(np.sum((a - b) ** 2))

    def is_split(parent, parts):
        near = min(squared_distance(mean(slots == p), forecasts[parent]) for p in parts)
        return squared_distance(mean(np.isin(slots, parts)), forecasts[parent]) < max_ratio * near

    def is_at_parent(parent_index, slot):
        here = mean((parents == parent_index) & (slots == slot))
        return squared_distance(here, forecasts[awake[parent_index]]) < squared_distance(
            here, mean(slots == slot)
        )

    splits, merges = [], []
    main_parents = shared.argmax(axis=0)
    for parent_index in dict.fromkeys(main_parents[n_old:].tolist()):
        parent = int(awake[parent_index])
        candidates = [
            parent,
            *[s for s in range(n_old, len(slot_weights)) if main_parents[s] == parent_index],
        ]
        whole = [s for s in candidates if shared[parent_index, s] > 0.5 * shared[:, s].sum()]
        parts = [s for s in whole if shared[parent_index, s] >= min_share * shared[parent_index, whole].sum()]
        if parent in parts and len(parts) > 1 and is_split(parent, parts):
            splits.append((parent, parts[1:]))
    gone = [h for h in range(len(awake)) if slot_weights[awake[h]] == 0]
    for slot in dict.fromkeys(int(shared[h].argmax()) for h in gone):
        own = [h for h in range(len(awake)) if awake[h] == slot]
        parents_of = [*own, *[h for h in gone if shared[h].argmax() == slot and h not in own]]
        enough = [h for h in parents_of if shared[h, slot] >= min_share * shared[:, slot].sum()]
        enough = [h for h in enough if shared[h, slot] > 0.5 * shared[h].sum()]
        if len(enough) > 1 and all(is_at_parent(h, slot) for h in enough):
            merges.append((slot, [int(awake[h]) for h in enough if h not in own]))
    return SplitMergeSlots(splits, merges)
