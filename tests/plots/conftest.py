from __future__ import annotations

from pathlib import Path

import pytest

from dynmeans._files.run_folder.format import Run
from dynmeans._files.run_folder.reader import read_run
from run_folder import write_run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Forty steps of about five clusters in the plane, with sleep, return and death."""
    return read_run(write_run(tmp_path_factory.mktemp("run")))


@pytest.fixture(scope="session")
def empty_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that has not made its first step."""
    folder: Path = write_run(tmp_path_factory.mktemp("empty"), n_steps=0)
    return read_run(folder)
