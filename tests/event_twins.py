"""Parts that the Gaussian code and the forest code share, slow and obvious: events, labels and outliers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from scipy.special import betaln
from scipy.special import gammaln as lg

N_AGES = 16
HORIZON = 1000.0  # an id that returns later is new


class EventTwin:
    """Returns by a Beta-binomial for each class of ages, births by a Gamma-Poisson."""

    def __init__(self) -> None:
        self.chances, self.returns = np.zeros(N_AGES), np.zeros(N_AGES)
        self.births = self.nats = 0.0

    def log_birth(self, t: int) -> float:
        """Log probability of one birth more and one absence less."""
        absence = np.log((self.chances[0] - self.returns[0] + 0.5) / (self.chances[0] + 1))
        return absence + (np.log((self.births + 0.5) / (t - 0.5)) if t else 0.0)

    def add(self, t: int, now: float, last_seen: Mapping[int, float], ids: Iterable[int]) -> None:
        for a in range(N_AGES):
            old = [k for k, time in last_seen.items() if age_class(now - time) == a]
            c, r = len(old), len({*old} & {*ids})
            yes, no = self.returns[a] + 0.5, self.chances[a] - self.returns[a] + 0.5
            self.nats += frequency(yes, no, r, c - r)
            self.chances[a] += c
            self.returns[a] += r
        b = len({*ids} - {*last_seen})
        if t == 0:
            self.nats += 2 * np.log(max(b, 1)) - lg(b + 1)
            return
        shape, rate = self.births + 0.5, t - 0.5
        self.nats += lg(shape) - lg(shape + b) - shape * np.log(rate / (rate + 1)) + b * np.log(rate + 1)
        self.births += b


class LabelTwin:
    """Labels by two codes at equal odds: Dirichlet-multinomial, and most ids with a single row."""

    def __init__(self) -> None:
        self.fresh_mass = self.fresh_count = self.dirichlet = 0.0
        self.sizes_of_steps: list[list[float]] = []

    def add(self, sizes: Mapping[int, float], last_sizes: Mapping[int, float]) -> None:
        usual = self.fresh_mass / self.fresh_count if self.fresh_count else 0.0
        alphas = {k: 0.5 + last_sizes.get(k, usual) for k in sizes}
        self.dirichlet += sum(lg(alphas[k]) - lg(alphas[k] + n) for k, n in sizes.items())
        if sizes:
            total = sum(alphas.values())
            self.dirichlet += lg(total + sum(sizes.values())) - lg(total)
        self.sizes_of_steps.append([*sizes.values()])
        new = [n for k, n in sizes.items() if k not in last_sizes]
        self.fresh_mass, self.fresh_count = self.fresh_mass + sum(new), self.fresh_count + len(new)

    def nats(self) -> float:
        sizes = np.array([n for step in self.sizes_of_steps for n in step])
        if any(n < 1 or n != int(n) for n in sizes):
            return np.log(2) + self.dirichlet
        more = sizes[sizes > 1]
        order = sum(lg(sum(step) + 1) - sum(lg(n + 1) for n in step) for step in self.sizes_of_steps)
        which = betaln(0.5, 0.5) - betaln(0.5 + len(sizes) - len(more), 0.5 + len(more))
        how_many = betaln(0.5, 0.5) - betaln(0.5 + (more - 2).sum(), 0.5 + len(more))
        return np.log(2) - np.logaddexp(-self.dirichlet, -(which + how_many + order))


class OutlierTwin:
    """Which rows are outliers, by a Beta-binomial that expects one in twenty."""

    def __init__(self) -> None:
        self.outliers = self.encoded = self.nats = 0.0

    def odds(self) -> float:
        """Logarithm of the odds that the next row is an outlier."""
        return np.log((self.outliers + 1) / (self.encoded - self.outliers + 19))

    def add(self, outliers: float, n: float) -> None:
        yes, no = self.outliers + 1, self.encoded - self.outliers + 19
        self.nats += frequency(yes, no, outliers, n - outliers)
        self.outliers, self.encoded = self.outliers + outliers, self.encoded + n


def frequency(yes: float, no: float, hits: float, misses: float) -> float:
    """Nats of hits and misses in a known order: Beta-binomial."""
    more = lg(yes + hits) - lg(yes) + lg(no + misses) - lg(no)
    return lg(yes + no + hits + misses) - lg(yes + no) - more


def age_class(age: float) -> int:
    """1, 2, up to 4, up to 8, ..."""
    return next(a for a in range(N_AGES) if age <= 2**a + 1e-9 or a == N_AGES - 1)
