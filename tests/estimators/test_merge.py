"""Merging of clusters that are not worth a birth, as a parameter of DMeans."""

import numpy as np
import pytest

import dynmeans
from dynmeans import DMeans
from dynmeans.streams import KeyedDMeans

DISTANCES = (4.0, 2.8, 1.9, 1.3, 0.9, 0.9, 1.3, 1.9, 2.8)  # of two groups that meet and separate


def meeting(t):
    """Two groups of four rows at the distance of step t."""
    offset = np.array([[0.0], [0.1], [0.2], [0.3]])
    return np.concatenate([offset, offset + DISTANCES[t]])


def test_the_older_id_keeps_the_rows_and_the_younger_one_returns():
    model = DMeans(birth_cost=2.0, lifetime=10, merge=True, random_state=0)
    steps = [model.partial_fit(meeting(t)).step_ for t in range(len(DISTANCES))]
    assert [step.active.tolist() for step in steps] == [[0, 1]] * 4 + [[0]] * 2 + [[0, 1]] * 3
    assert steps[4].asleep.tolist() == [1]
    assert steps[6].revived.tolist() == [1]
    assert model.parameters_.merge


def test_without_merging_both_ids_stay():
    model = DMeans(birth_cost=2.0, lifetime=10, random_state=0)
    steps = [model.partial_fit(meeting(t)).step_ for t in range(len(DISTANCES))]
    assert [step.active.tolist() for step in steps] == [[0, 1]] * len(DISTANCES)
    assert not model.parameters_.merge  # that of the paper, with a given birth cost


def test_rows_of_labels_and_the_cost_belong_to_the_merged_clusters():
    plain, merging = (
        DMeans(birth_cost=2.0, lifetime=10, random_state=0, merge=merge) for merge in (False, True)
    )
    for t in range(5):
        plain.partial_fit(meeting(t))
        merging.partial_fit(meeting(t))
    assert merging.step_.cost > plain.step_.cost
    assert merging.step_.sizes.tolist() == [8.0]
    assert set(merging.labels_) == {0}


def test_a_saved_model_continues_with_the_estimated_merging():
    rng = np.random.default_rng(0)
    batches = [rng.normal([[0.0, 0.0]] * 30 + [[9.0, 0.0]] * 30, 1.0) for _ in range(12)]
    model = DMeans(random_state=0)
    for X in batches[:9]:
        model.partial_fit(X)
    assert model.parameters_.merge  # separate clusters: merging changes nothing, so it is kept
    copy = dynmeans.from_bytes(model.to_bytes())
    assert copy.parameters_ == model.parameters_
    for X in batches[9:]:
        np.testing.assert_array_equal(copy.partial_fit(X).labels_, model.partial_fit(X).labels_)


def test_merging_is_not_estimated_if_the_code_is_clearly_longer():
    rng = np.random.default_rng(0)
    distances = [*DISTANCES[:4], *[0.9] * 28]
    batches = [np.repeat([[0.0], [x]], 8, axis=0) + 0.02 * rng.normal(size=(16, 1)) for x in distances]
    model = DMeans(birth_cost=4.0, lifetime=10, merge="auto", random_state=0)
    for X in batches:
        model.partial_fit(X)
    assert model.step_.birth_cost_final
    assert not model.parameters_.merge
    assert len(model.step_.active) == 2


def test_keys_merge_as_single_models_do():
    keyed = KeyedDMeans(2.0, merge=True, lifetime=10)
    for t in range(5):
        X = meeting(t)
        keyed.partial_fit(X, ["a"] * len(X))
    assert set(keyed.labels_) == {0}


@pytest.mark.parametrize("value", ["yes", 2, 0.5])
def test_other_values_are_refused(value):
    with pytest.raises(ValueError, match="merge must be"):
        DMeans(birth_cost=1.0, merge=value).fit([[0.0]])
