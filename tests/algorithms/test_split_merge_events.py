"""Splits and merges: reported where clusters split or merge, and nowhere else."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans
from dynmeans._algorithms.split_merge_events import KernelSpace, RowSpace, StepEvidence
from dynmeans._model.state import empty_state
from dynmeans.datasets import moving_gaussians
from dynmeans.kernels import RBF, KernelInput, Linear

AWAY = (0.0, 3.0)  # a third cluster that does not change


def blobs(rng, *centers, n=40, noise=0.05):
    return np.concatenate([rng.normal(c, noise, (n, 2)) for c in centers])


def truth(X, n_blobs, n=40):
    """Labels of blobs; with one label less, the first two are one cluster."""
    labels = np.repeat(np.arange(len(X) // n), n)
    return labels if n_blobs == len(X) // n else np.maximum(labels - 1, 0)


def dividing(rng, steps=12):
    """One blob that splits into two from step 4 on."""
    return [blobs(rng, (-0.06 * max(0, t - 3), 0.0), (0.06 * max(0, t - 3), 0.0), AWAY) for t in range(steps)]


def fusing(rng, steps=14):
    """Two blobs that approach each other until they coincide."""
    return [blobs(rng, (-g, 0.0), (g, 0.0), AWAY) for g in np.maximum(0.3 - 0.04 * np.arange(steps), 0.0)]


MODELS = {
    "dmeans": lambda: DMeans(birth_cost=0.15, random_state=0),
    "velocity": lambda: DMeans(birth_cost=0.15, motion="velocity", random_state=0),
    "kdmeans": lambda: KDMeans("linear", birth_cost=0.15, lifetime=3, reach=1.5, random_state=0),
    "sdmeans": lambda: SDMeans(RBF(0.15), random_state=0),
    "persistent": lambda: PersistentIds(DMeans(birth_cost=0.15, random_state=0)),
    "persistent, kernel": lambda: PersistentIds(
        DMeans(birth_cost=0.15, random_state=0), 0.3, kernel=RBF(0.3)
    ),
}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def turns(make, batches):
    """Splits and merges of a run."""
    model = make()
    for X in batches:
        model.partial_fit(X)
    return [event for event in model.history_ if event.kind in ("split", "merge")]


@every_model
def test_a_split_is_reported_once_with_its_newborn_piece(make):
    batches = dividing(np.random.default_rng(0))
    model = make()
    reported = [event for step in model.stream(batches) for event in step.splits]
    assert [event.kind for event in reported] == ["split"]
    [split] = reported
    whole, piece = model.predict([[-0.5, 0.0], [0.5, 0.0]])
    assert {split.id, *split.others} == {whole, piece}
    births = {e.id: e.step for e in model.history_ if e.kind == "birth"}
    assert [births[k] for k in split.others] == [split.step]
    assert split in model.history_


def test_a_merge_is_reported_once_with_the_cluster_that_ended():
    model = DMeans(birth_cost=0.15, random_state=0)
    reported = [event for step in model.stream(fusing(np.random.default_rng(0))) for event in step.merges]
    assert [(event.kind, len(event.others)) for event in reported] == [("merge", 1)]
    [merge] = reported
    assert merge.id in model.cluster_ids_
    assert ("sleep", merge.others[0], merge.step) in [(e.kind, e.id, e.step) for e in model.history_]
    assert {merge.id, *merge.others} == {0, 1, 2} - set(model.predict([AWAY]).tolist())


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_a_clusterer_that_lumps_two_clusters_together_has_merged_them(kernel):
    rng = np.random.default_rng(0)
    model = PersistentIds(kernel=kernel)
    for n_labels in (3, 3, 3, 2):
        X = blobs(rng, (-0.2, 0.0), (0.2, 0.0), AWAY)
        model.update(X, truth(X, n_labels))
    [merge] = model.step_.merges
    assert {merge.id, *merge.others} >= {0, 1, 2} - set(model.predict([AWAY]).tolist())
    X = blobs(rng, (-0.2, 0.0), (0.2, 0.0), AWAY)
    model.update(X, truth(X, 3))
    assert not model.step_.merges


@every_model
def test_a_cluster_that_dies_beside_another_has_not_merged(make):
    rng = np.random.default_rng(1)
    batches = [blobs(rng, (0.0, 0.0), *([(0.5, 0.0)] if t < 4 else []), AWAY) for t in range(8)]
    assert turns(make, batches) == []


@every_model
def test_a_cluster_born_beside_another_has_not_split_it(make):
    rng = np.random.default_rng(2)
    batches = [blobs(rng, (0.0, 0.0), *([(0.5, 0.0)] if t >= 4 else []), AWAY) for t in range(8)]
    assert turns(make, batches) == []


def test_well_separated_gaussians_that_move_die_and_are_replaced_neither_split_nor_merge():
    """In 20 dimensions clusters never come near each other, and many are born and die."""
    kinds = Counter()
    for seed in range(5):
        stream = moving_gaussians(n_steps=60, noise=0.02, motion=0.02, n_features=20, random_state=seed)
        for model in (DMeans(birth_cost=0.3, random_state=0), PersistentIds(DMeans(0.3, random_state=0))):
            for X in stream.batches:
                model.partial_fit(X)
            kinds += Counter(event.kind for event in model.history_)
    assert kinds["birth"] > 100
    assert kinds["sleep"] > 100
    assert kinds["split"] == kinds["merge"] == 0


def test_a_split_in_the_plane_is_one_of_true_clusters_that_were_taken_for_one():
    """Narrow clusters cross sometimes: a reported split consists of two true clusters."""
    n_splits = 0
    for seed in range(12):
        stream = moving_gaussians(noise=0.01, motion=0.01, random_state=seed)
        model = DMeans(birth_cost=0.005, random_state=0)
        before = None
        for X, y in zip(stream.batches, stream.labels, strict=True):
            model.partial_fit(X)
            for event in model.step_.splits:
                pieces = {int(k) for i in (event.id, *event.others) for k in y[model.labels_ == i]}
                assert pieces & {int(k) for k in before[1][before[0] == event.id]}
                assert len(pieces) > 1
                n_splits += 1
            before = (model.labels_, y)
    assert n_splits > 0


def test_events_of_a_large_batch_come_from_a_sample_of_its_rows():
    rng = np.random.default_rng(3)
    model = DMeans(birth_cost=0.15, random_state=0)
    model.partial_fit(blobs(rng, (0.0, 0.0), AWAY, n=5000))
    model.partial_fit(blobs(rng, (-0.42, 0.0), (0.42, 0.0), AWAY, n=3000, noise=0.01))
    assert [len(event.others) for event in model.step_.splits] == [1]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_linear_kernel_gives_the_events_of_the_space_of_the_rows(seed):
    rng = np.random.default_rng(seed)
    n, n_old, n_new = 30, 3, 2
    old, rows = rng.normal(size=(n_old, 2)), rng.normal(size=(n, 2))
    slots, mass = rng.integers(n_old + n_new, size=n), rng.uniform(0.5, 2.0, size=n)
    active, taken = np.arange(n_old), np.bincount(slots, mass, n_old + n_new)
    inputs = KernelInput(rows, mass, old, np.ones(n_old), active, n_old)
    state = empty_state(2)._replace(last_seen=np.zeros(n_old), ids=active)
    evidence = StepEvidence(slots.astype(np.int32), mass, taken, state)
    assert RowSpace(rows, old).find(evidence) == KernelSpace(Linear().compare(inputs)).find(evidence)
