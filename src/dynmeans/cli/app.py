"""The `dynmeans` command: its subcommands, and how every error becomes one line."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any, TextIO

import typer

from dynmeans import __version__
from dynmeans._files.errors import InputError, reason
from dynmeans._files.snapshot import SnapshotError
from dynmeans.cli import INTERRUPTED
from dynmeans.cli.cluster import cluster
from dynmeans.cli.console import print_error, say
from dynmeans.cli.demo import demo
from dynmeans.cli.flights import flights
from dynmeans.cli.points import points
from dynmeans.cli.report import report
from dynmeans.cli.reproduce import reproduce
from dynmeans.cli.tune import tune
from dynmeans.cli.video import video

BAD_INPUT = 2
_WINDOWED = ("cluster", "tune", "flights")  # commands with --every

app = typer.Typer(
    name="dynmeans",
    help="Cluster data that arrives in batches: clusters keep their id for life.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(cluster)
app.command()(tune)
app.command()(report)
app.command()(demo)
app.command()(video)
app.command()(points)
app.command()(flights)
app.command()(reproduce)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"dynmeans {__version__}")
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
        say(context.get_help())


def main() -> None:
    """Run the command line and leave with its exit code: 0, 2 for bad input, 130 for an interruption."""
    sys.exit(_run())


def _run() -> int:
    warnings.showwarning = _print_warning
    try:
        return int(app(prog_name="dynmeans", standalone_mode=False) or 0)
    except (InputError, SnapshotError, ImportError) as error:
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
        if isinstance(
            error.__cause__, KeyboardInterrupt
        ):  # older versions of Typer raise another error from it
            return INTERRUPTED
        # Typer's own errors: the class moved between versions, this method did not.
        if not hasattr(error, "format_message"):
            raise
        print_error(_with_value(error.format_message(), error.__cause__))
    return BAD_INPUT


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as one line, without the place in the code."""
    print_error(str(message), kind="warning: ")


def _with_value(message: str, cause: Any) -> str:
    """A complaint about an option with what was given, which newer versions of Typer keep to themselves."""
    if not hasattr(cause, "errors"):
        return message
    value = repr(cause.errors()[0]["input"])
    return message if value in message else f"{message}, got {value}"
