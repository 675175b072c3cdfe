"""Ctrl-C at the start: one line and the exit code of an interruption."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# Sends the signal at the moment when a module begins to load.
SCRIPT = """
import os, signal, sys
how, module, *line = sys.argv[1:]
class Trap:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
handler = signal.SIG_IGN if how == "ignored" else signal.default_int_handler
signal.signal(signal.SIGINT, handler)  # not the inherited one: a background job ignores the signal
sys.meta_path.insert(0, Trap())
from dynmeans.cli import main
sys.argv = ["dynmeans", *line]
main()
"""


def interrupt(module: str, *line: str, how: str = "default") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, how, module, *line]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("dynmeans.cli.app", "cluster"),
        ("typer", "cluster"),
        ("dynmeans._core", "cluster"),
        ("sklearn", "cluster"),
        *(("numpy", command) for command in ("cluster", "tune", "points", "flights", "video")),
    ],
)
def test_an_interrupt_while_modules_load_is_one_line(module: str, command: str) -> None:
    done = interrupt(module, command, "missing", *(["missing"] if command == "video" else []))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dynmeans: interrupted\n")


def test_a_background_job_ignores_it() -> None:
    done = interrupt("typer", "--version", how="ignored")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("dynmeans ")


def test_the_handler_of_python_is_back_when_the_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from dynmeans.cli import app, main

    found = []
    monkeypatch.setattr(app, "main", lambda: found.append(signal.getsignal(signal.SIGINT)))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores the signal
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert found == [signal.default_int_handler]
