"""All campaigns of the attack: each yields one outcome per attempt and stops after `count` of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from attack import strikes
from attack.arrays import attack_arrays
from attack.machines import kills_of_schedulers, kills_of_workers
from attack.outcome import Outcome
from attack.parameters import attack_parameters
from attack.reading import attack_files
from attack.state_files import damaged_state_files, false_state_files
from attack.tiny import attack_tiny_batches


class Campaign(NamedTuple):
    """One kind of attack."""

    run: Callable[[int, int], Iterator[Outcome]]  # (count, seed) -> outcomes
    short: int  # attempts in the test suite: a few seconds; 0 if another test has a short form
    long: int  # attempts in `make attack`


CAMPAIGNS: dict[str, Campaign] = {
    "damaged state files": Campaign(damaged_state_files, 75, 10_000),
    "false state files": Campaign(false_state_files, 150, 30_000),
    "kills": Campaign(strikes.kills, 12, 1000),
    "power cuts": Campaign(strikes.power_cuts, 20, 500),
    "two at once": Campaign(strikes.two_at_once, 4, 100),
    "damaged tables": Campaign(partial(attack_files, "tables"), 150, 30_000),
    "damaged embeddings": Campaign(partial(attack_files, "embeddings"), 60, 10_000),
    "damaged clouds": Campaign(partial(attack_files, "clouds"), 100, 15_000),
    "damaged flights": Campaign(partial(attack_files, "flights"), 100, 7_500),
    "damaged videos": Campaign(partial(attack_files, "videos"), 75, 7_500),
    "arrays": Campaign(attack_arrays, 160, 20_000),
    "parameters": Campaign(attack_parameters, 120, 50_000),
    "workers killed": Campaign(kills_of_workers, 0, 500),  # short form: tests/machines/test_dask.py
    "schedulers killed": Campaign(kills_of_schedulers, 0, 50),  # tests/machines/test_dataset.py
    "tiny batches": Campaign(attack_tiny_batches, 2_000, 1_000_000),
}
