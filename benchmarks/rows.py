"""Rows of a benchmark table, each with an optional target."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

Sense = Literal[">=", ">", "<=", "<"]
Column = Literal["ours", "ratio"]

_HOLDS: dict[Sense, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}


class Target(NamedTuple):
    """Bound on one column of a row."""

    column: Column
    sense: Sense
    value: float

    def __str__(self) -> str:
        return f"{self.column} {self.sense} {self.value:g}"


class Row(NamedTuple):
    """Measured number with that of its peer."""

    what: str
    ours: float | None = None
    peer: float | None = None
    unit: str = ""
    ratio: float | None = None
    target: Target | None = None
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None without a target or a measurement."""
        if self.target is None:
            return None
        value = getattr(self, self.target.column)
        return None if value is None else _HOLDS[self.target.sense](value, self.target.value)

    def as_dict(self) -> dict[str, Any]:
        """Return every column as JSON values, with `reached`; NaN becomes null."""
        row = self._replace(target=None)._asdict()
        cells = {key: None if _is_nan(cell) else cell for key, cell in row.items()}
        return {**cells, "target": self.target and str(self.target), "reached": self.reached}


def _is_nan(cell: object) -> bool:
    return isinstance(cell, float) and math.isnan(cell)


def faster(
    what: str, ours: float, peer: float, unit: str, at_least: float | None = None, note: str = ""
) -> Row:
    """Make a row of two times; its ratio is the speed-up of dynmeans."""
    target = None if at_least is None else Target("ratio", ">=", at_least)
    return Row(what=what, ours=ours, peer=peer, unit=unit, ratio=peer / ours, target=target, note=note)


def better(what: str, ours: float, peer: float | None, at_least: float | None = None, note: str = "") -> Row:
    """Make a row of two accuracies; the target is for dynmeans."""
    target = None if at_least is None else Target("ours", ">=", at_least)
    return Row(
        what=what,
        ours=ours,
        peer=peer,
        unit="",
        ratio=None if peer is None else ours / peer,
        target=target,
        note=note,
    )
