"""HOTA, IDF1 and CLEAR MOT agree with `trackeval`, the reference implementation of HOTA."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from dynmeans.metrics import ObjectRun, clear_mot, hota, idf1, objects_from_rows
from metrics.tracking_twins import object_run

SCORES = ("HOTA", "DetA", "AssA", "LocA", "IDF1", "MOTA", "MOTP", "IDSW")
# Printed by `python -m metrics.test_trackeval` in tests with trackeval 1.3.0.
VALUES: dict[str, tuple[float, ...]] = {
    "objects 0": (
        0.252782968676,
        0.395654832318,
        0.161985750473,
        0.851915211437,
        0.422764227642,
        -0.163793103448,
        0.851411217937,
        53,
    ),
    "objects 1": (
        0.17652615922,
        0.316432410298,
        0.0992712370071,
        0.842414476022,
        0.319248826291,
        -0.0634920634921,
        0.824446544736,
        35,
    ),
    "rows 0": (
        0.379524433166,
        0.318326987694,
        0.452517218413,
        0.834273686817,
        0.475362318841,
        -0.543103448276,
        0.773885511651,
        22,
    ),
    "rows 1": (
        0.428915141385,
        0.359455222446,
        0.512942821685,
        0.840055407626,
        0.544910179641,
        -0.310924369748,
        0.778839869281,
        26,
    ),
    "detections 0": (0.646707894029, 0.803125, 0.520754677292, 1, 0.630849220104, 0.264591439689, 1, 126),
}


def rows(seed: int) -> ObjectRun:
    """Labeled rows with clutter and noise: similarities are small fractions, so there are many ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 30, 25)
    true = [rng.integers(-1, 6, n) for n in sizes]
    found = [np.where(rng.random(t.size) < 0.6, t + 20, rng.integers(-1, 30, t.size)) for t in true]
    return objects_from_rows(true, found)


def detections(seed: int) -> ObjectRun:
    """At most one row per object: every similarity is 0 or 1."""
    rng = np.random.default_rng(seed)
    true = [rng.permutation(12)[:8] for _ in range(40)]
    true = [np.where(rng.random(t.size) < 0.2, -1, t) for t in true]
    found = [rng.permutation(8) + (10 * (step // 9)) for step in range(40)]
    found = [np.where((t >= 0) & (rng.random(8) < 0.7), t + 100, f) for t, f in zip(true, found, strict=True)]
    return objects_from_rows(true, found)


RUNS = {
    **{f"objects {seed}": object_run(seed, 30, 7) for seed in range(8)},
    **{f"rows {seed}": rows(seed) for seed in range(4)},
    **{f"detections {seed}": detections(seed) for seed in range(4)},
}


def our_scores(run: ObjectRun) -> tuple[float, ...]:
    h, i, c = hota(*run), idf1(*run), clear_mot(*run)
    return h.hota, h.deta, h.assa, h.loca, i.idf1, c.mota, c.motp, c.idsw


@pytest.mark.parametrize("name", VALUES)
def test_scores_are_those_that_trackeval_gave(name: str) -> None:
    assert our_scores(RUNS[name]) == pytest.approx(VALUES[name], abs=1e-9)


@pytest.fixture(scope="module")
def trackeval() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the packages that it imports
        return pytest.importorskip("trackeval", reason="pip install --group trackeval")


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_score_is_that_of_trackeval(trackeval: Any, name: str) -> None:
    run = RUNS[name]
    theirs, ours = evaluate(trackeval, run), hota(*run)
    for curve in ("HOTA", "DetA", "AssA", "DetRe", "DetPr", "AssRe", "AssPr", "LocA"):
        np.testing.assert_allclose(getattr(ours.curves, curve.lower()), theirs[curve], rtol=0, atol=1e-12)
    identity, clear = idf1(*run), clear_mot(*run)
    for score in ("IDF1", "IDP", "IDR", "IDTP", "IDFP", "IDFN"):
        assert getattr(identity, score.lower()) == pytest.approx(theirs[score], abs=1e-12)
    expected = tuple(theirs[key] for key in ("MOTA", "MOTP", "CLR_TP", "CLR_FN", "CLR_FP", "IDSW"))
    assert clear == pytest.approx(expected, abs=1e-12)


def evaluate(trackeval: Any, run: ObjectRun) -> dict[str, Any]:
    """Scores of `trackeval`, which needs ids 0, 1, 2, ..."""
    data = data_of(run)
    quiet = {"PRINT_CONFIG": False}
    results: dict[str, Any] = {}
    for metric in (
        trackeval.metrics.HOTA(),
        trackeval.metrics.Identity(quiet),
        trackeval.metrics.CLEAR(quiet),
    ):
        results |= metric.eval_sequence(data)
    return results


def data_of(run: ObjectRun) -> dict[str, Any]:
    data: dict[str, Any] = {
        "num_timesteps": len(run.true_batches),
        "similarity_scores": run.similarity_batches,
    }
    for side, batches in (("gt", run.true_batches), ("tracker", run.found_batches)):
        names = {
            name: code for code, name in enumerate(dict.fromkeys(i for b in batches for i in b.tolist()))
        }
        data[f"{side}_ids"] = [np.array([names[i] for i in b.tolist()], dtype=int) for b in batches]
        data[f"num_{side}_ids"] = len(names)
        data[f"num_{side}_dets"] = sum(b.size for b in batches)
    return data


def print_values() -> None:
    import trackeval

    for name in ("objects 0", "objects 1", "rows 0", "rows 1", "detections 0"):
        theirs = evaluate(trackeval, RUNS[name])
        print(f'    "{name}": ({", ".join(f"{np.mean(theirs[score]):.12g}" for score in SCORES)}),')


if __name__ == "__main__":
    print_values()
