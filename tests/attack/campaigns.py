"""All campaigns of the attack: each yields one outcome per attempt and stops after `count` of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from attack import strikes
from attack.outcome import Outcome
from attack.state_files import damaged_state_files, false_state_files


class Campaign(NamedTuple):
    """One kind of attack."""

    run: Callable[[int, int], Iterator[Outcome]]  # (count, seed) -> outcomes
    short: int  # attempts in the test suite: a few seconds
    long: int  # attempts in `make attack`


CAMPAIGNS: dict[str, Campaign] = {
    "damaged-state-files": Campaign(damaged_state_files, 75, 10_000),
    "false-state-files": Campaign(false_state_files, 150, 30_000),
    "kills": Campaign(strikes.kills, 12, 1000),
    "power cuts": Campaign(strikes.power_cuts, 20, 500),
    "two at once": Campaign(strikes.rivals, 4, 100),
}
