from __future__ import annotations

from benchmarks import tuning
from benchmarks.tuning import Outcome


def test_streams_are_close_that_lose_at_most_a_twentieth() -> None:
    *_, count = tuning.rows_of({"a": Outcome(0.86, 0.9), "b": Outcome(0.8, 0.9)}, quick=True)
    assert count.ours == 1.0


def test_all_eleven_streams_have_a_target_and_four_have_their_own() -> None:
    names = [f"Gaussians, {k}" for k in (5, 10)] + [*tuning.SCARGC, *tuning.PEOPLE]
    rows = list(tuning.rows_of(dict.fromkeys(names, Outcome(0.95, 0.96)), quick=False))
    assert [row.reached for row in rows if row.target] == [True] * 5
    assert rows[-1].ours == 11.0


def test_a_new_model_is_scored_on_the_steps_after_the_first_third() -> None:
    known = tuning.gaussians(3, 0, 9)
    wrong = known._replace(labels=[0 * ids for ids in known.labels[:3]] + known.labels[3:])
    params = {"birth_cost": 0.05}
    assert known.third == 3
    assert tuning.tracked(known, params, [0]) == tuning.tracked(wrong, params, [0])


def test_quick_rows_hold_both_kinds_of_tuning_and_the_time() -> None:
    rows = tuning.run(quick=True)
    assert all(row.ours is not None for row in rows)
    others = rows[-4 - len(tuning.OTHERS) : -4]
    assert [row.unit for row in rows].count("s") == 3
    assert [row.what.split(":")[0] for row in others] == list(tuning.OTHERS)
    assert "kernel tuned too" in rows[-3].what
    assert "rows x 2" in rows[-1].what
