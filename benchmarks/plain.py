"""The plain C++ peer: compiled at run time, with the prior and the objective of dynmeans."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from dynmeans._algorithms.batch import Batch
from dynmeans._model.costs import Costs
from dynmeans._model.lifecycle import StepResult, update_state
from dynmeans._model.motion import Motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior, predict_prior
from dynmeans._model.state import ClusterState

Members = Literal["maps", "sums"]

SOURCE = Path(__file__).with_name("plain_dmeans.cpp")
COMPILERS = ("c++", "g++", "clang++")


def step(
    state: ClusterState, batch: Batch, costs: Costs, motion: Motion, seed: int, members: Members = "maps"
) -> StepResult:
    """Run `dynmeans._algorithms.dmeans.step` with the plain descent in place of the fast one."""
    prior = predict_prior(state, batch.time, costs, motion)
    slots, cost, passes = descend(batch.rows, prior, costs.birth, seed, members)
    return update_state(
        state, prior, _as_fit(batch.rows, prior, slots, cost, passes), costs, motion, batch.time
    )


def descend(
    rows: np.ndarray, prior: Prior, birth: float, seed: int, members: Members
) -> tuple[np.ndarray, float, int]:
    """Return labels (old clusters first, then new ones, possibly with gaps), objective and passes."""
    labels = np.empty(len(rows), dtype=np.int32)
    passes = ctypes.c_int()
    function = getattr(_library(), f"{members}_{rows.shape[1]}d")
    function.restype = ctypes.c_double
    inputs = [
        np.ascontiguousarray(a, dtype=np.float64) for a in (rows, prior.centers, prior.gammas, prior.revival)
    ]
    points, centers, gammas, revival = (ctypes.c_void_p(a.ctypes.data) for a in inputs)
    cost = function(
        points,
        ctypes.c_int64(len(rows)),
        centers,
        gammas,
        revival,
        ctypes.c_int(len(prior.gammas)),
        ctypes.c_double(birth),
        ctypes.c_uint64(seed),
        ctypes.c_void_p(labels.ctypes.data),
        ctypes.byref(passes),
    )
    return labels, float(cost), passes.value


def _as_fit(rows: np.ndarray, prior: Prior, labels: np.ndarray, cost: float, passes: int) -> Fit:
    """Renumber new clusters without gaps, and sum the points of every cluster."""
    old = len(prior.gammas)
    newborn = np.unique(labels[labels >= old])
    slots = np.where(labels >= old, old + np.searchsorted(newborn, labels), labels)
    count = old + len(newborn)
    taken = np.bincount(slots, minlength=count).astype(np.float64)
    sums = np.stack([np.bincount(slots, weights=column, minlength=count) for column in rows.T], axis=1)
    gammas = np.concatenate([prior.gammas, np.zeros(len(newborn))])
    phi = np.concatenate([prior.centers, np.zeros((len(newborn), rows.shape[1]))])
    centers = (gammas[:, None] * phi + sums) / (gammas + taken)[:, None]
    return Fit(slots, centers, taken, cost, passes, np.array([cost]))


@cache
def _library() -> ctypes.CDLL:
    """Compile once per process."""
    compiler = next((path for name in COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        raise RuntimeError(f"the plain peer needs a C++ compiler: none of {', '.join(COMPILERS)} was found")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "plain_dmeans.so"
        flags = ["-std=c++17", "-O3", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", str(target), str(SOURCE)], check=True)
        return ctypes.CDLL(str(target))
