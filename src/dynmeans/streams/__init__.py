"""Many small streams: one model per key.

`step` is a pure function for engines that keep the state of each key. `KeyedDMeans` keeps the states of all
keys.
"""

from dynmeans.streams.key_steps import KeyEvent
from dynmeans.streams.keyed import KeyedDMeans
from dynmeans.streams.keyed_report import KeyedStep
from dynmeans.streams.pure import StreamStep, step

__all__ = ["KeyEvent", "KeyedDMeans", "KeyedStep", "StreamStep", "step"]
