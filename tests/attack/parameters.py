"""Adversarial parameters: extremes of every parameter of every estimator, legal and not, combined."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from attack.models import ESTIMATORS, REFUSALS, check_step, quietly
from attack.outcome import Outcome
from attack.workers import Attack, run_series, status_of
from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans

CLASSES = (DMeans, KDMeans, SDMeans, PersistentIds)

LEGAL: dict[str, tuple[Any, ...]] = {
    "birth_cost": ("auto", 1e-305, 1e-12, 0.5, 1, 1e12, 1e305),
    "lifetime": (None, "auto", 1.0000000000000002, 2, 1e3, 1e12),
    "reach": (None, "auto", 0.5, 1, 1.5, 1e12),
    "aging_cost": (None, 0, 5e-324, 1e-12, 0.5, 1e305),
    "drift": (None, 0, 5e-324, 0.5, 1e12),
    "motion": ("walk", "velocity", "align"),
    "kernel": ("rbf", "linear", "mst"),
    "selection": ("greedy",),
    "n_restarts": (1, 2, 50),
    "max_iter": (1, 2**31 - 1),
    "n_jobs": (None, -1, 1, 4096),
    "budget": (1, 2, 2**31 - 1),
    "history_size": (0, 1, 2**31 - 1),
    "random_state": (None, 0, 2**64 - 1),
    "on_event": (None,),
    "metric": ("euclidean", "cosine"),
    "noise": ("keep", "nearest"),
    "min_hits": (1, 2, 10**6),
    "exclusive": (None, "auto", True, False),
    **dict.fromkeys(("refine", "certify", "relative", "duplicates"), (True, False)),
}
NUMBERS = (
    *(0, 1, -1, 2, 1.5, 0.5, 1e-12, 1e3, 1e12, 1.0000000000000002, 1e-305, 1e305, 1e308, -1e308, 5e-324),
    *(np.nan, np.inf, -np.inf, 10**400, True, np.float32(3.0), np.int64(2), 1j, "auto", "", "1", b"1", None),
    *((), [1.0], {}, np.array(2.0), np.array([2.0, 3.0]), object, "a\nb"),
)
COUNTS = (0, 1, 2, 7, 100, -1, 10**6 + 1, 2**31 - 1, 2**31, 2**63, 2**70, 1.5, np.nan, "3", None, True)
NAMES: dict[str, tuple[Any, ...]] = {
    "motion": ("auto", "walk", "velocity", "align", "teleport", "", None, 3),
    "metric": ("euclidean", "cosine", "manhattan", "", None, 3),
    "noise": ("keep", "nearest", "", None, 3),
    "kernel": ("rbf", "linear", "mst", "precomputed", "no such kernel", None, 3, len, lambda a, b: np.nan),
    "selection": ("greedy", "recent", "no such selection", None),
    "random_state": (None, 0, 2**64 - 1, 2**64, -1, np.random.RandomState(0), "x", 1.5),
    "on_event": (None, 3, "call me"),
    "estimator": (None, 3, "KMeans"),
    **dict.fromkeys(
        ("refine", "certify", "relative", "exclusive", "duplicates"), (True, False, None, 2, "auto", "yes")
    ),
}
WHOLE = ("n_restarts", "max_iter", "n_jobs", "budget", "history_size", "min_hits")
TIMES = (None, 0.0, 1.0, 1e-300, 1e12, 1e300, 1.7e308, -1e308, np.nan, "noon", 10**400)
SCALES = (1.0, 1e-150, 1e140, 0.0)


def attack_parameters(count: int, seed: int) -> Iterator[Outcome]:
    """Yield the outcomes of `count` short streams, each with one to four extreme parameters."""

    def describe(number: int) -> str:
        cls, params, _ = _case(number, seed)
        text = f"parameters seed {seed} number {number}: {cls.__name__}(**{params})"
        return text.replace("\n", " ")[:300]

    def run(number: int) -> int:
        return status_of(quietly(partial(_stream, *_case(number, seed))), REFUSALS)

    yield from run_series(Attack(run, describe, count))


def _case(number: int, seed: int) -> tuple[type, dict[str, Any], np.random.Generator]:
    rng = np.random.default_rng([seed, number])
    cls = CLASSES[number % len(CLASSES)]
    return cls, _draw(cls, rng), rng


def _draw(cls: type, rng: np.random.Generator) -> dict[str, Any]:
    names = list(inspect.signature(cls).parameters)
    legal = rng.random() < 0.7
    chosen = rng.choice(names, size=min(int(rng.integers(1, 5)), len(names)), replace=False)
    return {str(name): _value(str(name), legal, rng) for name in chosen if not legal or name in LEGAL}


def _value(name: str, legal: bool, rng: np.random.Generator) -> Any:
    pool = LEGAL[name] if legal else NAMES.get(name, COUNTS if name in WHOLE else NUMBERS)
    return pool[int(rng.integers(len(pool)))]


def _stream(cls: type, params: dict[str, Any], rng: np.random.Generator) -> None:
    model = ESTIMATORS[cls.__name__](**{"random_state": 0}) if "estimator" not in params else cls()
    model.set_params(**params)
    scale = SCALES[int(rng.integers(len(SCALES)))]
    calm = rng.random() < 0.8
    for _ in range(4):
        X = scale * rng.normal(size=(int(rng.integers(1, 25)), 2))
        t = None if calm else TIMES[int(rng.integers(len(TIMES)))]
        check_step(model.partial_fit(X, t=t), len(X))
        model.predict(X)
        model.transform(X)
