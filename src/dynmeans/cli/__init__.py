"""The command line."""

from __future__ import annotations

import os
import signal
from types import FrameType

INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it


def main() -> None:
    """Run the command line. Ctrl-C ends it with one line from here on, also while its modules are loaded."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # background jobs ignore it
    if ours:
        signal.signal(signal.SIGINT, _leave)
    from dynmeans.cli.app import main as run

    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _leave(number: int, frame: FrameType | None) -> None:
    """End the process at once. An exception would be changed or printed by the modules that are loading."""
    os.write(2, b"dynmeans: interrupted\n")
    os._exit(INTERRUPTED)
