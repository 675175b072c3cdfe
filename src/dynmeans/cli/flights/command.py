"""`dynmeans flights`: state vectors of aircraft in, flows over time and a map out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.light_imports import import_sklearn
from dynmeans.cli.options import LimitOption, seed_option

_JOIN, _FLOWS = "Trajectories", "Flows"
# Defaults of dynmeans.apps.flights, which loads NumPy; a test compares them.
_MAX_SPEED, _BIRTH_COST, _LIFETIME, _REACH = 400.0, 0.25, 96.0, 1.01

InputsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="State vectors: CSV, TSV, JSON Lines, Parquet, Arrow, JSON arrays of objects, or responses "
        "of the OpenSky API. Columns: icao24, timestamp or time, latitude or lat, longitude or lon; "
        "groundspeed (knots) or velocity (m/s), track or heading, and callsign if present.",
    ),
]
OutOption = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite earlier results in the folder.")]
AreaOption = Annotated[
    str | None,
    typer.Option(
        metavar="SOUTH,NORTH,WEST,EAST",
        help="Ignore messages from outside, and use this area for the lattice (degrees; west is "
        "greater than east if the area crosses the antimeridian).",
        rich_help_panel=_JOIN,
    ),
]
GapOption = Annotated[
    str,
    typer.Option(
        metavar="LENGTH", help="A longer time without messages ends a trajectory.", rich_help_panel=_JOIN
    ),
]
MaxSpeedOption = Annotated[
    float,
    typer.Option(min=1, help="Maximum ground speed of an aircraft, in m/s.", rich_help_panel=_JOIN),
]
EveryOption = Annotated[
    str,
    typer.Option(
        metavar="LENGTH",
        help="Length of a window; flights that begin in the same window are a step.",
        rich_help_panel=_FLOWS,
    ),
]
BirthCostOption = Annotated[
    float,
    typer.Option(
        help="Fraction of a flight outside of all flows at which it founds a new flow.",
        rich_help_panel=_FLOWS,
    ),
]
LifetimeOption = Annotated[
    float,
    typer.Option(
        help="Number of windows without flights after which a flow is forgotten.", rich_help_panel=_FLOWS
    ),
]
ReachOption = Annotated[
    float,
    typer.Option(
        help="A flow is found again in the next window up to this many birth costs, >= 1.",
        rich_help_panel=_FLOWS,
    ),
]
LatticeOption = Annotated[
    str,
    typer.Option(
        metavar="ROWSxCOLUMNS",
        help="Grid points at which velocities are compared: latitudes x longitudes.",
        rich_help_panel=_FLOWS,
    ),
]
SeedOption = Annotated[int, seed_option("Seed of the clustering.", _FLOWS)]


def flights(
    inputs: InputsArgument,
    out: OutOption = Path("dynmeans-flights"),
    force: ForceOption = False,
    limit: LimitOption = None,
    area: AreaOption = None,
    gap: GapOption = "10min",
    max_speed: MaxSpeedOption = _MAX_SPEED,
    every: EveryOption = "30min",
    birth_cost: BirthCostOption = _BIRTH_COST,
    lifetime: LifetimeOption = _LIFETIME,
    reach: ReachOption = _REACH,
    lattice: LatticeOption = "10x20",
    seed: SeedOption = 0,
) -> None:
    """Find the flows of air traffic: routes, when they are flown, and the number of flights."""
    with exit_on_interrupt():
        import_sklearn()
        from dynmeans.cli.flights.run import FlightOptions, run_flights

    options = FlightOptions(
        area=area,
        gap=gap,
        max_speed=max_speed,
        every=every,
        birth_cost=birth_cost,
        lifetime=lifetime,
        reach=reach,
        lattice=lattice,
        seed=seed,
    )
    run_flights(inputs, options, out, limit, force=force)
