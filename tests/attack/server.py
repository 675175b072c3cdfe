"""Runs command lines in forked processes of a program that has loaded everything, and strikes them.

One request per line on standard input, as JSON; the process id is the answer, and later its exit status.
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import subprocess
import sys
from contextlib import redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from attack.disk import EVENTS, WRITING, Disk
from dynmeans._files.errors import InputError

KILL, CUT = "kill", "cut"
AFTER = ".after"  # suffix of the folder with the contents of the disk after a power cut


class Strike(NamedTuple):
    """When and how a process ends."""

    how: str = ""  # KILL, CUT or nothing
    event: int = 0  # number of the write operation before which it happens
    seed: int = 0  # determines the contents of the disk after a power cut


class Server:
    """A process that forks one process per command line."""

    def __init__(self) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        command = [sys.executable, "-m", "attack.server"]
        self._process: Any = subprocess.Popen(command, text=True, env=path, **pipes)

    def start(self, line: list[str], folder: Path, pause: float, strike: Strike = Strike()) -> int:  # noqa: B008
        """Start a command line and return its process id; `pause` are the seconds between two saves."""
        request = {"line": line, "folder": str(folder), "pause": pause, "strike": strike}
        return int(self._ask(request))

    def wait(self, process: int) -> int:
        """Exit code of a command line; minus the signal that ended it."""
        return os.waitstatus_to_exitcode(int(self._ask({"wait": process})))

    def close(self) -> None:
        self._process.communicate()

    def _ask(self, request: dict[str, Any]) -> str:
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        return str(self._process.stdout.readline())


def log_of(folder: Path) -> str:
    """Output of the last command in a folder."""
    return folder.with_suffix(".log").read_text(errors="replace")


def events_of(folder: Path) -> int:
    """Number of write operations of the last finished command."""
    return int(folder.with_suffix(".events").read_text())


def _serve() -> None:
    _load()
    for text in sys.stdin:
        request = json.loads(text)
        if "wait" in request:
            print(os.waitpid(request["wait"], 0)[1], flush=True)
            continue
        process = os.fork()
        if not process:
            _run(Path(request["folder"]), request["line"], request["pause"], Strike(*request["strike"]))
        print(process, flush=True)


def _load() -> None:
    """Load all modules before the first fork; no thread may start here."""
    from dynmeans.cli import app

    for name in ("matplotlib.figure", "matplotlib.backends.backend_agg", "dynmeans.plots.report", "av"):
        with suppress(ImportError):
            import_module(name)
    with suppress(InputError), redirect_stdout(sys.stderr):
        app.app(["cluster", "nowhere.csv", "--every", "1"], standalone_mode=False)
    gc.freeze()


def _run(folder: Path, line: list[str], pause: float, strike: Strike) -> None:
    """Run one command line in this process and end it."""
    from dynmeans.cli import main
    from dynmeans.runs import _session as session

    session.CHECKPOINT_SECONDS = pause
    log = os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1), os.dup2(log, 2)
    os.chdir(folder)
    sys.argv = ["dynmeans", *line]
    watch = _Watch(folder, strike)
    code: Any = 1
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException as error:
        print(f"Traceback: {error!r}", file=sys.stderr)
    watch.finish()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class _Watch:
    """Count write operations and strike before one of them or, for a power cut, after the last."""

    def __init__(self, folder: Path, strike: Strike) -> None:
        self._folder, self._strike, self._count, self._busy = folder, strike, 0, False
        self._prefix = str(folder)
        self._disk = Disk(folder) if strike.how == CUT else None
        os.fsync = self._sync  # type: ignore[assignment]
        sys.addaudithook(self._hook)

    def finish(self) -> None:
        self._busy = True
        self._folder.with_suffix(".events").write_text(str(self._count))
        self._cut()

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._busy:
            return
        if event in EVENTS or (event == "open" and _is_writing(arguments)):
            self._tick()

    def _sync(self, descriptor: int) -> None:
        """Do not wait for the disk: the safe content is known here."""
        self._tick()
        if self._disk is not None:
            self._disk.sync(descriptor)

    def _tick(self) -> None:
        self._busy = True
        self._count += 1
        if self._disk is not None:
            self._disk.scan()
        if self._count == self._strike.event:
            self._cut()
            os.kill(os.getpid(), signal.SIGKILL)
        self._busy = False

    def _cut(self) -> None:
        if self._disk is not None:
            target = self._folder.with_suffix(AFTER)
            self._disk.lose_power(target, random.Random(self._strike.seed))


def _is_writing(arguments: tuple[Any, ...]) -> bool:
    path, _, flags = arguments
    return isinstance(path, str | bytes) and isinstance(flags, int) and bool(flags & WRITING)


if __name__ == "__main__":
    _serve()
