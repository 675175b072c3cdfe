"""The code length written down one cluster at a time: slow and obvious."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, logsumexp, multigammaln
from scipy.special import gammaln as lg
from scipy.stats import multivariate_normal, multivariate_t

from dynmeans.tuning.code_length import Reference


def code_parts(reference: Reference, labels: list[np.ndarray]) -> np.ndarray:
    """Nats per unit of weight for means, scatters, labels and events."""
    d = reference.rows.shape[1]
    floor, eye = np.diag(reference.floor), np.eye(d)
    lives: dict[int, dict] = {}
    pooled, pooled_n = np.zeros((d, d)), 0.0
    missed, waited, credit = np.zeros(2), np.zeros(2), np.zeros(2)
    chances, returns = np.zeros(16), np.zeros(16)
    births = fresh_mass = fresh_count = 0.0
    outliers = encoded = 0.0
    means = scatters = tags = events = mass = dirichlet = 0.0
    sizes_of_steps = []
    for t, now in enumerate(reference.times):
        part = slice(reference.starts[t], reference.starts[t + 1])
        rows, background, whole = reference.rows[part], reference.background[part], reference.covs[t]
        weights = np.ones(len(rows)) if reference.weights is None else reference.weights[part]
        mass += weights.sum()
        groups = {k: moments(rows, weights, labels[t] == k, floor) for k in dict.fromkeys(labels[t].tolist())}
        sizes = [0.25**s * whole + floor for s in range(9)]
        if pooled_n == 0:
            usual = sizes[int(np.argmax([sizes_likelihood(groups, size) for size in sizes]))]
            variance = np.trace(reference.covs[0]) / d
        else:
            variance = np.trace(pooled) / d / pooled_n
            usual = (pooled + (d + 1) * variance * eye) / (pooled_n + d + 1) + floor
        odds = np.log((outliers + 1) / (encoded - outliers + 19))
        absence = np.log((chances[0] - returns[0] + 0.5) / (chances[0] + 1))
        for k in list(groups):
            life = lives.get(k, {"A": 0.0, "B": 0.0})
            here, share = labels[t] == k, np.log(groups[k][0] / weights.sum())
            kept = core(rows, weights, here, background + odds - share, usual + life["B"], life["A"], floor)
            gains = []
            for some in (here, kept):
                n, m, S = moments(rows, weights, some, floor)
                gain = n * share + wishart(n, S, d + 2 + life["A"], usual + life["B"])
                gain -= weights[some] @ (background + odds)[some]
                if k in lives:
                    both = forecasts(n, m, life, usual, now, missed, waited, variance)[0]
                    gain += logsumexp(credit + both) - logsumexp(credit)
                else:
                    gain += absence + (np.log((births + 0.5) / (t - 0.5)) if t else 0.0)
                    gain += log_cauchy(m - reference.means[t], whole + usual / n)
                gains.append(gain)
            kept = kept if gains[1] > gains[0] else here
            comes_back = k not in lives and any((later == k).any() for later in labels[t + 1 :])
            if max(gains) < 0 and not comes_back:
                kept = np.zeros_like(here)
            scatters -= weights[here & ~kept] @ background[here & ~kept]
            if kept.any():
                groups[k] = moments(rows, weights, kept, floor)
            else:
                del groups[k]
        n = weights.sum()
        s = n - sum(group[0] for group in groups.values())
        yes, no = outliers + 1, encoded - outliers + 19
        tags -= lg(yes + s) - lg(yes) + lg(no + n - s) - lg(no) - lg(yes + no + n) + lg(yes + no)
        outliers, encoded = outliers + s, encoded + n
        known = [k for k in groups if k in lives]
        new = [k for k in groups if k not in lives]
        for a in range(16):
            c = sum(age_class(now - life["t"]) == a for life in lives.values())
            r = sum(age_class(now - lives[k]["t"]) == a for k in known)
            yes, no = returns[a] + 0.5, chances[a] - returns[a] + 0.5
            events -= lg(yes + r) - lg(yes) + lg(no + c - r) - lg(no) - lg(yes + no + c) + lg(yes + no)
            chances[a] += c
            returns[a] += r
        b = len(new)
        events -= lg(b + 1)
        if t == 0:
            events += 2 * np.log(max(b, 1))
        else:
            shape, rate = births + 0.5, t - 0.5
            events -= lg(shape + b) - lg(shape) - lg(b + 1)
            events -= shape * np.log(rate / (rate + 1)) - b * np.log(rate + 1)
            births += b
        usual_size = fresh_mass / fresh_count if fresh_count else 0.0
        alphas = {k: 0.5 + (lives[k]["n"] if k in lives else usual_size) for k in groups}
        dirichlet -= sum(lg(alphas[k] + groups[k][0]) - lg(alphas[k]) for k in groups)
        if groups:
            dirichlet -= lg(sum(alphas.values())) - lg(sum(alphas.values()) + n - s)
        sizes_of_steps.append([group[0] for group in groups.values()])
        fresh_mass += sum(groups[k][0] for k in new)
        fresh_count += len(new)
        if pooled_n == 0:
            each = [sizes_likelihood(groups, size) for size in sizes]
            scatters -= logsumexp(each) - np.log(9)
            usual = sizes[int(np.argmax(each))]
        likelihood, news, wait = np.zeros(2), np.zeros(2), np.zeros(2)
        for k, (n, m, S) in groups.items():
            life = lives.get(k, {"A": 0.0, "B": 0.0})
            if pooled_n > 0:
                scatters -= wishart(n, S, d + 2 + life["A"], usual + life["B"])
            if k in new:
                means -= log_cauchy(m - reference.means[t], whole + usual / n)
                continue
            found = forecasts(n, m, life, usual, now, missed, waited, variance)
            likelihood, news, wait = likelihood + found[0], news + found[1], wait + found[2]
        before = logsumexp(credit)
        credit, missed, waited = credit + likelihood, missed + news, waited + wait
        means -= logsumexp(credit) - before
        for life in lives.values():
            life["A"] *= 0.5
            life["B"] = 0.5 * life["B"]
        for k, (n, m, S) in groups.items():
            more = max(n - 1, 0)
            pooled, pooled_n = pooled + S, pooled_n + more
            old = lives.get(k, {"A": 0.0, "B": 0.0})
            speed = (m - old["m"]) / max(now - old["t"], 1e-3) if k in lives else None
            lives[k] = {"n": n, "m": m, "v": speed, "t": now, "A": old["A"] + more, "B": old["B"] + S}
        lives = {k: life for k, life in lives.items() if now - life["t"] <= 50}
    tags += mixed_labels(dirichlet, sizes_of_steps)
    return np.array([means, scatters, tags, events]) / mass


def mixed_labels(dirichlet: float, sizes_of_steps: list[list[float]]) -> float:
    """Labels by two codes at equal odds: Dirichlet-multinomial, and most ids with a single row."""
    sizes = np.array([n for step in sizes_of_steps for n in step])
    if any(n < 1 or n != int(n) for n in sizes):
        return np.log(2) + dirichlet
    more = sizes[sizes > 1]
    order = sum(lg(sum(step) + 1) - sum(lg(n + 1) for n in step) for step in sizes_of_steps)
    which = betaln(0.5, 0.5) - betaln(0.5 + len(sizes) - len(more), 0.5 + len(more))
    how_many = betaln(0.5, 0.5) - betaln(0.5 + (more - 2).sum(), 0.5 + len(more))
    return np.log(2) - np.logaddexp(-dirichlet, -(which + how_many + order))


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
    """For the last place, and for that and the last move: likelihood, what is missed, age."""
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
    """Of all scatters, if this is the usual covariance."""
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


def age_class(age: float) -> int:
    """1, 2, up to 4, up to 8, ..."""
    return next(a for a in range(16) if age <= 2**a + 1e-9 or a == 15)
