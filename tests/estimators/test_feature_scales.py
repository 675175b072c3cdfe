"""`feature_scales`: a model of scaled rows that reports in the units of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dynmeans
from dynmeans import DMeans, SnapshotError
from dynmeans.datasets import moving_gaussians
from dynmeans.streams import KeyedDMeans

SCALES = (0.25, 4.0)  # powers of two: scaling has no rounding errors
BATCHES = moving_gaussians(4, 10, noise=0.03, motion=0.03, death=0.02, random_state=0).batches


def followed(model: DMeans, batches: Any) -> tuple[list[list[int]], DMeans]:
    labels = [model.partial_fit(X).labels_.tolist() for X in batches]
    return labels, model


@pytest.mark.parametrize("params", [{}, {"birth_cost": 0.05}, {"birth_cost": 0.05, "motion": "velocity"}])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scales_equal_scaled_rows(params: dict[str, Any], dtype: Any) -> None:
    rows = [X.astype(dtype) for X in BATCHES]
    wide = [(X * np.array(SCALES)).astype(dtype) for X in rows]
    plain_labels, plain = followed(DMeans(random_state=0, **params), rows)
    labels, model = followed(DMeans(random_state=0, feature_scales=SCALES, **params), wide)
    assert labels == plain_labels
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_ * SCALES)
    for t in (10.0, 12.5):
        now, expected = model.forecast(t), plain.forecast(t)
        np.testing.assert_array_equal(now.positions, expected.positions * SCALES)
        np.testing.assert_array_equal(now.velocities, expected.velocities * SCALES)
        np.testing.assert_array_equal(now.variances, expected.variances)
    np.testing.assert_array_equal(model.predict(wide[0]), plain.predict(rows[0]))
    np.testing.assert_array_equal(model.transform(wide[0]), plain.transform(rows[0]))


@pytest.mark.parametrize("scales", [SCALES, list(SCALES), np.array(SCALES)])
def test_a_saved_model_continues(scales: Any) -> None:
    _, model = followed(DMeans(feature_scales=scales, random_state=0), BATCHES[:6])
    again = dynmeans.from_bytes(model.to_bytes())
    assert followed(again, BATCHES[6:])[0] == followed(model, BATCHES[6:])[0]
    np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)


@pytest.mark.parametrize("value", [[1.0], [1.0, -1.0], [[1.0, 1.0]], "ab", 3, {"a": 1}])
def test_a_state_file_with_other_scales_is_refused(value: Any) -> None:
    snapshot = dynmeans.estimators._state_files.encoding.to_snapshot(
        DMeans(0.05, feature_scales=SCALES).fit(BATCHES[0])
    )
    snapshot.header["params"]["feature_scales"] = value
    with pytest.raises(SnapshotError, match="feature_scales"):
        dynmeans.estimators._state_files.decoding.from_snapshot(snapshot)


def test_keys_have_the_same_scales(tmp_path: Any) -> None:
    one, keyed = DMeans(0.05, feature_scales=SCALES, random_state=0), KeyedDMeans(0.05, feature_scales=SCALES)
    for X in BATCHES[:4]:
        assert keyed.partial_fit(X, ["a"] * len(X)).labels_.tolist() == one.partial_fit(X).labels_.tolist()
        keyed.save(tmp_path / "keyed")
        keyed = KeyedDMeans.load(tmp_path / "keyed")
    np.testing.assert_array_equal(keyed.model("a").cluster_centers_, one.cluster_centers_)
    keyed.model("a").partial_fit(BATCHES[4])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((1.0, 2.0, 3.0), r"one entry per feature \(2\), got 3"),
        ((1.0, 0.0), "positive and finite"),
        ((1.0, np.inf), "positive and finite"),
        ((1.0, np.nan), "positive and finite"),
        (((1.0, 1.0),), "must be a number"),
        ((1.0, "a"), "must be a number"),
        ("12", "sequence of positive numbers"),
        (2.0, "sequence of positive numbers"),
        ((), "one entry per feature"),
    ],
)
def test_invalid_scales_are_refused(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DMeans(feature_scales=value).fit(BATCHES[0])


def test_scaled_rows_must_be_in_range() -> None:
    with pytest.raises(ValueError, match="coordinates must lie within"):
        DMeans(feature_scales=(1.0, 1e-300)).fit(BATCHES[0])


def test_scales_exclude_the_cosine_metric() -> None:
    with pytest.raises(ValueError, match="feature_scales"):
        DMeans(metric="cosine", feature_scales=SCALES).fit(BATCHES[0])
    with pytest.warns(UserWarning, match="unit vectors"):
        model = DMeans(feature_scales=[1.0] * 40).fit(np.eye(40))
    assert model.metric_ == "euclidean"


def test_scales_of_a_started_stream_cannot_change() -> None:
    model = DMeans(0.05, feature_scales=SCALES).partial_fit(BATCHES[0])
    centers = model.cluster_centers_
    model.set_params(feature_scales=None)
    for call in (lambda: model.partial_fit(BATCHES[1]), lambda: model.predict(BATCHES[1]), model.forecast):
        with pytest.raises(ValueError, match="feature_scales must stay"):
            call()
    np.testing.assert_array_equal(model.set_params(feature_scales=SCALES).cluster_centers_, centers)
    assert model.set_params(feature_scales=None).fit(BATCHES[0]).n_steps_ == 1
