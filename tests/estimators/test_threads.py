"""One model that many threads use at once."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from pickle import dumps, loads
from threading import Barrier

import numpy as np
import pytest

from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans
from dynmeans.baselines import DPMeans
from dynmeans.estimators._shell.locking import lock_of

N_THREADS, N_STEPS = 8, 15
BATCH = np.random.default_rng(0).normal(size=(40, 2))

MODELS = {
    "dmeans": lambda: DMeans(birth_cost=0.5, random_state=0),
    "kdmeans": lambda: KDMeans(random_state=0, n_restarts=1),
    "sdmeans": lambda: SDMeans(random_state=0, n_restarts=1),
}


def together(work):
    """Results of `work` in eight threads that begin at the same time."""
    barrier = Barrier(N_THREADS)

    def begin(number):
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(begin, range(N_THREADS)))


@pytest.mark.parametrize("name", MODELS)
def test_no_step_is_lost(name):
    model = MODELS[name]()

    def steps(_):
        for _ in range(N_STEPS):
            model.partial_fit(BATCH)

    together(steps)
    assert model.n_steps_ == N_THREADS * N_STEPS
    births = [event.id for event in model.history_ if event.kind == "birth"]
    assert sorted(births) == list(range(len(births)))


def test_no_update_is_lost():
    model, labels = PersistentIds(birth_cost=1.0), np.arange(len(BATCH)) % 3
    together(lambda _: [model.update(BATCH, labels) for _ in range(N_STEPS)])
    assert model.n_steps_ == N_THREADS * N_STEPS


@pytest.mark.parametrize("name", MODELS)
def test_predictions_beside_steps_are_those_of_one_state(name):
    model = MODELS[name]().partial_fit(BATCH)

    def either(number):
        for step in range(N_STEPS):
            if number % 2:
                model.partial_fit(BATCH + 5.0 * (number + step))  # the number of clusters changes
            else:
                assert (model.predict(BATCH) >= 0).all()
                assert len(model.transform(BATCH)) == len(BATCH)

    together(either)


@pytest.mark.parametrize("duplicate", [copy, deepcopy, lambda model: loads(dumps(model))])
def test_a_copy_has_a_lock_of_its_own(duplicate):
    model = DMeans(birth_cost=0.5, random_state=0).partial_fit(BATCH)
    twin = duplicate(model)
    assert lock_of(twin) is not lock_of(model)
    assert twin.partial_fit(BATCH).labels_.tolist() == model.partial_fit(BATCH).labels_.tolist()


def test_a_callback_may_use_the_model():
    seen = []
    model = DMeans(birth_cost=0.5, random_state=0, on_event=lambda _: seen.append(model.predict(BATCH)[0]))
    model.partial_fit(BATCH)
    assert seen


def test_no_step_of_a_baseline_is_lost():
    model = DPMeans(1.0)
    together(lambda _: [model.partial_fit(BATCH) for _ in range(N_STEPS)])
    assert model.n_steps_ == N_THREADS * N_STEPS


# Forks while a thread is in a step of the model.
FORK = """
import os, signal, threading
import numpy as np
from dynmeans import DMeans
from dynmeans.estimators._shell.locking import lock_of

model, entered, leave = DMeans(birth_cost=0.5, random_state=0), threading.Event(), threading.Event()

def stay_in_a_step():
    with lock_of(model).mutex:
        entered.set()
        leave.wait()

thread = threading.Thread(target=stay_in_a_step)
thread.start()
entered.wait()
child = os.fork()
if not child:
    signal.alarm(60)  # a lock that is never released ends the process
    model.partial_fit(np.zeros((1, 2)))
    os._exit(model.n_steps_)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
leave.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
def test_a_forked_process_can_use_a_model_that_was_in_a_step():
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("1\n", "")
