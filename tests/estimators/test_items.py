"""`PersistentIds` with items: overlapping windows and repeated fits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, KMeans

import dynmeans
from dynmeans import PersistentIds
from dynmeans._files.snapshot import SnapshotError
from dynmeans.datasets import moving_gaussians
from dynmeans.estimators import from_snapshot, to_snapshot

FAR = 1000.0


def windows(width=3, n_steps=14, seed=0):
    """Sliding windows over a stream: rows, true labels and row numbers."""
    stream = moving_gaussians(n_steps=n_steps, random_state=seed)
    ends = np.cumsum([0, *map(len, stream.batches)])
    X, y = np.concatenate(stream.batches), np.concatenate(stream.labels)
    return [
        (X[ends[i] : ends[i + width]], y[ends[i] : ends[i + width]], np.arange(ends[i], ends[i + width]))
        for i in range(n_steps - width + 1)
    ]


@pytest.mark.parametrize("parameters", [{}, {"metric": "cosine"}, {"kernel": "rbf"}], ids=str)
def test_members_in_common_link_clusters_whatever_their_centers(parameters):
    rng = np.random.default_rng(0)
    model = PersistentIds(**parameters)
    first = model.update(rng.normal(0.1, 1, (6, 2)), [0, 0, 0, 1, 1, 1], items=list("abcdef")).labels_
    moved = rng.normal(0.1, 1, (6, 2)) + FAR * rng.normal(size=2)
    again = model.update(moved, [8, 8, 8, 5, 5, 5], items=list("efgabx")).labels_
    assert again.tolist() == [first[3]] * 3 + [first[0]] * 3
    assert len(model.step_.born) == 0


def test_a_merged_cluster_keeps_the_id_of_most_members_and_gives_the_other_back_when_it_splits():
    X = np.zeros((10, 1))
    model = PersistentIds(birth_cost=1.0, lifetime=5)
    apart = [0] * 6 + [1] * 4
    assert model.update(X, apart, items=range(10)).labels_.tolist() == apart
    assert model.update(X, [3] * 10, items=range(10)).labels_.tolist() == [0] * 10
    assert model.update(X, apart, items=range(10)).labels_.tolist() == apart


def test_a_cluster_whose_members_are_gone_is_linked_by_its_center():
    model = PersistentIds(birth_cost=1.0).update([[0.0], [9.0]], [0, 1], items=[1, 2])
    assert model.update([[9.1], [0.1]], [0, 1], items=[7, 8]).labels_.tolist() == [1, 0]
    # The member of cluster 0 is far away now, so the group near its old center is another cluster.
    model.update([[FAR], [0.0], [9.0]], [0, 1, 2], items=[8, 9, 10])
    assert model.labels_.tolist() == [0, 2, 1]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_names_of_items_and_order_of_rows_change_no_id(seed):
    rng = np.random.default_rng(seed)
    plain, renamed = PersistentIds(), PersistentIds()
    stream = windows(n_steps=6, seed=seed % 100)
    names = np.array([f"text {i}" for i in rng.permutation(stream[-1][2].max() + 1)])
    for X, y, rows in stream:
        order = rng.permutation(len(X))
        expected = plain.update(X, y, items=rows).labels_[order]
        found = renamed.update(X[order], y[order], items=names[rows][order]).labels_
        pairs = set(zip(expected.tolist(), found.tolist(), strict=True))
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def test_repeated_fits_on_the_same_rows_change_no_id():
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = PersistentIds(KMeans(4, random_state=0))
    first = model.partial_fit(X, items=range(80)).labels_
    for scale in (3.0, 0.1, 50.0):  # other units from fit to fit
        np.testing.assert_array_equal(model.partial_fit(scale * X, items=range(80)).labels_, first)


def test_the_memory_is_bounded_by_the_last_rows_of_remembered_clusters():
    model = PersistentIds(DBSCAN(eps=0.5, min_samples=1), birth_cost=1.0, lifetime=2.5)
    rng = np.random.default_rng(0)
    for step in range(30):
        model.partial_fit(rng.normal(0, 20, (50, 2)), items=np.arange(50) + 50 * step)
        assert len(model._state.memory.items) <= 3 * 50


@pytest.mark.parametrize("kind", [int, str])
def test_save_load_continue_equals_never_stopping(tmp_path, kind):
    stream = [(X, y, np.array([kind(row) for row in rows])) for X, y, rows in windows()]
    whole, model = PersistentIds(), PersistentIds()
    expected = [whole.update(X, y, items=items).labels_.tolist() for X, y, items in stream]
    found = []
    for X, y, items in stream:
        found.append(model.update(X, y, items=items).labels_.tolist())
        model.save(tmp_path / "m")
        model = dynmeans.load(tmp_path / "m")
    assert found == expected


def test_any_text_survives_a_state_file(tmp_path):
    names = ["", "a\0b", "naïve 雪", "\ud800", "x" * 5000]
    PersistentIds(birth_cost=1.0).update(np.zeros((5, 1)), range(5), items=names).save(tmp_path / "m")
    model = dynmeans.load(tmp_path / "m")
    assert model.update(np.zeros((5, 1)), range(5), items=names[::-1]).labels_.tolist() == [4, 3, 2, 1, 0]


def test_false_items_in_a_state_file_are_refused():
    texts = to_snapshot(PersistentIds().update([[0.0], [1.0]], [0, 1], items=["ab", "c"]))
    numbers = to_snapshot(PersistentIds().update([[0.0], [1.0]], [0, 1], items=[3, 4]))
    cases = [
        (texts, {"item_ids": np.array([0, 7])}, "items must belong to remembered clusters"),
        (texts, {"item_lengths": np.array([2, 2])}, "lengths of items must add up"),
        (texts, {"item_lengths": np.array([4, -1])}, "lengths of items must add up"),
        (texts, {"item_bytes": np.array([255, 255, 255], dtype=np.uint8)}, "an item that is not text"),
        (texts, {"item_bytes": np.zeros((3, 1), dtype=np.uint8)}, "wrong array 'item_bytes'"),
        (numbers, {"items": np.array([3.0, 4.0])}, "wrong array 'items'"),
        (numbers, {"items": np.array([3, 3]), "item_ids": np.array([0, 0])}, "no item may be twice"),
    ]
    for snapshot, arrays, message in cases:
        with pytest.raises(SnapshotError, match=message):
            from_snapshot(snapshot._replace(arrays=snapshot.arrays | arrays))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([1], "items must have one entry for each of 2 rows, got 1"),
        ([1.5, 2.5], "items must be all integers or all strings, got 1.5 in row 0"),
        (["a", None], "got None in row 1"),
        ([True, False], "got True in row 0"),
        (["a", "a"], "items must differ within a batch, got 'a' in rows 0 and 1"),
        ([[1], [2]], "items must be a list of names, one per row, got shape"),
        (np.array([1, 2**63], dtype=np.uint64), "items must be below"),
        ([1, 2**70], "items must lie within"),
        (["x", "y"], "items must be integers as in earlier batches, got strings"),
    ],
)
def test_invalid_items_are_named(items, message):
    model = PersistentIds().update([[0.0]], [0], items=[5])
    with pytest.raises(ValueError, match=message):
        model.update([[0.0], [1.0]], [0, 1], items=items)
    with pytest.raises(ValueError, match=message):
        model.set_params(estimator=KMeans(1)).partial_fit([[0.0], [1.0]], items=items)


def test_absent_rows_have_no_items():
    model = PersistentIds(birth_cost=1.0)
    model.update([[0.0], [9.0], [50.0]], [0, 1, 2], sample_weight=[1, 1, 0], items=["a", "b", "c"])
    assert sorted(model._state.memory.items.tolist()) == ["a", "b"]


def test_stream_passes_items_on():
    batches = [{"X": X, "items": rows} for X, _, rows in windows(n_steps=5)]
    steps = list(PersistentIds(KMeans(3, random_state=0)).stream(batches))
    assert len(steps) == 3
