"""`dynmeans demo`: cluster moving points, and compare the result with the true clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.light_imports import import_sklearn
from dynmeans.cli.options import seed_option


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = Path("dynmeans-demo"),
    seed: Annotated[int, seed_option("Seed of the points.")] = 0,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Overwrite another run in the folder; an earlier demo is always overwritten."
        ),
    ] = False,
) -> None:
    """Cluster points around five centers that move, die and are replaced, and draw the result."""
    with exit_on_interrupt():
        import_sklearn()
        from dynmeans.cli.demo.run import run_demo

    run_demo(out, seed, force=force)
