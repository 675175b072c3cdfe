from __future__ import annotations

from hypothesis import given

from dynmeans.metrics import lifetimes
from metrics.twins import NOISE, LabeledRun, concatenated, runs


@given(runs())
def test_lifetimes_are_those_found_by_looking_for_each_id(run: LabeledRun) -> None:
    found = lifetimes(run.found)
    assert found.ids.tolist() == sorted(set(concatenated(run.found)) - {NOISE})
    for who, first, last, n_steps in zip(*found, strict=True):
        steps = [step for step, batch in enumerate(run.found) if who in batch]
        assert (first, last, n_steps) == (steps[0], steps[-1], len(steps))


def test_an_id_that_sleeps_is_seen_in_fewer_steps_than_its_lifetime() -> None:
    found = lifetimes([[10**12, 3, 3], [3], [], [10**12, 10**12]])
    assert found.ids.tolist() == [3, 10**12]
    assert found.first.tolist() == [0, 0]
    assert found.last.tolist() == [1, 3]
    assert found.n_steps.tolist() == [2, 2]


def test_a_run_of_noise_has_no_lifetimes() -> None:
    assert all(column.size == 0 for column in lifetimes([[NOISE], [NOISE, NOISE]]))
