"""The forest code, one id at a time: slow and obvious."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from scipy.special import gammaln as lg
from scipy.special import logsumexp
from scipy.stats import multivariate_t

from dynmeans._codes.forest_code import FORECASTS, ForestReference
from event_twins import HORIZON, EventTwin, LabelTwin, OutlierTwin

N = len(FORECASTS)


def forest_parts(reference: ForestReference, labels: list[np.ndarray]) -> np.ndarray:
    """Nats per point for edges, roots, labels, events and noise; every row is sampled."""
    code = ForestTwin(reference)
    for t, ids in enumerate(labels):
        code.encode_step(t, ids)
    noise = code.noise + code.outliers.nats
    tags = code.orders + code.tags.nats()
    return np.array([code.edges, code.roots, tags, code.events.nats, noise]) / len(reference.rows)


def forecast_likelihoods(reference: ForestReference, labels: list[np.ndarray]) -> np.ndarray:
    """Log likelihood of the roots of known ids under every forecast."""
    code = ForestTwin(reference)
    for t, ids in enumerate(labels):
        code.encode_step(t, ids)
    return code.credit


class ForestTwin:
    """State and total length of the forest code."""

    def __init__(self, reference: ForestReference) -> None:
        self.reference, self.d = reference, reference.rows.shape[1]
        self.tracks: dict[int, dict] = {}  # size, filters, time, and spread of each id
        self.pooled = np.stack([reference.spread] * N)
        self.seen, self.credit = 1.0, np.zeros(N)
        self.events, self.tags, self.outliers = EventTwin(), LabelTwin(), OutlierTwin()
        self.edges = self.roots = self.orders = self.noise = 0.0

    def encode_step(self, t: int, ids: np.ndarray) -> None:
        part, now = slice(*self.reference.starts[t : t + 2]), self.reference.times[t]
        rows, background = self.reference.rows[part], self.reference.background[part]
        self.noise -= background[ids < 0].sum()
        self.outliers.add((ids < 0).sum(), len(ids))
        groups = {k: rows[ids == k] for k in dict.fromkeys(ids.tolist()) if k >= 0}
        sizes = {k: len(x) for k, x in groups.items()}
        self.events.add(t, now, {k: track["t"] for k, track in self.tracks.items()}, groups)
        self.tags.add(sizes, {k: track["n"] for k, track in self.tracks.items()})
        self.orders += sum(lg(n + 1) for n in sizes.values())
        self.edges += sum(tree(x, self.reference) for x in groups.values())
        for k in [k for k in groups if k not in self.tracks]:
            self.roots -= logsumexp(background[ids == k]) - np.log(sizes[k])
        self.encode_roots(groups, now)

    def encode_roots(self, groups: dict[int, np.ndarray], now: float) -> None:
        """Encode the roots of known ids by the first two forecasts, and update all tracks."""
        likelihood, spreads, known = np.zeros(N), np.zeros((N, self.d, self.d)), 0
        for k, x in groups.items():
            if k in self.tracks:
                own, found = self.forecast(self.tracks[k], x, now)
                likelihood, spreads, known = likelihood + own, spreads + found, known + 1
                self.tracks[k] = moved(self.tracks[k], x, now, found)
            else:
                none = np.zeros((N, self.d, self.d))
                filters = [born(x, motion) for motion in FORECASTS]
                self.tracks[k] = {"filters": filters, "n": len(x), "t": now, "w": 0.0, "own": none}
        before = logsumexp(self.credit[:2])
        self.credit = self.credit + likelihood
        self.roots += before - logsumexp(self.credit[:2])
        self.pooled, self.seen = self.pooled + spreads, self.seen + known
        self.tracks = {k: track for k, track in self.tracks.items() if now - track["t"] <= HORIZON}

    def forecast(self, track: dict, x: np.ndarray, now: float) -> tuple[np.ndarray, np.ndarray]:
        """Log likelihood of a root and the spread found, around each forecast."""
        elapsed = max(now - track["t"], 1e-3)
        age, likelihood, spreads = max(elapsed, 1.0), np.zeros(N), np.zeros((N, self.d, self.d))
        for h in range(N):
            away = x - predicted(*track["filters"][h], elapsed, FORECASTS[h])[0][0]
            spread = age * (3 * self.pooled[h] / self.seen + track["own"][h]) / (3 + track["w"])
            spread = spread + self.reference.min_variance * np.eye(self.d)
            each = multivariate_t.logpdf(away, shape=spread, df=3 + track["w"])
            likelihood[h] = logsumexp(each) - np.log(len(x))
            found = away.T @ away / len(x)
            spreads[h] = found * min(1.0, 4 * np.trace(spread) / max(np.trace(found), 1e-300)) / age
        return likelihood, spreads


def moved(track: dict, x: np.ndarray, now: float, spreads: np.ndarray) -> dict:
    """A track after one more sighting."""
    elapsed = max(now - track["t"], 1e-3)
    filters = [
        updated(*predicted(*f, elapsed, motion), x)
        for f, motion in zip(track["filters"], FORECASTS, strict=True)
    ]
    own = 0.5 * track["own"] + spreads
    return {"filters": filters, "n": len(x), "t": now, "w": 0.5 * track["w"] + 1, "own": own}


def born(x: np.ndarray, motion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity, (2, d), of a new id, and their covariance, (2, 2), the same in every feature."""
    return np.stack([x.mean(axis=0), np.zeros(x.shape[1])]), np.diag([1 / len(x), motion[2]])


def predicted(state: np.ndarray, cov: np.ndarray, elapsed: float, motion: np.ndarray) -> tuple:
    """Predict by the textbook: F x and F P F' + Q, with continuous noise of position p and velocity q."""
    forward = np.array([[1.0, elapsed], [0.0, 1.0]])
    p, q = motion[:2]
    noise = np.array(
        [[p * elapsed + q * elapsed**3 / 3, q * elapsed**2 / 2], [q * elapsed**2 / 2, q * elapsed]]
    )
    return forward @ state, forward @ cov @ forward.T + noise


def updated(state: np.ndarray, cov: np.ndarray, x: np.ndarray) -> tuple:
    """Update by the textbook: the mean of n rows is the position with an error of variance 1 / n."""
    gain = cov[:, 0] / (cov[0, 0] + 1 / len(x))
    return state + np.outer(gain, x.mean(axis=0) - state[0]), cov - np.outer(gain, cov[0])


def tree(rows: np.ndarray, reference: ForestReference) -> float:
    """Nats of the edges of a minimum spanning tree; copies of a row are joined by edges of length 0."""
    distinct = np.unique(rows, axis=0)
    lengths = minimum_spanning_tree(cdist(distinct, distinct)).data
    lengths = np.concatenate([lengths, np.zeros(len(rows) - 1 - len(lengths))])
    grid = reference.first_log + reference.log_step * np.arange(len(reference.edge_nats))
    logs = np.log(np.maximum(lengths, np.exp(grid[0])))
    return float(np.interp(logs, grid, reference.edge_nats).sum())
