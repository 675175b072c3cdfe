"""Slow and obvious twins of HOTA, IDF1 and CLEAR MOT, by enumeration, and random runs for the comparison."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import permutations
from math import sqrt

import numpy as np
from hypothesis import strategies as st

from dynmeans.metrics import ObjectRun
from metrics.twins import pairings

Step = dict[tuple[int, int], float]  # (true id, found id) -> similarity


def object_run(seed: int, n_steps: int = 6, n_ids: int = 4) -> ObjectRun:
    """Random objects with misses, false positives and empty steps; similarities are distinct, or 0."""
    rng = np.random.default_rng(seed)
    true, found, similarity = [], [], []
    for _ in range(n_steps):
        true.append(rng.permutation(n_ids)[: rng.integers(n_ids + 1)])
        found.append(10 + rng.permutation(n_ids + 1)[: rng.integers(n_ids + 2)])
        values = rng.random((true[-1].size, found[-1].size))
        near = true[-1][:, None] == found[-1] - 10  # most often the same objects are alike
        values = np.where(near, np.sqrt(values), values * (values > 0.3))
        similarity.append(values)
    return ObjectRun(true, found, similarity)


def object_runs() -> st.SearchStrategy[ObjectRun]:
    runs = st.builds(object_run, st.integers(0, 10**9), st.integers(1, 5), st.integers(1, 4))
    return runs.filter(lambda run: any(ids.size for ids in (*run.true_batches, *run.found_batches)))


def steps_of(run: ObjectRun) -> Iterator[tuple[list[int], list[int], Step]]:
    for true, found, similarity in zip(*run, strict=True):
        table = {
            (t, f): float(similarity[i, j])
            for i, t in enumerate(true.tolist())
            for j, f in enumerate(found.tolist())
        }
        yield true.tolist(), found.tolist(), table


def best_match(true: list[int], found: list[int], score: Step) -> list[tuple[int, int]]:
    """The one-to-one matching of as many objects as possible with the largest sum."""
    short, long = (true, found) if len(true) <= len(found) else (found, true)
    options = [list(zip(short, chosen, strict=True)) for chosen in permutations(long, len(short))]
    if short is not true:
        options = [[(t, f) for f, t in option] for option in options]
    return max(options, key=lambda option: sum(score[pair] for pair in option))


def slow_hota(run: ObjectRun, threshold: float) -> tuple[float, float, float, float]:
    """HOTA, detection accuracy, association accuracy and localization accuracy at one threshold."""
    n_true = Counter(t for true, _, _ in steps_of(run) for t in true)
    n_found = Counter(f for _, found, _ in steps_of(run) for f in found)
    alike: dict[tuple[int, int], float] = defaultdict(float)
    for true, found, table in steps_of(run):
        for t, f in table:
            union = sum(table[t, g] for g in found) + sum(table[u, f] for u in true) - table[t, f]
            alike[t, f] += table[t, f] / union if union > 0 else 0.0
    matches: list[tuple[int, int, float]] = []
    for true, found, table in steps_of(run):
        agree = {
            (t, f): s * alike[t, f] / (n_true[t] + n_found[f] - alike[t, f]) for (t, f), s in table.items()
        }
        matches += [(t, f, table[t, f]) for t, f in best_match(true, found, agree)]
    matches = [match for match in matches if match[2] >= threshold]
    together = Counter((t, f) for t, f, _ in matches)
    tp = len(matches)
    deta = tp / (n_true.total() + n_found.total() - tp)
    each = [together[t, f] / (n_true[t] + n_found[f] - together[t, f]) for t, f, _ in matches]
    assa = sum(each) / tp if tp else 0.0
    return sqrt(deta * assa), deta, assa, sum(s for _, _, s in matches) / tp if tp else 1.0


def slow_idtp(run: ObjectRun, threshold: float) -> int:
    """The largest number of similar objects whose ids are paired, over all pairings of ids."""
    alike = Counter(pair for _, _, table in steps_of(run) for pair, s in table.items() if s >= threshold)
    return max(sum(alike[pair] for pair in option) for option in pairings(list(alike)))


def slow_clear(run: ObjectRun, threshold: float) -> tuple[int, int, float]:
    """Matches, identity switches and the sum of similarities of matches."""
    last: dict[int, int] = {}
    previous: dict[int, int] = {}
    tp, switches, total = 0, 0, 0.0
    for _, _, table in steps_of(run):
        if not table:
            continue
        options = list(pairings([pair for pair, s in table.items() if s >= threshold]))
        chosen = max(
            options,
            key=lambda option: (
                sum(previous.get(t) == f for t, f in option),
                sum(table[pair] for pair in option),
            ),
        )
        switches += sum(last.get(t, f) != f for t, f in chosen)
        previous = dict(chosen)
        last |= previous
        tp += len(chosen)
        total += sum(table[pair] for pair in chosen)
    return tp, switches, total
