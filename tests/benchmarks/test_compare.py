from __future__ import annotations

import sys

import pytest

from benchmarks import compare


def test_the_same_installation_has_the_same_costs() -> None:
    head, line = compare.compare(sys.executable, ["75x2 one restart"], rounds=1)
    assert head.split()[0] == "stream"
    assert line.endswith("1.0000")


def test_the_least_time_of_each_step_counts() -> None:
    runs = [compare.Measured([3, 5], 1.0), compare.Measured([4, 2], 1.0)]
    assert compare.best(runs) == ([3, 2], 1.0)


def test_unknown_streams_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        compare.main([sys.executable, "75x3"])
    assert "invalid choice: '75x3'" in capsys.readouterr().err
