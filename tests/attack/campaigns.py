"""All campaigns of the attack: each yields one outcome per attempt and stops after `count` of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from attack import strikes
from attack.arrays import attack_arrays
from attack.outcome import Outcome
from attack.parameters import attack_parameters
from attack.tiny import attack_tiny_batches


class Campaign(NamedTuple):
    """One kind of attack."""

    run: Callable[[int, int], Iterator[Outcome]]  # (count, seed) -> outcomes
    short: int  # attempts in the test suite: a few seconds
    long: int  # attempts in `make attack`


CAMPAIGNS: dict[str, Campaign] = {
    "arrays": Campaign(attack_arrays, 204, 20_000),
    "parameters": Campaign(attack_parameters, 120, 50_000),
    "tiny batches": Campaign(attack_tiny_batches, 2_000, 1_000_000),
    "kills": Campaign(strikes.kills, 12, 1000),
    "power cuts": Campaign(strikes.power_cuts, 20, 500),
    "two at once": Campaign(strikes.rivals, 4, 100),
}
