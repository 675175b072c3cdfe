"""Array types of the model."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
SlotArray: TypeAlias = NDArray[np.int32] | NDArray[np.uint16]  # large batches in two bytes, if they fit
