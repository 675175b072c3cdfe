"""Save, load and continue, and invalid state files."""

import io
import json
import pickle
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynmeans
from dynmeans import DMeans
from dynmeans._files.snapshot import SnapshotError
from dynmeans.datasets import moving_gaussians
from dynmeans.estimators import from_snapshot, to_snapshot
from strategies import streams


@given(streams(), st.sampled_from(["walk", "velocity"]), st.integers(0, 7))
@settings(max_examples=50, deadline=None)
def test_save_load_continue_equals_never_stopping(tmp_path_factory, batches, motion, cut):
    path = tmp_path_factory.mktemp("state") / "model.dynmeans"
    whole = DMeans(motion=motion, random_state=5)
    expected = [s.labels.tolist() for s in whole.stream(batches)]
    cut = min(cut, len(batches) - 1) + 1
    model = DMeans(motion=motion, random_state=5)
    found = [s.labels.tolist() for s in model.stream(batches[:cut])]
    model.save(path)
    again = dynmeans.load(path)
    found += [s.labels.tolist() for s in again.stream(batches[cut:])]
    assert found == expected
    np.testing.assert_array_equal(again.cluster_centers_, whole.cluster_centers_)
    assert again.history_ == whole.history_
    assert again.get_params() == whole.get_params()


def test_splits_and_merges_are_saved_and_files_from_before_them_load(tmp_path):
    model = DMeans(birth_cost=1.0, lifetime=3, random_state=0)
    spread = np.linspace(-0.1, 0.1, 9)
    model.partial_fit(np.append(spread, 50.0)[:, None])
    model.partial_fit(np.concatenate([spread - 1.1, spread + 1.1])[:, None])
    assert [(e.kind, len(e.others)) for e in model.history_ if e.others] == [("split", 1)]
    snapshot = to_snapshot(model)
    assert from_snapshot(snapshot).history_ == model.history_
    old = {name: column for name, column in snapshot.arrays.items() if "others" not in name}
    assert from_snapshot(snapshot._replace(arrays=old)).history_ == tuple(
        event._replace(others=()) for event in model.history_
    )


def test_estimates_of_the_birth_cost_are_saved_and_files_from_before_them_load():
    batches = moving_gaussians(n_steps=4, random_state=0).batches
    model = DMeans(random_state=0)
    for X in batches[:2]:
        model.partial_fit(X)
    snapshot = to_snapshot(model)
    header = {k: v for k, v in snapshot.header.items() if k not in ("guesses", "first_batches")}
    known = from_snapshot(snapshot._replace(header=header | {"guesses": [0.1, 0.4]}))
    assert to_snapshot(known).header["guesses"] == [0.1, 0.4]
    old = from_snapshot(snapshot._replace(header=header | {"estimate": 0.25}))
    assert old.partial_fit(batches[2]).step_.birth_cost_final
    assert old.birth_cost_ == 0.25
    young = from_snapshot(snapshot._replace(header=header | {"estimate": None}))
    assert not young.partial_fit(batches[2]).step_.birth_cost_final
    with pytest.raises(SnapshotError, match="-1.0, where a finite positive number belongs"):
        from_snapshot(snapshot._replace(header=header | {"guesses": [0.1, -1.0]}))


def test_a_run_with_a_random_seed_continues_as_if_uninterrupted(tmp_path):
    batches = moving_gaussians(n_steps=30, random_state=0).batches
    model = DMeans(birth_cost=0.06)
    for X in batches[:10]:
        model.partial_fit(X)
    model.save(tmp_path / "m")
    twin = dynmeans.load(tmp_path / "m")
    for X in batches[10:]:
        np.testing.assert_array_equal(model.partial_fit(X).labels_, twin.partial_fit(X).labels_)


def test_a_loaded_model_predicts_and_has_its_columns(tmp_path):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"a": [0.0, 5.0], "b": [0.0, 5.0]})
    DMeans(birth_cost=1.0, random_state=0).fit(X).save(tmp_path / "m")
    model = dynmeans.load(tmp_path / "m")
    assert list(model.feature_names_in_) == ["a", "b"]
    assert sorted(model.predict(X)) == [0, 1]
    assert model.birth_cost_ == 1.0
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"a": "z"}))


def test_equal_states_give_equal_files(tmp_path):
    model = DMeans(birth_cost=1.0, random_state=0).fit([[0.0], [5.0]])
    model.save(tmp_path / "a")
    dynmeans.load(tmp_path / "a").save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_numpy_can_open_a_state_file_without_pickle(tmp_path):
    DMeans(birth_cost=1.0, random_state=0).fit([[0.0], [5.0]]).save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz", allow_pickle=False) as archive:
        assert sorted(archive["ids"]) == [0, 1]


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m"
    model = DMeans(birth_cost=1.0, random_state=0).fit([[0.0]])
    model.save(path)
    kept = path.read_bytes()
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
    with pytest.raises(OSError, match="disk full"):
        model.partial_fit([[9.0]]).save(path)
    assert path.read_bytes() == kept
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "m"
    model = DMeans(motion="velocity", random_state=0)
    for X in moving_gaussians(n_steps=8, random_state=0).batches:
        model.partial_fit(X)
    model.save(path)
    return path.read_bytes()


def rewritten(data, change_header=None, change_arrays=None):
    """A well-formed archive with other contents."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            body = old.read(name)
            if name == "header.json" and change_header:
                body = json.dumps(change_header(json.loads(body))).encode()
            if name.endswith(".npy") and change_arrays and name[:-4] in change_arrays:
                buffer = io.BytesIO()
                np.save(buffer, change_arrays[name[:-4]](np.load(io.BytesIO(body))))
                body = buffer.getvalue()
            new.writestr(name, body)
    return out.getvalue()


def doubled(data):
    """An archive with two headers."""
    out = io.BytesIO(data)
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("header.json", archive.read("header.json"))
    return out.getvalue()


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a state file ran code",))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda good: b"", "is not a dynmeans state file, or is damaged"),
        (lambda good: b"hello", "is not a dynmeans state file, or is damaged"),
        (lambda good: good[: len(good) // 2], "is not a dynmeans state file, or is damaged"),
        (lambda good: pickle.dumps(Bomb()), "is not a dynmeans state file, or is damaged"),
        (
            lambda good: rewritten(good, lambda h: h | {"format": 99}),
            "written by a newer dynmeans .*format 99",
        ),
        (lambda good: rewritten(good, lambda h: h | {"kind": "cake"}), "is not a dynmeans state file"),
        (lambda good: rewritten(good, lambda h: [1]), "is not a dynmeans state file"),
        (lambda good: rewritten(good, lambda h: h | {"format": "1"}), "no valid format version, got '1'"),
        (lambda good: rewritten(good, lambda h: h | {"arrays": 3}), "does not list its arrays"),
        (lambda good: rewritten(good, lambda h: h | {"arrays": ["nothing"]}), "damaged"),
        (lambda good: rewritten(good, lambda h: h | {"arrays": [["ids"]]}), "does not list its arrays"),
        (lambda good: rewritten(good, lambda h: h | {"format": True}), "no valid format version, got True"),
        (lambda good: rewritten(good, lambda h: h | {"clock": np.nan}), "the header holds NaN"),
        (lambda good: doubled(good), "'header.json' appears more than once"),
        (
            lambda good: rewritten(good, lambda h: h | {"estimator": "os.system"}),
            "unknown estimator 'os.system'",
        ),
        (
            lambda good: rewritten(good, lambda h: h | {"params": {"evil": 1}}),
            "has a parameter 'evil' that DMeans does not have",
        ),
        (
            lambda good: rewritten(good, lambda h: h | {"next_id": -4}),
            "next_id=-4, where a whole number from 0 below",
        ),
        (lambda good: rewritten(good, lambda h: h | {"next_id": 1}), "is inconsistent"),
        (lambda good: rewritten(good, None, {"weights": lambda a: -a}), "is inconsistent"),
        (lambda good: rewritten(good, None, {"weights": lambda a: a[:-1]}), "wrong array 'weights'"),
        (lambda good: rewritten(good, None, {"centers": lambda a: a * np.nan}), "wrong array 'centers'"),
        (lambda good: rewritten(good, None, {"ids": lambda a: a[::-1].copy()}), "is inconsistent"),
        (lambda good: rewritten(good, None, {"ids": lambda a: a.astype(object)}), "damaged"),
    ],
)
def test_foreign_files_get_one_clear_line(tmp_path, good, make, message):
    path = tmp_path / "m"
    path.write_bytes(make(good))
    with pytest.raises(SnapshotError, match=message) as caught:
        dynmeans.load(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(SnapshotError, match="cannot read state file .*nowhere.*No such file"):
        dynmeans.load(tmp_path / "nowhere")
    with pytest.raises(SnapshotError, match="cannot read state file"):
        dynmeans.load(tmp_path)


def test_an_array_cannot_claim_more_than_the_file_holds(tmp_path, good):
    header = (
        b"\x93NUMPY\x01\x00v\x00"
        + b"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999,), }".ljust(117)
    )
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, header + b"\n" if name == "weights.npy" else old.read(name))
    (tmp_path / "m").write_bytes(out.getvalue())
    with pytest.raises(SnapshotError, match="does not have the size that its header states"):
        dynmeans.load(tmp_path / "m")


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_damaged_files_never_load_as_something_else(tmp_path_factory, good, data):
    """Flipped, cut, doubled and overwritten bytes: one clear error, or the very same state."""
    bytes_ = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(bytes_) - 1))
        kind = data.draw(st.sampled_from(["flip", "cut", "insert", "zero"]))
        if kind == "flip":
            bytes_[at] ^= 1 << data.draw(st.integers(0, 7))
        elif kind == "cut":
            del bytes_[at : at + data.draw(st.integers(1, 200))]
        elif kind == "insert":
            bytes_[at:at] = data.draw(st.binary(min_size=1, max_size=20))
        else:
            bytes_[at : at + 16] = bytes(len(bytes_[at : at + 16]))
        if not bytes_:
            break
    path = tmp_path_factory.mktemp("fuzz") / "m"
    path.write_bytes(bytes_)
    try:
        model = dynmeans.load(path)
    except SnapshotError as error:
        assert "\n" not in str(error)
        return
    path.write_bytes(good)
    original = dynmeans.load(path)
    np.testing.assert_array_equal(model.cluster_centers_, original.cluster_centers_)
    assert model.get_params() == original.get_params()
    assert model.history_ == original.history_
