"""The command line: parse options, call the library, print results.

The modules of the commands import only the options at load time. Everything that needs NumPy is imported
inside the commands, so that `--help`, `--version` and shell completion are fast.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130  # exit code after Ctrl-C, as in shells


def main() -> None:
    """Run the command line. Ctrl-C ends it with one line, also while modules are loading."""
    with exit_on_interrupt():
        from dynmeans.cli.app import main as run
    run()


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Exit at once on Ctrl-C while modules are loading.

    An exception would be changed or printed by the modules that are loading.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # background jobs ignore SIGINT
        yield
        return
    signal.signal(signal.SIGINT, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit(number: int, frame: FrameType | None) -> None:
    os.write(2, b"dynmeans: interrupted\n")
    os._exit(INTERRUPTED)
