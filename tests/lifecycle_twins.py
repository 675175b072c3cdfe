"""Slow, obvious twins of the end of a step: the update of each cluster, and splits and merges."""

from __future__ import annotations

import numpy as np

from dynmeans._model.events import Event
from dynmeans._model.lifecycle import SplitMergeSlots


def update_clusters_twin(before, now, lifetime):
    """One cluster after another under the random walk, without velocities, as a dict of columns."""
    old = len(before["ids"])
    tables = ("centers", "weights", "velocities", "velocity_cov", "last_seen", "ids", "hits")
    after = {name: [] for name in (*tables, "active", "sizes", "born", "revived", "asleep", "died")}
    for k, weight in enumerate(before["slot_weights"]):
        one = {name: before[name][k] for name in tables} if k < old else newborn(before, k)
        was_active = k < old and before["last_seen"][k] == before["clock"]
        if weight > 0:
            gamma = before["gammas"][k] if k < old else 0.0
            one["hits"] += 1
            one |= {"centers": before["positions"][k], "weights": gamma + weight, "last_seen": now}
            after["active"].append(one["ids"])
            after["sizes"].append(weight)
        if k >= old:
            after["born"].append(one["ids"])
        elif weight > 0 and not was_active:
            after["revived"].append(one["ids"])
        elif weight == 0 and was_active:
            after["asleep"].append(one["ids"])
        if now - one["last_seen"] > lifetime:
            after["died"].append(one["ids"])
            continue
        for name in tables:
            after[name].append(one[name])
    return after


def events_twin(before, report, lifetime):
    """One event per birth, revival, sleep and death, with its cost, in order of time."""
    step, now, birth = report.step, report.time, report.birth_cost
    revival = dict(zip(before["ids"], before["revival"], strict=True))
    seen = dict(zip(before["ids"], before["last_seen"], strict=True))
    events = [Event("birth", k, step, now, birth) for k in report.born]
    events += [Event("revival", k, step, now, revival[k]) for k in report.revived]
    for k in report.asleep:
        events.append(Event("sleep", k, step, min(seen[k] + min(1.0, lifetime), now), 0.0))
    for k in report.died:
        end = min(max(seen[k] + lifetime, before["clock"]), now)
        events.append(Event("death", k, step, end, birth))
    return sorted(events, key=lambda event: event.time)


def newborn(before, k):
    """A newborn at rest, with the next id."""
    return {
        "ids": before["next_id"] + k - len(before["ids"]),
        "hits": 0,
        "velocities": np.zeros(0),
        "velocity_cov": np.zeros(2),
    }


def find_split_merge(rows, forecasts, slots, mass, active, slot_weights, n_old, min_share, max_ratio):
    """Splits and merges in slots, written as the definition says it."""
    step = SharedRows(rows, forecasts, slots, mass, active, len(slot_weights))
    splits = step.find_splits(n_old, min_share, max_ratio)
    return SplitMergeSlots(splits, step.find_merges(slot_weights, min_share))


class SharedRows:
    """The weight of the rows that each parent, an active old cluster, shares with each slot."""

    def __init__(self, rows, forecasts, slots, mass, active, n_slots):
        self.rows, self.forecasts, self.slots, self.mass, self.active = rows, forecasts, slots, mass, active
        self.parents = np.sum((rows[:, None] - forecasts[active]) ** 2, axis=2).argmin(axis=1)
        self.shared = np.array(
            [
                [mass[(self.parents == h) & (slots == s)].sum() for s in range(n_slots)]
                for h in range(len(active))
            ]
        )

    def mean(self, which):
        return self.mass[which] @ self.rows[which] / self.mass[which].sum()

    def find_splits(self, n_old, min_share, max_ratio):
        shared, splits = self.shared, []
        main_parents = shared.argmax(axis=0)
        for h in dict.fromkeys(main_parents[n_old:].tolist()):
            parent = int(self.active[h])
            newborn = [s for s in range(n_old, shared.shape[1]) if main_parents[s] == h]
            whole = [s for s in [parent, *newborn] if shared[h, s] > 0.5 * shared[:, s].sum()]
            parts = [s for s in whole if shared[h, s] >= min_share * shared[h, whole].sum()]
            if parent in parts and len(parts) > 1 and self.is_split(parent, parts, max_ratio):
                splits.append((parent, parts[1:]))
        return splits

    def is_split(self, parent, parts, max_ratio):
        forecast = self.forecasts[parent]
        near = min(squared_distance(self.mean(self.slots == p), forecast) for p in parts)
        return squared_distance(self.mean(np.isin(self.slots, parts)), forecast) < max_ratio * near

    def find_merges(self, slot_weights, min_share):
        shared, merges = self.shared, []
        gone = [h for h in range(len(self.active)) if slot_weights[self.active[h]] == 0]
        for slot in dict.fromkeys(int(shared[h].argmax()) for h in gone):
            own = [h for h in range(len(self.active)) if self.active[h] == slot]
            parents = [*own, *[h for h in gone if shared[h].argmax() == slot and h not in own]]
            enough = [h for h in parents if shared[h, slot] >= min_share * shared[:, slot].sum()]
            enough = [h for h in enough if shared[h, slot] > 0.5 * shared[h].sum()]
            if len(enough) > 1 and all(self.is_at_parent(h, slot) for h in enough):
                merges.append((slot, [int(self.active[h]) for h in enough if h not in own]))
        return merges

    def is_at_parent(self, h, slot):
        here = self.mean((self.parents == h) & (self.slots == slot))
        forecast = self.forecasts[self.active[h]]
        return squared_distance(here, forecast) < squared_distance(here, self.mean(self.slots == slot))


def squared_distance(a, b):
    return float(np.sum((a - b) ** 2))
