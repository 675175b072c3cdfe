"""Run `dynmeans flights`: read messages, build trajectories, find flows, write and print them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.errors import InputError
from dynmeans._files.limits import FileLimits, parse_limits
from dynmeans._tables.time_steps.window_length import parse_window_length
from dynmeans.apps.flights._files import FILES, MAP_FILES, write_flows
from dynmeans.apps.flights.flows import FlowOptions, Flows, find_flows, largest_flows
from dynmeans.apps.flights.messages import read_messages
from dynmeans.apps.flights.trajectories import Area, Limits, build_trajectories
from dynmeans.cli.console import amount, print_lines, print_summary, task_bar
from dynmeans.runs._folder import check_output_files, locked_folder
from dynmeans.runs._setup.parameter_checks import check_parameters
from dynmeans.runs.parameters import RunParameters

_LISTED = 5  # largest flows in the summary
_ONE = {"messages": "message", "trajectories": "trajectory", "speeds": "speed"}
_WIDTH = 12  # width of the first column of the summary


class FlightOptions(NamedTuple):
    """Options of the command, as given."""

    area: str | None
    gap: str
    max_speed: float
    every: str
    birth_cost: float
    lifetime: float
    reach: float
    lattice: str
    seed: int


def run_flights(
    inputs: list[str], given: FlightOptions, out: Path, limit: list[str] | None, *, force: bool
) -> None:
    """Validate the options, find the flows, and write and print them."""
    box = None if given.area is None else _parse_area(given.area)
    rows, columns = _parse_lattice(given.lattice)
    limits = Limits(gap=_seconds(given.gap, "--gap"), speed=given.max_speed, area=box)
    options = FlowOptions(
        window=_seconds(given.every, "--every"),
        birth_cost=given.birth_cost,
        lifetime=given.lifetime,
        reach=given.reach,
        rows=rows,
        columns=columns,
        area=box,
        seed=given.seed,
    )
    check_parameters(RunParameters(birth_cost=given.birth_cost, lifetime=given.lifetime, reach=given.reach))
    with locked_folder(out):
        check_output_files(out, FILES, force=force, inputs=map(Path, inputs))
        _run(inputs, parse_limits(limit), out, limits, options)


def _run(inputs: list[str], file_limits: FileLimits, out: Path, limits: Limits, options: FlowOptions) -> None:
    began = perf_counter()
    messages = read_messages(inputs, file_limits)
    trajectories, dropped = build_trajectories(messages, limits)
    _print_dropped(len(messages.times), trajectories.n_flights, dropped)
    with task_bar() as show:
        found = find_flows(trajectories, options, show)
    write_flows(found, out)
    picture = _draw(found, out)
    _print_flows(found, perf_counter() - began)
    print_lines("", f"tables  {out}", f"map     {picture}")


def _seconds(text: str, option: str) -> float:
    try:
        every = parse_window_length(text, option)
    except InputError:
        every = None
    if every is None or every.unit not in ("seconds", "days", "weeks"):
        raise InputError(f"{option} is {text!r}; it must be a time above zero, such as 30min, 10s or 2h")
    return every.duration


def _parse_area(text: str) -> Area:
    try:
        area = Area(*map(float, text.split(",")))
    except (ValueError, TypeError):
        raise InputError(f"--area is {text!r}; it must be four numbers SOUTH,NORTH,WEST,EAST") from None
    inside = -180 <= area.west <= 180 and -180 <= area.east <= 180 and area.west != area.east
    if not (-90 <= area.south < area.north <= 90 and inside):
        raise InputError(f"--area is {text!r}; it must be degrees with south < north and west before east")
    return area if area.west < area.east else area._replace(east=area.east + 360.0)


def _parse_lattice(text: str) -> tuple[int, int]:
    try:
        rows, columns = map(int, text.lower().split("x"))
    except ValueError:
        rows = columns = 0
    if min(rows, columns) < 2 or rows * columns > 10_000:
        raise InputError(f"--lattice is {text!r}; it must be ROWSxCOLUMNS, from 2x2 to 10,000 points")
    return rows, columns


def _print_dropped(n_messages: int, n_flights: int, dropped: dict[str, int]) -> None:
    facts = {"messages": f"{n_messages:,}", "trajectories": f"{n_flights:,}"}
    reasons = [_counted(count, reason) for reason, count in dropped.items() if count]
    print_summary({**facts, "left out": reasons[0] if reasons else "nothing"}, _WIDTH)
    print_lines(*(f"{'':{_WIDTH}}  {reason}" for reason in reasons[1:]))


def _counted(count: int, reason: str) -> str:
    """Return a count with a reason whose first word is the noun."""
    many, rest = reason.split(" ", 1)
    return f"{count:,} {_ONE[many] if count == 1 else many} {rest}"


def _print_flows(found: Flows, seconds: float) -> None:
    largest = largest_flows(found, _LISTED)
    shown = ", ".join(f"{flow.id} ({amount(len(flow.members), 'flight')})" for flow in largest)
    counts = Counter(event.kind for event in found.events)
    print_summary(
        {
            "flows": f"{counts['birth']} born, {counts['revival']} revived, {counts['death']} died",
            "largest": shown,
            "time": f"{seconds:.1f} s",
        },
        _WIDTH,
    )


def _draw(found: Flows, out: Path) -> str:
    """Draw the map; return its path, or why it cannot be drawn."""
    from dynmeans.apps.flights._chart import draw_flows
    from dynmeans.plots._figures import save_figure

    try:
        figure = draw_flows(found)
    except ImportError as error:
        return f"none: {error}"
    for name in MAP_FILES:
        with atomic_write(out / name) as temporary:
            save_figure(figure, temporary, bbox_inches="tight")
    return str(out / MAP_FILES[0])
