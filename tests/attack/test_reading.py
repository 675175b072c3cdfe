"""The files that campaigns damage are valid, and the damage depends on the seed alone."""

from __future__ import annotations

import os

import pytest

from attack import reading
from attack.outcome import FAILED, OK
from attack.seed_files import KINDS, seed_bytes
from attack.workers import Attack, run_series


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_read_before_they_are_damaged(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "damaged", lambda data, others, rng: data)
    monkeypatch.setattr(reading, "_WHOLE", 10**9)
    outcomes = list(reading.attack_files(kind, len(seed_bytes(kind)), 0))
    assert [outcome.detail for outcome in outcomes if outcome.kind != OK] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_can_be_made_again(kind: str) -> None:
    files = [reading.damaged_file(kind, number, 3) for number in range(30)]
    assert files == [reading.damaged_file(kind, number, 3) for number in range(30)]
    assert files != [reading.damaged_file(kind, number, 4) for number in range(30)]


def test_a_process_that_ends_is_replaced_and_its_attack_has_failed() -> None:
    def run(number: int) -> int:
        if number == 1:
            os._exit(3)
        if number == 2:
            os.write(2, b"one line\n")
        if number == 3:
            raise KeyError
        if number == 4:
            return len(bytearray(b"x") * 2**28) and 0
        return 2 * (number == 2)

    outcomes = list(run_series(Attack(run, str, 6), megabytes=100))
    assert [outcome.kind for outcome in outcomes] == [OK, FAILED, "one-line error", FAILED, FAILED, OK]
