"""The code length written down one cluster at a time: slow and obvious."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln as lg
from scipy.special import logsumexp, multigammaln
from scipy.stats import multivariate_normal

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
    strays = told = 0.0
    means = scatters = tags = events = mass = 0.0
    for t, now in enumerate(reference.times):
        part = slice(reference.starts[t], reference.starts[t + 1])
        rows = reference.rows[part]
        weights = np.ones(len(rows)) if reference.weights is None else reference.weights[part]
        mass += weights.sum()
        here = {k: labels[t] == k for k in dict.fromkeys(labels[t].tolist())}
        sizes_of = {k: weights[rows_of].sum() for k, rows_of in here.items()}
        groups = {k: moments(rows, weights, rows_of, floor) for k, rows_of in here.items()}
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
        alphas = {k: 0.5 + (lives[k]["size"] if k in lives else usual_size) for k in groups}
        tags -= sum(lg(alphas[k] + sizes_of[k]) - lg(alphas[k]) for k in groups)
        tags -= lg(sum(alphas.values())) - lg(sum(alphas.values()) + weights.sum())
        fresh_mass += sum(sizes_of[k] for k in new)
        fresh_count += len(new)
        whole = reference.covs[t]
        if t == 0:
            sizes = [0.25**s * whole + floor for s in range(9)]
            each = [sum(wishart(*groups[k][::2], d + 2, size) for k in groups) for size in sizes]
            usual = sizes[int(np.argmax(each))]
        else:
            round_part = np.trace(pooled) / d / pooled_n if pooled_n else 0.0
            usual = (pooled + (d + 1) * round_part * eye) / (pooled_n + d + 1) + floor
        odds = np.log((strays + 0.5) / (told - strays + 9.5))
        for k in groups:
            shape = usual + (lives[k]["B"] if k in lives else 0.0)
            own = lives[k]["A"] if k in lives else 0.0
            kept = core(rows, weights, here[k], reference.background[part] + odds, shape, own, floor)
            groups[k] = moments(rows, weights, kept, floor)
            outside = here[k] & ~kept
            scatters -= weights[outside] @ reference.background[part][outside]
        s, n = weights.sum() - sum(group[0] for group in groups.values()), weights.sum()
        yes, no = strays + 0.5, told - strays + 9.5
        tags -= lg(yes + s) - lg(yes) + lg(no + n - s) - lg(no) - lg(yes + no + n) + lg(yes + no)
        strays, told = strays + s, told + n
        if t == 0:
            each = [sum(wishart(*groups[k][::2], d + 2, size) for k in groups) for size in sizes]
            scatters -= logsumexp(each) - np.log(9)
            usual = sizes[int(np.argmax(each))]
        variance = np.trace(pooled) / d / pooled_n if pooled_n else np.trace(reference.covs[0]) / d
        likelihood, news, wait = np.zeros(2), np.zeros(2), 0.0
        for k, (n, m, S) in groups.items():
            own = lives[k]["A"] if k in lives else 0.0
            scale = usual + (lives[k]["B"] if k in lives else 0.0)
            if t > 0:
                scatters -= wishart(n, S, d + 2 + own, scale)
            C = scale / (1 + own)
            if k in new:
                means -= multivariate_normal.logpdf(m, reference.means[t], whole + C / n)
                continue
            life = lives[k]
            age, noise, width = max(now - life["t"], 1e-3), 1 / n + 1 / life["n"], np.trace(C) / d
            wait += age
            for h in range(2):
                drift = (max(missed[h], 0) + variance) / (waited[h] + 1)
                away = m - life["m"] - h * life["v"] * age
                likelihood[h] += multivariate_normal.logpdf(away, cov=noise * C + drift * age * eye)
                news[h] += min(away @ away / d, 4 * (drift * age + noise * width)) - noise * width
        before = logsumexp(credit)
        credit, missed, waited = credit + likelihood, missed + news, waited + wait
        means -= logsumexp(credit) - before
        for life in lives.values():
            life["A"] *= 0.5
            life["B"] = 0.5 * life["B"]
        for k, (n, m, S) in groups.items():
            more = max(n - 1, 0)
            pooled, pooled_n = pooled + S, pooled_n + more
            old = lives.get(k, {"A": 0.0, "B": 0.0, "m": m, "t": now - 1})
            speed = (m - old["m"]) / max(now - old["t"], 1e-3)
            lives[k] = {"n": n, "m": m, "v": speed, "t": now, "A": old["A"] + more, "B": old["B"] + S}
            lives[k]["size"] = sizes_of[k]
        lives = {k: life for k, life in lives.items() if now - life["t"] <= 50}
    return np.array([means, scatters, tags, events]) / mass


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
    """Rows of a group that are no strays: more likely under the group than as points from anywhere."""
    kept = here
    for _ in range(5):
        n, m, S = moments(rows, weights, kept, floor)
        density = multivariate_normal.logpdf(rows, m, (shape + S) / (1 + own + max(n - 1, 0)))
        now = here & (np.atleast_1d(density) >= elsewhere)
        if weights[now].sum() < 0.5 * weights[here].sum():
            return here
        if (now == kept).all():
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
