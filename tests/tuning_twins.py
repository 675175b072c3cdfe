"""The code length, one cluster at a time: slow and obvious."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, multigammaln
from scipy.stats import multivariate_normal, multivariate_t

from dynmeans.tuning.code_length import Reference
from event_twins import HORIZON, EventTwin, LabelTwin, OutlierTwin

JUMPS = 0.0025  # share of positions that are not near their forecast


def code_parts(reference: Reference, labels: list[np.ndarray]) -> np.ndarray:
    """Nats per unit of weight for means, scatters, labels and events."""
    code = GaussianTwin(reference, labels)
    for t in range(len(reference.times)):
        code.encode_step(t)
    tags = code.outliers.nats + code.tags.nats()
    mass = len(reference.rows) if reference.weights is None else reference.weights.sum()
    return np.array([code.means, code.scatters, tags, code.events.nats]) / mass


class GaussianTwin:
    """State and total length of the Gaussian code."""

    def __init__(self, reference: Reference, labels: list[np.ndarray]) -> None:
        self.reference, self.labels = reference, labels
        self.d = reference.rows.shape[1]
        self.floor = np.diag(reference.floor)
        self.lives: dict[int, dict] = {}  # size, mean, velocity, time, and own scatter of each id
        self.pooled, self.pooled_n = np.zeros((self.d, self.d)), 0.0
        self.missed, self.waited, self.credit = np.zeros(2), np.zeros(2), np.zeros(2)
        self.events, self.tags, self.outliers = EventTwin(), LabelTwin(), OutlierTwin()
        self.means = self.scatters = 0.0

    def encode_step(self, t: int) -> None:
        part = slice(self.reference.starts[t], self.reference.starts[t + 1])
        rows, now = self.reference.rows[part], self.reference.times[t]
        weights = np.ones(len(rows)) if self.reference.weights is None else self.reference.weights[part]
        ids = dict.fromkeys(self.labels[t].tolist())
        groups = {k: moments(rows, weights, self.labels[t] == k, self.floor) for k in ids}
        usual, variance = self.usual_shape(t, groups)
        groups = self.without_outliers(t, rows, weights, groups, usual, variance)
        sizes = {k: n for k, (n, _, _) in groups.items()}
        self.outliers.add(weights.sum() - sum(sizes.values()), weights.sum())
        known = {k: life["t"] for k, life in self.lives.items()}
        self.events.add(t, now, known, groups)
        self.tags.add(sizes, {k: life["n"] for k, life in self.lives.items()})
        if self.pooled_n == 0:
            usual = self.encode_first_shape(t, groups)
        self.encode_groups(t, groups, usual, variance)
        self.update(groups, now)

    def candidates(self, t: int) -> list[np.ndarray]:
        """Usual covariances among which the first scatters choose."""
        return [0.25**s * self.reference.covs[t] + self.floor for s in range(9)]

    def usual_shape(self, t: int, groups: dict) -> tuple[np.ndarray, float]:
        """Covariance of a usual cluster, and the variance of its drift."""
        if self.pooled_n == 0:
            each = [sizes_likelihood(groups, size) for size in self.candidates(t)]
            return self.candidates(t)[int(np.argmax(each))], np.trace(self.reference.covs[0]) / self.d
        variance = np.trace(self.pooled) / self.d / self.pooled_n
        pooled = self.pooled + (self.d + 1) * variance * np.eye(self.d)
        return pooled / (self.pooled_n + self.d + 1) + self.floor, variance

    def without_outliers(
        self,
        t: int,
        rows: np.ndarray,
        weights: np.ndarray,
        groups: dict,
        usual: np.ndarray,
        variance: float,
    ) -> dict:
        """Encode rows as outliers where this is shorter, and return the moments of the others."""
        background = self.reference.background[slice(*self.reference.starts[t : t + 2])]
        found = {}
        for k in groups:
            life = self.lives.get(k, {"A": 0.0, "B": 0.0})
            here, share = self.labels[t] == k, np.log(groups[k][0] / weights.sum())
            elsewhere = background + self.outliers.odds()
            kept = core(rows, weights, here, elsewhere - share, usual + life["B"], life["A"], self.floor)
            gains = []
            for some in (here, kept):
                n, m, S = moments(rows, weights, some, self.floor)
                gain = n * share + wishart(n, S, self.d + 2 + life["A"], usual + life["B"])
                gain -= weights[some] @ elsewhere[some]
                gains.append(gain + self.gain_of_center(t, k, n, m, usual, variance))
            kept = kept if gains[1] > gains[0] else here
            comes_back = k not in self.lives and any((later == k).any() for later in self.labels[t + 1 :])
            if max(gains) < 0 and not comes_back:
                kept = np.zeros_like(here)
            self.scatters -= weights[here & ~kept] @ background[here & ~kept]
            if kept.any():
                found[k] = moments(rows, weights, kept, self.floor)
        return found

    def gain_of_center(
        self, t: int, k: int, n: float, m: np.ndarray, usual: np.ndarray, variance: float
    ) -> float:
        if k in self.lives:
            both = self.forecasts(t, k, n, m, usual, variance)[0]
            return logsumexp(self.credit + both) - logsumexp(self.credit)
        return self.events.log_birth(t) + self.anywhere(t, m, usual / n)

    def anywhere(self, t: int, m: np.ndarray, noise: np.ndarray) -> float:
        return log_cauchy(m - self.reference.means[t], self.reference.covs[t] + noise)

    def forecasts(self, t: int, k: int, n: float, m: np.ndarray, usual: np.ndarray, variance: float) -> tuple:
        now, life = self.reference.times[t], self.lives[k]
        found, *others = forecasts(n, m, life, usual, now, self.missed, self.waited, variance)
        jump = self.anywhere(t, m, (usual + life["B"]) / (1 + life["A"]) / n)
        return np.logaddexp(np.log(1.0 - JUMPS) + found, np.log(JUMPS) + jump), *others

    def encode_first_shape(self, t: int, groups: dict) -> np.ndarray:
        """Encode the first scatters with all candidates at equal odds, and return the likeliest one."""
        each = [sizes_likelihood(groups, size) for size in self.candidates(t)]
        self.scatters -= logsumexp(each) - np.log(9)
        return self.candidates(t)[int(np.argmax(each))]

    def encode_groups(self, t: int, groups: dict, usual: np.ndarray, variance: float) -> None:
        likelihood, news, wait = np.zeros(2), np.zeros(2), np.zeros(2)
        for k, (n, m, S) in groups.items():
            life = self.lives.get(k, {"A": 0.0, "B": 0.0})
            if self.pooled_n > 0:
                self.scatters -= wishart(n, S, self.d + 2 + life["A"], usual + life["B"])
            if k not in self.lives:
                self.means -= self.anywhere(t, m, usual / n)
                continue
            found = self.forecasts(t, k, n, m, usual, variance)
            likelihood, news, wait = likelihood + found[0], news + found[1], wait + found[2]
        before = logsumexp(self.credit)
        self.credit = self.credit + likelihood
        self.missed, self.waited = self.missed + news, self.waited + wait
        self.means -= logsumexp(self.credit) - before

    def update(self, groups: dict, now: float) -> None:
        for life in self.lives.values():
            life["A"] *= 0.5
            life["B"] = 0.5 * life["B"]
        for k, (n, m, S) in groups.items():
            more = max(n - 1, 0)
            self.pooled, self.pooled_n = self.pooled + S, self.pooled_n + more
            old = self.lives.get(k, {"A": 0.0, "B": 0.0})
            speed = (m - old["m"]) / max(now - old["t"], 1e-3) if k in self.lives else None
            self.lives[k] = {"n": n, "m": m, "v": speed, "t": now, "A": old["A"] + more, "B": old["B"] + S}
        self.lives = {k: life for k, life in self.lives.items() if now - life["t"] <= HORIZON}


def forecasts(
    n: float,
    m: np.ndarray,
    life: dict,
    usual: np.ndarray,
    now: float,
    missed: np.ndarray,
    waited: np.ndarray,
    variance: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For the last position, and for that and the last displacement: likelihood, excess variance, age."""
    d = len(m)
    C, age, noise = (usual + life["B"]) / (1 + life["A"]), max(now - life["t"], 1e-3), 1 / n + 1 / life["n"]
    found = np.zeros((3, 2))
    for h in range(2):
        if h == 1 and life["v"] is None:
            found[0, 1] = found[0, 0]
            continue
        drift = (max(missed[h], 0) + variance) / (waited[h] + 1)
        away = m - life["m"] - (life["v"] * age if h else 0.0)
        spread = noise * C + drift * age * np.eye(d)
        P = np.linalg.inv(spread)
        better = drift * age + (away @ P @ P @ away - np.trace(P)) / np.trace(P @ P)
        round_part = noise * np.trace(C) / d
        found[0, h] = multivariate_normal.logpdf(away, cov=spread)
        found[1, h] = min(better, 4 * (drift * age + round_part) - round_part)
        found[2, h] = age
    return found[0], found[1], found[2]


def sizes_likelihood(groups: dict, size: np.ndarray) -> float:
    """Log likelihood of all scatters, if this is the usual covariance."""
    return sum(wishart(n, S, len(size) + 2, size) for n, _, S in groups.values())


def log_cauchy(away: np.ndarray, scale: np.ndarray) -> float:
    """Density with long tails: Student's with one degree of freedom."""
    return float(multivariate_t.logpdf(away, shape=scale, df=1))


def moments(rows: np.ndarray, weights: np.ndarray, here: np.ndarray, floor: np.ndarray) -> tuple:
    """Weight, mean and scatter of some rows."""
    w, y = weights[here], rows[here]
    m = w @ y / w.sum()
    return w.sum(), m, ((y - m) * w[:, None]).T @ (y - m) + max(w.sum() - 1, 0) * floor


def core(
    rows: np.ndarray,
    weights: np.ndarray,
    here: np.ndarray,
    elsewhere: np.ndarray,
    shape: np.ndarray,
    own: float,
    floor: np.ndarray,
) -> np.ndarray:
    """Rows of a group that are likelier there than elsewhere, grown from the half around the median."""
    half = (here.sum() + 1) // 2
    median = np.sort(rows[here], axis=0)[half - 1]
    far = np.array([(row - median) @ np.linalg.solve(shape, row - median) for row in rows])
    kept = here & (far <= np.sort(far[here])[half - 1])
    for _ in range(5):
        n, m, S = moments(rows, weights, kept, floor)
        density = multivariate_normal.logpdf(rows, m, (shape + S) / (1 + own + max(n - 1, 0)))
        now = here & (np.atleast_1d(density) >= elsewhere)
        if (now == kept).all() or not now.any():
            break
        kept = now
    return kept


def wishart(n: float, S: np.ndarray, degrees: float, scale: np.ndarray) -> float:
    """Marginal of the scatter of n Gaussian points whose covariance is inverse-Wishart."""
    d = len(S)
    if n <= 1:
        return 0.0
    after = degrees + n - 1
    return (
        -(n - 1) * d / 2 * np.log(np.pi)
        - d / 2 * np.log(n)
        + multigammaln(after / 2, d)
        - multigammaln(degrees / 2, d)
        + degrees / 2 * np.linalg.slogdet(scale)[1]
        - after / 2 * np.linalg.slogdet(scale + S)[1]
    )
