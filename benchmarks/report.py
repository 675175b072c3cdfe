"""The table on the terminal and the JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.rows import Row
from dynmeans._experiments.machine import PACKAGES, describe_machine

HEADER = ("what", "ours", "peer", "ratio", "target", "reached")
JSON_NAME = "bench.json"

Results = Mapping[str, list[Row]]  # benchmark -> its rows


def table(name: str, rows: list[Row]) -> str:
    """Format the rows of one benchmark as aligned text, with notes below."""
    cells = [HEADER, *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADER))]
    lines = [_align(line, widths) for line in cells]
    rule = "-" * len(lines[0])
    notes = [f"  {row.what}: {row.note}" for row in rows if row.note]
    return "\n".join([f"\n{name}", lines[0], rule, *lines[1:], *notes])


def summary(results: Results) -> str:
    """Count the reached targets, and list the missed ones."""
    with_target = [row for rows in results.values() for row in rows if row.reached is not None]
    missed = [f"  missed: {row.what} ({row.target})" for row in with_target if not row.reached]
    return "\n".join([f"\n{len(with_target) - len(missed)} of {len(with_target)} targets reached", *missed])


def write_json(results: Results, folder: Path) -> Path:
    """Write machine, versions and rows with dates; keep the rows of benchmarks not run again."""
    folder.mkdir(parents=True, exist_ok=True)
    date = datetime.now(timezone.utc).isoformat(timespec="seconds")
    path, record = folder / JSON_NAME, {"date": date, **describe_machine((*PACKAGES, "river"))}
    kept = _measured_here(path, record)
    rows = {name: [row.as_dict() for row in found] for name, found in results.items()}
    record["benchmarks"] = {**kept.get("benchmarks", {}), **rows}
    record["dates"] = {**kept.get("dates", {}), **dict.fromkeys(rows, date)}
    path.write_text(json.dumps(record, indent=1) + "\n")
    return path


def _measured_here(path: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """Read the file if it is from the same machine and versions; otherwise rename it by its date.

    A table must not mix machines, and no measurement may be lost.
    """
    before: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    if all(before.get(part) == record[part] for part in ("machine", "versions")):
        return before
    if before:
        date = "".join(character for character in str(before.get("date")) if character.isalnum())
        path.rename(path.with_name(f"{path.stem}-{date}.json"))
    return {}


def _cells(row: Row) -> tuple[str, ...]:
    reached = {None: "", True: "yes", False: "NO"}[row.reached]
    target = "" if row.target is None else str(row.target)
    return (
        row.what,
        _number(row.ours, row.unit),
        _number(row.peer, row.unit),
        _number(row.ratio),
        target,
        reached,
    )


def _number(value: float | None, unit: str = "") -> str:
    """Format a number with at most four digits, and its unit."""
    if value is None:
        return ""
    digits = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{digits} {unit}".rstrip()


def _align(cells: tuple[str, ...], widths: list[int]) -> str:
    """Align words left and numbers right."""
    return "  ".join(_padded(cells, widths))


def _padded(cells: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    for i, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        yield cell.rjust(width) if 1 <= i <= 3 else cell.ljust(width)
