"""What a benchmark hands back: rows of a table, each with the number to reach."""

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
    """A bound on one column of a row."""

    column: Column
    sense: Sense
    value: float

    def __str__(self) -> str:
        return f"{self.column} {self.sense} {self.value:g}"


class Row(NamedTuple):
    """One measured number beside its peer's."""

    what: str
    ours: float | None = None
    peer: float | None = None
    unit: str = ""
    ratio: float | None = None
    target: Target | None = None
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the target holds; None where there is none, or nothing was measured."""
        if self.target is None:
            return None
        value = getattr(self, self.target.column)
        return None if value is None else _HOLDS[self.target.sense](value, self.target.value)

    def as_dict(self) -> dict[str, Any]:
        """Every column as plain JSON, `reached` included; JSON knows no NaN."""
        row = self._replace(target=None)._asdict()
        cells = {key: None if _is_nan(cell) else cell for key, cell in row.items()}
        return {**cells, "target": self.target and str(self.target), "reached": self.reached}


def _is_nan(cell: object) -> bool:
    return isinstance(cell, float) and math.isnan(cell)


def faster(
    what: str, ours: float, peer: float, unit: str, at_least: float | None = None, note: str = ""
) -> Row:
    """Row of two times; its ratio says how many times as fast ours is."""
    target = None if at_least is None else Target("ratio", ">=", at_least)
    return Row(what, ours, peer, unit, peer / ours, target, note)


def better(what: str, ours: float, peer: float | None, at_least: float | None = None, note: str = "") -> Row:
    """Row of two accuracies, where more is better; the target is for ours."""
    target = None if at_least is None else Target("ours", ">=", at_least)
    return Row(what, ours, peer, "", None if peer is None else ours / peer, target, note)
