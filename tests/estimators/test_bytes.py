"""The state file in memory: the same bytes, the same checks, the same continuation."""

import numpy as np
import pytest
from hypothesis import given, settings

import dynmeans
from dynmeans import DMeans
from dynmeans._files import snapshot as snapshots
from dynmeans._files import stored_zip
from dynmeans._files.snapshot import SnapshotError, decode_snapshot, encode_snapshot, read_snapshot
from saved_models import FOLDER, SAVED
from strategies import streams


@pytest.mark.parametrize("name", SAVED)
def test_the_bytes_are_the_file_and_continue_as_it_does(name, tmp_path):
    saved = SAVED[name]
    model = saved.fitted()
    data = model.to_bytes()
    model.save(tmp_path / "m")
    assert data == (tmp_path / "m").read_bytes()
    again = dynmeans.from_bytes(data, estimator=getattr(model, "estimator", None))
    assert again.to_bytes() == data
    assert saved.continued(again) == saved.continued(model)


@given(streams())
@settings(max_examples=25, deadline=None)
def test_a_round_trip_after_every_step_changes_nothing(batches):
    whole, data, labels = DMeans(random_state=3), None, []
    expected = [step.labels.tolist() for step in whole.stream(batches)]
    for X in batches:
        model = DMeans(random_state=3) if data is None else dynmeans.from_bytes(data)
        labels.append(model.partial_fit(X).labels_.tolist())
        data = model.to_bytes()
    assert labels == expected
    assert data == whole.to_bytes()


@pytest.mark.parametrize("name", SAVED)
def test_files_of_version_0_1_load_from_bytes(name):
    data = (FOLDER / f"{name}.dynmeans").read_bytes()
    assert stored_zip.unzip(data) is not None  # the fast path
    model = dynmeans.from_bytes(bytearray(data))
    assert model.n_steps_ == dynmeans.load(FOLDER / f"{name}.dynmeans").n_steps_


def test_invalid_data_get_one_clear_line():
    data = DMeans(birth_cost=1.0, random_state=0).fit([[0.0], [5.0]]).to_bytes()
    snapshot = decode_snapshot(data)
    for bad in (b"", b"hello", data[:-1], data[: len(data) // 2], data.replace(b"clock", b"cl0ck")):
        with pytest.raises(SnapshotError, match="the data is not a dynmeans state file, or is damaged"):
            dynmeans.from_bytes(bad)
    false = encode_snapshot(snapshot._replace(header=snapshot.header | {"next_id": 1}))
    with pytest.raises(SnapshotError, match="the data: .*contradicts itself: ids must be below next_id=1"):
        dynmeans.from_bytes(false)
    with pytest.raises(TypeError, match="data must be bytes, got str"):
        dynmeans.from_bytes("text")
    with pytest.raises(ValueError, match="holds a DMeans, which takes no estimator"):
        dynmeans.from_bytes(data, estimator=DMeans())


def test_an_unfitted_model_has_no_bytes():
    with pytest.raises(ValueError, match="not fitted"):
        DMeans().to_bytes()


def test_large_files_are_written_and_read_by_zipfile(monkeypatch, tmp_path):
    model = DMeans(birth_cost=1.0, random_state=0).fit([[0.0], [5.0]])
    monkeypatch.setattr(stored_zip, "LARGEST_ARCHIVE", 1000)
    monkeypatch.setattr(snapshots, "_SMALL_FILE", 10)
    model.save(tmp_path / "m")
    assert model.to_bytes() == (tmp_path / "m").read_bytes()
    for again in (dynmeans.load(tmp_path / "m"), dynmeans.from_bytes(model.to_bytes())):
        np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)
    assert read_snapshot(tmp_path / "m").header == decode_snapshot(model.to_bytes()).header
