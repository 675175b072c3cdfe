from __future__ import annotations

import numpy as np
import pytest

from benchmarks import new_process


def test_function_runs_elsewhere_and_its_result_comes_back() -> None:
    result = new_process.call("benchmarks.memory", "step_memory", n=6000, d=2, dtype="float32")
    assert result["input"] == 6000 * 2 * 4
    assert result["growth"] >= 0


def test_a_failure_in_another_process_is_reported_with_its_reason() -> None:
    with pytest.raises(RuntimeError, match="no_such_type"):
        new_process.call("benchmarks.memory", "step_memory", n=10, d=2, dtype="no_such_type")


def test_memory_that_a_job_gives_back_still_counts() -> None:
    size = 64 * 2**20
    growth = new_process.peak_growth(lambda: np.ones(size // 8).sum())
    assert 0.9 * size <= growth <= 1.5 * size
