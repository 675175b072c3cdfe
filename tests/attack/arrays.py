"""Adversarial arrays: every kind of rows and weights, for every estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from attack.models import ESTIMATORS, REFUSALS, check_step, quietly
from attack.outcome import Outcome
from attack.workers import Attack, run_series, status_of

Array = Any
Change = Callable[[Array, np.random.Generator], Array]


def _unaligned(x: Array, _: np.random.Generator) -> Array:
    room = np.zeros(x.nbytes + 1, dtype=np.uint8)
    view = room[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def _with(value: float) -> Change:
    """Return a change that puts the value into one random entry."""

    def put(x: Array, rng: np.random.Generator) -> Array:
        changed = np.array(x, dtype=np.float64)
        if changed.size:
            changed.flat[rng.integers(changed.size)] = value
        return changed

    return put


def _masked(x: Array, rng: np.random.Generator) -> Array:
    return np.ma.MaskedArray(x, mask=rng.random(x.shape) < 0.1)


CHANGES: dict[str, Change] = {
    "as it is": lambda x, _: x,
    "float32": lambda x, _: x.astype(np.float32),
    "float16": lambda x, _: x.astype(np.float16),
    "long double": lambda x, _: x.astype(np.longdouble),
    "int8": lambda x, _: x.astype(np.int8),
    "uint64": lambda x, _: np.abs(x).astype(np.uint64),
    "bool": lambda x, _: x > 0,
    "complex": lambda x, _: x.astype(complex),
    "big-endian": lambda x, _: x.astype(">f8"),
    "big-endian float32": lambda x, _: x.astype(">f4"),
    "object": lambda x, _: x.astype(object),
    "object with None": lambda x, _: np.array([*x.astype(object).tolist(), None], dtype=object),
    "text": lambda x, _: x.astype(str),
    "words": lambda x, _: np.full(x.shape, "a\nb"),
    "bytes": lambda x, _: x.astype("S8"),
    "dates": lambda x, _: x.astype(np.int64).astype("datetime64[s]"),
    "structured": lambda x, _: np.zeros(len(x), dtype=[("a", float), ("b", float)]),
    "Fortran": lambda x, _: np.asfortranarray(x),
    "reversed": lambda x, _: x[::-1],
    "no stride": lambda x, _: np.broadcast_to(x[:1], x.shape),
    "transposed": lambda x, _: x.T,
    "unaligned": _unaligned,
    "read-only": lambda x, _: np.frombuffer(x.tobytes()).reshape(x.shape),
    "list": lambda x, _: x.tolist(),
    "ragged": lambda x, _: [*x.tolist(), [1.0] * 9],
    "generator": lambda x, _: iter(x),
    "sparse": lambda x, _: csr_array(np.atleast_2d(x)),
    "masked": _masked,
    "matrix": lambda x, _: np.asarray(x).view(np.matrix) if x.ndim == 2 else x,
    "empty": lambda x, _: x[:0],
    "one row": lambda x, _: x[:1],
    "no columns": lambda x, _: x[..., :0],
    "3-d": lambda x, _: x[..., None],
    "0-d": lambda x, _: np.array(1.0),
    "scalar": lambda x, _: 1.0,
    "None": lambda x, _: None,
    "dict": lambda x, _: {"a": x},
    "duplicates": lambda x, rng: x[rng.integers(2, size=len(x))],
    "all equal": lambda x, _: np.ones_like(x),
    "zeros": lambda x, _: np.zeros_like(x),
    "negative zeros": lambda x, _: -np.zeros_like(x),
    "negative": lambda x, _: -np.abs(x) - 1.0,
    "tiny": lambda x, _: x * 1e-320,
    "small": lambda x, _: x * 1e-150,
    "large": lambda x, _: x * 1e140,
    "huge": lambda x, _: x * 1e300,
    "nan": _with(np.nan),
    "inf": _with(np.inf),
    "-inf": _with(-np.inf),
    "one large": _with(1e149),
    "one huge": _with(1e308),
    "one denormal": _with(5e-324),
    "one zero": _with(0.0),
}


class _Case(NamedTuple):
    """One adversarial stream."""

    kind: str  # name of the estimator
    rows: str  # name of a change
    weights: str  # name of a change; empty without weights
    is_first: bool  # whether the adversarial batch is the first
    rng: np.random.Generator


def attack_arrays(count: int, seed: int) -> Iterator[Outcome]:
    """Yield the outcomes of `count` streams of three batches, of which the second is adversarial."""

    def describe(number: int) -> str:
        case = _case(number, seed)
        weights = case.weights or "none"
        return f"arrays seed {seed} number {number}: {case.kind}, rows {case.rows}, weights {weights}"

    def run(number: int) -> int:
        return status_of(quietly(partial(_stream, *_case(number, seed))), REFUSALS)

    yield from run_series(Attack(run, describe, count))


def _case(number: int, seed: int) -> _Case:
    """Every change of rows for every estimator in turn, with random weights."""
    rng = np.random.default_rng([seed, number])
    names, kinds = list(CHANGES), list(ESTIMATORS)
    weights = str(rng.choice(names))
    weights = "" if rng.random() < 0.5 else weights
    is_first = bool(rng.random() < 0.5)
    rows = names[number // len(kinds) % len(names)]
    return _Case(kinds[number % len(kinds)], rows, weights, is_first, rng)


def _stream(kind: str, rows: str, weights: str, is_first: bool, rng: np.random.Generator) -> None:
    X = rng.normal(size=(int(rng.integers(2, 40)), int(rng.integers(1, 4))))
    model = ESTIMATORS[kind](random_state=0)
    if not is_first:
        check_step(model.partial_fit(X), len(X))
    given = CHANGES[rows](X, rng)
    mass = CHANGES[weights](rng.uniform(0.5, 2.0, size=len(X)), rng) if weights else None
    n_steps = getattr(model, "n_steps_", 0)
    try:
        model.partial_fit(given, sample_weight=mass)
        check_step(model, np.shape(given)[0])
        model.predict(given)
    finally:  # also after a refusal the model is as it was, or one step further
        if not is_first:
            assert model.n_steps_ in (n_steps, n_steps + 1)
            check_step(model.partial_fit(X), len(X))
