from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dynmeans._files.errors import InputError
from dynmeans._files.lock import locked

HOLD = """
import sys
from pathlib import Path
from dynmeans._files.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_holder_is_refused_by_name_until_the_first_is_done(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with locked(state), pytest.raises(InputError, match="state: in use by another run"), locked(state):
        pass
    with locked(state):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_leaves_no_lock_behind(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(state)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with pytest.raises(InputError, match="in use"), locked(state):
            pass
        holder.kill()
        holder.wait()
    with locked(state):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_error_releases_the_lock(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="inside"), locked(tmp_path / "state"):
        raise RuntimeError("inside")
    with locked(tmp_path / "state"):
        pass
