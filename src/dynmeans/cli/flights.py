"""`dynmeans flights`: state vectors of aircraft in, flows over time and a map out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.errors import InputError
from dynmeans._files.limits import Limits as FileLimits
from dynmeans._files.limits import parse_limits
from dynmeans._tables.windowing import parse_every
from dynmeans.apps.flights.files import FILES, MAP_FILES, write_flows
from dynmeans.apps.flights.flows import FlowOptions, Flows, find_flows, popular
from dynmeans.apps.flights.messages import read_messages
from dynmeans.apps.flights.trajectories import Area, Limits, join
from dynmeans.cli.console import amount, say, share_bar, tell
from dynmeans.cli.limits import LimitOption
from dynmeans.estimators.validation import LARGEST_SEED
from dynmeans.runs.folder import check_place, locked_folder
from dynmeans.runs.parameters import Settings, check_settings

_JOIN, _FLOWS = "Trajectories", "Flows"
_LISTED = 5
_ONE = {"messages": "message", "trajectories": "trajectory", "speeds": "speed"}
_WIDTH = 12  # of the first column of what is printed


def flights(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="State vectors: CSV, TSV, JSON Lines, Parquet, Arrow, JSON arrays of objects, or answers of "
            "OpenSky's interface. Columns: icao24, timestamp or time, latitude or lat, longitude or lon; "
            "groundspeed (knots) or velocity (m/s), track or heading, and callsign where they are there.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = Path(
        "dynmeans-flights"
    ),
    force: Annotated[bool, typer.Option("--force", help="Overwrite what lies there.")] = False,
    limit: LimitOption = None,
    area: Annotated[
        str | None,
        typer.Option(
            metavar="SOUTH,NORTH,WEST,EAST",
            help="Leave out messages from elsewhere, and lay the lattice over this area (degrees; west is "
            "more than east where it lies across the antimeridian).",
            rich_help_panel=_JOIN,
        ),
    ] = None,
    gap: Annotated[
        str, typer.Option(help="A longer silence ends a trajectory.", rich_help_panel=_JOIN)
    ] = "10min",
    max_speed: Annotated[
        float,
        typer.Option(min=1, help="Fastest true aircraft, in m/s over ground.", rich_help_panel=_JOIN),
    ] = Limits().speed,
    every: Annotated[
        str, typer.Option(help="Flights that begin within such a window are a step.", rich_help_panel=_FLOWS)
    ] = "30min",
    birth_cost: Annotated[
        float,
        typer.Option(help="Share of a flight that goes elsewhere and founds a flow.", rich_help_panel=_FLOWS),
    ] = FlowOptions().birth_cost,
    lifetime: Annotated[
        float,
        typer.Option(help="Windows that a flow may go unseen until it is forgotten.", rich_help_panel=_FLOWS),
    ] = FlowOptions().lifetime,
    reach: Annotated[
        float,
        typer.Option(
            help="A flow is found again in the next window up to so many birth costs, >= 1.",
            rich_help_panel=_FLOWS,
        ),
    ] = FlowOptions().reach,
    lattice: Annotated[
        str,
        typer.Option(
            metavar="ROWSxCOLUMNS",
            help="Places at which velocities are compared: latitudes x longitudes.",
            rich_help_panel=_FLOWS,
        ),
    ] = "10x20",
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the clustering.", rich_help_panel=_FLOWS)
    ] = 0,
) -> None:
    """Find the flows of air traffic: which ways are flown, when, and by how many."""
    box = None if area is None else _parse_area(area)
    rows, columns = _parse_lattice(lattice)
    limits = Limits(gap=_seconds(gap, "--gap"), speed=max_speed, area=box)
    options = FlowOptions(
        window=_seconds(every, "--every"),
        birth_cost=birth_cost,
        lifetime=lifetime,
        reach=reach,
        rows=rows,
        columns=columns,
        area=box,
        seed=seed,
    )
    check_settings(Settings(birth_cost=birth_cost, lifetime=lifetime, reach=reach))
    with locked_folder(out):
        check_place(out, FILES, force=force, inputs=map(Path, inputs))
        _run(inputs, parse_limits(limit), out, limits, options)


def _run(inputs: list[str], file_limits: FileLimits, out: Path, limits: Limits, options: FlowOptions) -> None:
    began = perf_counter()
    messages = read_messages(inputs, file_limits)
    joined, dropped = join(messages, limits)
    _tell_dropped(len(messages.times), joined.n_flights, dropped)
    with share_bar() as watch:
        found = find_flows(joined, options, watch)
    write_flows(found, out)
    picture = _draw(found, out)
    _tell_flows(found, perf_counter() - began)
    say("", f"tables  {out}", f"map     {picture}")


def _seconds(text: str, option: str) -> float:
    try:
        every = parse_every(text, option)
    except InputError:
        every = None
    if every is None or every.unit != "seconds":
        raise InputError(f"{option} is {text!r}; it must be a time above zero, such as 30min, 10s or 2h")
    return every.size


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
        raise InputError(f"--lattice is {text!r}; it must be ROWSxCOLUMNS, from 2x2 to 10,000 places")
    return rows, columns


def _tell_dropped(n_messages: int, n_flights: int, dropped: dict[str, int]) -> None:
    facts = {"messages": f"{n_messages:,}", "trajectories": f"{n_flights:,}"}
    reasons = [_counted(count, reason) for reason, count in dropped.items() if count]
    tell({**facts, "left out": reasons[0] if reasons else "nothing"}, _WIDTH)
    say(*(f"{'':{_WIDTH}}  {reason}" for reason in reasons[1:]))


def _counted(count: int, reason: str) -> str:
    """Say how many were left out for a reason that begins with what they are."""
    many, rest = reason.split(" ", 1)
    return f"{count:,} {_ONE[many] if count == 1 else many} {rest}"


def _tell_flows(found: Flows, seconds: float) -> None:
    largest = popular(found, _LISTED)
    shown = ", ".join(f"{flow.id} ({amount(len(flow.members), 'flight')})" for flow in largest)
    turns = Counter(event.kind for event in found.events)
    tell(
        {
            "flows": f"{turns['birth']} born, {turns['revival']} revived, {turns['death']} died",
            "largest": shown,
            "time": f"{seconds:.1f} s",
        },
        _WIDTH,
    )


def _draw(found: Flows, out: Path) -> str:
    """Where the map is, or why there is none."""
    from dynmeans.apps.flights.chart import draw_flows

    try:
        figure = draw_flows(found)
    except ImportError as error:
        return f"none: {error}"
    for name in MAP_FILES:
        with atomic_write(out / name) as place:
            figure.savefig(place, bbox_inches="tight")
    return str(out / MAP_FILES[0])
