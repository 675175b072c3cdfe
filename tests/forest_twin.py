"""The forest code written down one id at a time: slow and obvious."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from scipy.special import gammaln as lg
from scipy.special import logsumexp
from scipy.stats import multivariate_t

from dynmeans._codes.forest_code import ForestReference
from tuning_twins import age_class, mixed_labels


def forest_parts(reference: ForestReference, labels: list[np.ndarray]) -> np.ndarray:
    """Nats per point for edges, roots, labels, events and noise; every row is sampled."""
    d = reference.rows.shape[1]
    tracks: dict[int, dict] = {}
    pooled, seen, credit = [reference.spread] * 2, 1.0, np.zeros(2)
    chances, returns = np.zeros(16), np.zeros(16)
    births = fresh_mass = fresh_count = noise_seen = n_points = 0.0
    edges = roots = tags = events = noise = dirichlet = 0.0
    sizes_of_steps = []
    for t, now in enumerate(reference.times):
        part = slice(reference.starts[t], reference.starts[t + 1])
        rows, background, ids = reference.rows[part], reference.background[part], labels[t]
        noise -= background[ids < 0].sum()
        noise += frequency(noise_seen + 1, n_points - noise_seen + 19, (ids < 0).sum(), (ids >= 0).sum())
        noise_seen, n_points = noise_seen + (ids < 0).sum(), n_points + len(ids)
        groups = {k: rows[ids == k] for k in dict.fromkeys(ids.tolist()) if k >= 0}
        known, new = [k for k in groups if k in tracks], [k for k in groups if k not in tracks]
        for a in range(16):
            c = sum(age_class(now - track["t"]) == a for track in tracks.values())
            r = sum(age_class(now - tracks[k]["t"]) == a for k in known)
            events += frequency(returns[a] + 0.5, chances[a] - returns[a] + 0.5, r, c - r)
            chances[a], returns[a] = chances[a] + c, returns[a] + r
        b = len(new)
        if t == 0:
            events += 2 * np.log(max(b, 1)) - lg(b + 1)
        else:
            shape, rate = births + 0.5, t - 0.5
            events += lg(shape) - lg(shape + b) - shape * np.log(rate / (rate + 1)) + b * np.log(rate + 1)
            births += b
        usual = fresh_mass / fresh_count if fresh_count else 0.0
        alphas = {k: 0.5 + (tracks[k]["n"] if k in tracks else usual) for k in groups}
        tags += sum(lg(len(x) + 1) for x in groups.values())
        dirichlet += sum(lg(alphas[k]) - lg(alphas[k] + len(x)) for k, x in groups.items())
        if groups:
            total = sum(map(len, groups.values()))
            dirichlet += lg(sum(alphas.values()) + total) - lg(sum(alphas.values()))
        sizes_of_steps.append([len(x) for x in groups.values()])
        fresh_mass, fresh_count = fresh_mass + sum(len(groups[k]) for k in new), fresh_count + b
        likelihood, news = np.zeros(2), [np.zeros((d, d)), np.zeros((d, d))]
        for k, x in groups.items():
            edges += tree(x, reference)
            if k in new:
                roots -= logsumexp(background[ids == k]) - np.log(len(x))
                track = {"m": x.mean(axis=0), "v": np.zeros(d), "n": len(x), "t": now, "seen": 1}
                tracks[k] = track | {"w": 0.0, "own": [np.zeros((d, d))] * 2}
                continue
            track = tracks[k]
            gap = max(now - track["t"], 1e-3)
            age, own = max(gap, 1.0), []
            for h in range(2):
                away = x - track["m"] - (track["v"] * gap if h else 0.0)
                spread = age * (3 * pooled[h] / seen + track["own"][h]) / (3 + track["w"])
                spread = spread + reference.min_variance * np.eye(d)
                each = multivariate_t.logpdf(away, shape=spread, df=3 + track["w"])
                likelihood[h] += logsumexp(each) - np.log(len(x))
                found = away.T @ away / len(x)
                found = found * min(1.0, 4 * np.trace(spread) / max(np.trace(found), 1e-300)) / age
                news[h] = news[h] + found
                own.append(0.5 * track["own"][h] + found)
            speed = (x.mean(axis=0) - track["m"]) / gap
            speed = speed if track["seen"] == 1 else 0.5 * (track["v"] + speed)
            tracks[k] = {"m": x.mean(axis=0), "v": speed, "n": len(x), "t": now, "seen": track["seen"] + 1}
            tracks[k] |= {"w": 0.5 * track["w"] + 1, "own": own}
        before = logsumexp(credit)
        credit = credit + likelihood
        roots += before - logsumexp(credit)
        pooled, seen = [p + n for p, n in zip(pooled, news, strict=True)], seen + len(known)
        tracks = {k: track for k, track in tracks.items() if now - track["t"] <= 50}
    tags += mixed_labels(dirichlet, sizes_of_steps)
    return np.array([edges, roots, tags, events, noise]) / len(reference.rows)


def frequency(yes: float, no: float, hits: float, misses: float) -> float:
    """Nats of hits and misses in a known order: Beta-binomial."""
    more = lg(yes + hits) - lg(yes) + lg(no + misses) - lg(no)
    return lg(yes + no + hits + misses) - lg(yes + no) - more


def tree(rows: np.ndarray, reference: ForestReference) -> float:
    """Nats of the edges of a minimum spanning tree; copies of a row are joined by edges of length 0."""
    distinct = np.unique(rows, axis=0)
    lengths = minimum_spanning_tree(cdist(distinct, distinct)).data
    lengths = np.concatenate([lengths, np.zeros(len(rows) - 1 - len(lengths))])
    grid = reference.first_log + reference.log_step * np.arange(len(reference.edge_nats))
    logs = np.log(np.maximum(lengths, np.exp(grid[0])))
    return float(np.interp(logs, grid, reference.edge_nats).sum())
