"""Types of the compiled loops, for the type checker."""

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32] | NDArray[np.float64]
Floats = NDArray[np.float64]

def descend(
    X: Rows,
    weights: Floats | None,
    centers: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
    seed: int,
    step: int,
    n_restarts: int,
    max_iter: int,
    n_threads: int,
) -> tuple[NDArray[np.int32], Floats, Floats, float, int, Floats]: ...
def nearest(X: Rows, centers: Floats, n_threads: int) -> NDArray[np.int32]: ...
def lanes() -> str: ...
