"""The `dynmeans` command: subcommands, and errors as one line."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any, TextIO

import typer

from dynmeans import __version__
from dynmeans._files.errors import InputError, InputWarning, reason
from dynmeans.cli import INTERRUPTED
from dynmeans.cli.cluster.command import cluster
from dynmeans.cli.console import print_error, print_lines
from dynmeans.cli.demo.command import demo
from dynmeans.cli.flags import FlagCommand, FlagGroup
from dynmeans.cli.flights.command import flights
from dynmeans.cli.points.command import points
from dynmeans.cli.report import report
from dynmeans.cli.reproduce import reproduce
from dynmeans.cli.tune.command import tune
from dynmeans.cli.video.command import video

BAD_INPUT = 2
_WINDOWED = ("cluster", "tune", "flights")  # commands with --every

app = typer.Typer(
    name="dynmeans",
    cls=FlagGroup,
    help="Cluster data that arrives in batches: clusters keep their id for life.",
    invoke_without_command=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
for _command in (cluster, tune, report, demo, video, points, flights, reproduce):
    app.command(cls=FlagCommand)(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_lines(f"dynmeans {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Cluster data that arrives in batches: clusters keep their id for life."""
    if context.invoked_subcommand is None:
        print_lines(context.get_help())


def main() -> None:
    """Run the command line and exit with its code: 0, 2 for bad input, 130 for an interruption."""
    sys.exit(_run())


def _run() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("default", InputWarning)
        warnings.showwarning = _print_warning
        return _run_command()


def _run_command() -> int:
    try:
        return int(app(prog_name="dynmeans", standalone_mode=False) or 0)
    except (InputError, ImportError) as error:
        print_error(str(error))
    except OSError as error:
        print_error(f"{error.filename}: {reason(error)}" if error.filename else reason(error))
    except MemoryError as error:
        hint = "; shorter windows (--every) need less" if set(_WINDOWED) & set(sys.argv[1:2]) else ""
        print_error(f"not enough memory ({reason(error)}){hint}")
    except KeyboardInterrupt:
        print_error("interrupted", kind="")
        return INTERRUPTED
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # older versions of Typer raise another error
            return INTERRUPTED
        if _is_snapshot_error(error):
            print_error(str(error))
            return BAD_INPUT
        # Typer's own errors: the class moved between versions, this method did not.
        if not hasattr(error, "format_message"):
            raise
        print_error(_with_value(error.format_message(), error.__cause__))
    return BAD_INPUT


def _is_snapshot_error(error: Exception) -> bool:
    """Import the class only after an error: it loads NumPy."""
    from dynmeans._files.snapshot import SnapshotError

    return isinstance(error, SnapshotError)


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as one line, without its position in the code."""
    from dynmeans.runs._option_names import as_options

    print_error(as_options(str(message)), kind="warning: ")


def _with_value(message: str, cause: Any) -> str:
    """Append the given value to an error about an option; newer versions of Typer leave it out."""
    if not hasattr(cause, "errors"):
        return message
    value = repr(cause.errors()[0]["input"])
    return message if value in message else f"{message}, got {value}"
