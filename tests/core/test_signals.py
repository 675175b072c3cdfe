"""A signal ends every long loop before its result, and leaves the model as it was."""

import gc
import signal
import threading
from contextlib import contextmanager, suppress
from functools import partial
from itertools import starmap

import numpy as np
import pytest

from dynmeans import DMeans, _core
from dynmeans.estimators._shell.locking import lock_of

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread(),
    reason="a timer must ring in the main thread",
)

DELAYS = 0.05, 0.02, 0.01, 0.005, 0.002  # seconds; a fast machine may end a loop within the first
TICK = 0.001  # seconds between two signals, one of which arrives in a step
RNG = np.random.default_rng(0)
NONE = np.empty(0)


class StopError(Exception):
    """Raised by the handler."""


@contextmanager
def alarm(handler, delay=DELAYS[0], interval=0.0):
    """Call the handler from a signal; exceptions of the handler are not lost.

    The garbage collector is disabled: Hypothesis adds a callback to it, where Python ignores exceptions.
    """

    def ring(*_):
        handler()

    gc.disable()
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, delay, interval)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


def stop():
    raise StopError


def during_step(model, handler):
    """Send signals often, and call the handler once: the first time that the model is in a step."""
    calls = []

    def ring():
        if lock_of(model).inside and not calls:
            calls.append(1)
            handler()

    return alarm(ring, TICK, interval=TICK)


def descend(n, d, birth, *, n_restarts=3, threads=1, refine=False):
    X = RNG.normal(size=(n, d))
    old = (np.empty((0, d)), NONE, NONE)
    return partial(_core.descend, X, None, *old, birth, 0, 0, n_restarts, 100, threads, refine)


def kernel_descend(n, form):
    X = RNG.normal(size=(n, 8))
    forms = {
        "features": {"features": X, "phi_features": np.empty((0, 8))},
        "dense": {"matrix": X @ X.T},
    }
    parts = (np.ones(n), (X * X).sum(axis=1), np.empty((n, 0)), NONE, NONE, NONE)
    return partial(_core.kernel_descend, *parts, 1e-2, 0, 0, 0, 10**6, **forms[form])


def gibbs():
    X = RNG.normal(size=(1_000, 2))
    chain = (0.01, 1.0, 1.0, np.zeros(2), 0, 0, 1_000_000)
    return partial(_core.gibbs, X, np.empty((0, 2)), NONE, NONE, NONE, *chain)


def particles():
    X, begin = RNG.normal(size=(5_000, 2)), np.zeros(501, dtype=np.int64)
    old = (begin, NONE.astype(np.int64), np.empty((0, 2)), NONE, NONE, NONE, np.zeros(500))
    return partial(_core.particle_learning_step, X, *old, 0.01, 1.0, 1.0, np.zeros(2), 0, 0, 0)


def align():
    rows, kept, owner = RNG.normal(size=(20_000, 3)), RNG.normal(size=(4_000, 3)), np.arange(4_000) % 50
    return partial(_core.align_shifts, rows, np.ones(len(rows)), kept, np.ones(4_000), owner, 50, 0.1, 0.1)


def code_length():
    n, d = 10_000, 40
    rows, ids = RNG.normal(size=(n, d)), np.arange(n) % 5_000
    reference = (np.zeros((1, d)), np.eye(d)[None], np.zeros(n), np.full(d, 1e-6))
    return partial(_core.code_length, rows, None, ids, 5_000, np.array([0, n]), np.zeros(1), *reference)


def slots(n=2_000):
    return partial(_core.link_clusters, RNG.uniform(size=(n, n)), np.ones(n), np.ones(n), np.zeros(n), 1e3)


LOOPS = {
    "descend": lambda: descend(100_000, 2, 1e-3),
    "descend by a team": lambda: descend(100_000, 2, 1e-3, threads=3),
    "many restarts": lambda: descend(20, 2, 0.1, n_restarts=10**7),
    "refine": lambda: descend(20_000, 3, 0.1, refine=True),
    "nearest": lambda: partial(
        _core.nearest_centers, RNG.normal(size=(50_000, 16)), RNG.normal(size=(5_000, 16)), 1
    ),
    "nearest by a team": lambda: partial(
        _core.nearest_centers, RNG.normal(size=(100_000, 16)), RNG.normal(size=(5_000, 16)), 3
    ),
    "kernel descent by features": lambda: kernel_descend(6_000, "features"),
    "kernel descent by a matrix": lambda: kernel_descend(2_000, "dense"),
    "spanning tree": lambda: partial(_core.minimum_spanning_tree, RNG.normal(size=(100_000, 6)), 2),
    "spanning tree of few rows": lambda: partial(
        _core.minimum_spanning_tree, RNG.normal(size=(12_000, 60)), 1
    ),
    "forest": lambda: partial(_core.mst_components, RNG.normal(size=(12_000, 60)), 1.0, 1),
    "gibbs": gibbs,
    "particles": particles,
    "align": align,
    "code length": code_length,
    "pairing": slots,
}


def is_ended_early(loop, delay):
    """Whether a signal after `delay` ends the loop before its result."""
    results = []
    # Without a poll, the result is there before the interpreter runs the handler.
    with suppress(StopError), alarm(stop, delay):
        results.extend(starmap(loop, [()]))
    return not results


@pytest.mark.parametrize("name", LOOPS)
def test_a_signal_ends_a_loop(name):
    loop = LOOPS[name]()
    assert any(is_ended_early(loop, delay) for delay in DELAYS)


def test_ctrl_c_leaves_the_model_as_it_was():
    few, many = RNG.normal(size=(50, 2)), RNG.normal(size=(100_000, 2))
    model, twin = (DMeans(birth_cost=1e-3, random_state=0).partial_fit(few) for _ in range(2))
    lock_of(model)
    before, history = dict(vars(model)), model.history_
    with pytest.raises(StopError), during_step(model, stop):
        model.partial_fit(many)
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())
    assert model.history_ == history
    assert model.partial_fit(few).labels_.tolist() == twin.partial_fit(few).labels_.tolist()


def test_a_handler_that_returns_changes_nothing():
    loop, rung = descend(20_000, 2, 1e-3, n_restarts=1), []
    quiet = loop()
    with alarm(lambda: rung.append(1), TICK, interval=TICK):
        while len(rung) < 3:  # a fast machine may need more than one loop
            loud = loop()
            assert all(np.array_equal(a, b) for a, b in zip(quiet, loud, strict=True))


def test_a_handler_cannot_step_a_model_that_is_in_a_step():
    model = DMeans(birth_cost=1e-3, random_state=0).partial_fit([[0.0, 0.0]])
    with (
        pytest.raises(RuntimeError, match="already in a step"),
        during_step(model, lambda: model.partial_fit([[1.0, 1.0]])),
    ):
        model.partial_fit(RNG.normal(size=(100_000, 2)))
    assert model.n_steps_ == 1
