"""Help, version and completion load no heavy libraries, and show flags as flags."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from dynmeans.apps.flights.flows import FlowOptions
from dynmeans.apps.flights.trajectories import Limits
from dynmeans.cli import options
from dynmeans.cli.flights import command as flights
from dynmeans.estimators._validation import LARGEST_SEED

COMMANDS = ["cluster", "tune", "report", "demo", "video", "points", "flights", "reproduce"]
HEAVY = ("numpy", "scipy", "sklearn", "pandas", "pyarrow", "matplotlib", "dynmeans._core")
SCRIPT = f"""
import sys
from dynmeans.cli import main
sys.argv = ["dynmeans", *sys.argv[1:]]
try:
    main()
finally:
    loaded = [name for name in {HEAVY} if name in sys.modules]
    print("loaded:", *loaded, file=sys.stderr)
"""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, *arguments]
    everything = {**os.environ, "COLUMNS": "100", **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=everything)


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], [], *([name, "--help"] for name in COMMANDS)], ids=" ".join
)
def test_help_and_version_load_no_heavy_library(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "loaded:\n")


LIGHT = """
import sys
from dynmeans.cli.light_imports import import_sklearn
import_sklearn()
from dynmeans.cli.cluster.local_run import run_cluster
from dynmeans.plots.report import write_report
print([name for name in ("pandas", "scipy.stats._stats_py", "rich", "pyarrow") if name in sys.modules])
import pandas, scipy.stats
from scipy.stats import qmc, rankdata
print(rankdata([3, 1]).tolist(), scipy.stats.rankdata is rankdata, pandas.Series([1]).sum())
"""


def test_clustering_loads_no_pandas_and_no_statistics_which_can_be_imported_later() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, timeout=120)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "[2.0, 1.0] True 1"], "")


def test_flags_have_no_value_type() -> None:
    shown = run("--help").stdout + run("cluster", "--help").stdout
    assert "--force" in shown
    assert "bool" not in shown.lower()


def test_completion_lists_commands_and_options() -> None:
    line: dict[str, Any] = {"_DYNMEANS_COMPLETE": "complete_bash", "COMP_CWORD": "1"}
    assert run(COMP_WORDS="dynmeans clu", **line).stdout.split() == ["cluster"]
    words = "dynmeans cluster --birth"
    assert run(COMP_WORDS=words, **{**line, "COMP_CWORD": "2"}).stdout.split() == ["--birth-cost"]


def test_copied_defaults_equal_those_of_the_library() -> None:
    assert options.LARGEST_SEED == LARGEST_SEED
    assert Limits().speed == flights._MAX_SPEED
    copied = flights._BIRTH_COST, flights._LIFETIME, flights._REACH
    assert copied == (FlowOptions().birth_cost, FlowOptions().lifetime, FlowOptions().reach)
