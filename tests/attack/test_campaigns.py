"""Every campaign of the attack, in its short form: no attempt may fail."""

from __future__ import annotations

import pytest

from attack.campaigns import CAMPAIGNS
from attack.outcome import FAILED


@pytest.mark.parametrize("name", [name for name, campaign in CAMPAIGNS.items() if campaign.short])
def test_nothing_fails(name: str) -> None:
    campaign = CAMPAIGNS[name]
    outcomes = list(campaign.run(campaign.short, 0))
    assert len(outcomes) == campaign.short
    assert [outcome.detail for outcome in outcomes if outcome.kind == FAILED] == []
