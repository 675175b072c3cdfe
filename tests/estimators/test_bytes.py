"""Models as bytes: the same content as the state file, the same checks, the same continuation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynmeans
from dynmeans import DMeans
from dynmeans._files import record
from dynmeans._files import snapshot as snapshots
from dynmeans._files.record import encode_record, make_layout
from dynmeans._files.snapshot import SnapshotError, decode_snapshot, read_snapshot
from dynmeans.estimators._state_files.encoding import (
    own_entries,
    shared_header,
    shared_values,
    state_arrays,
)
from saved_models import FOLDER, SAVED
from strategies import streams


@pytest.mark.parametrize("name", SAVED)
def test_the_bytes_have_the_content_of_the_file_and_continue_as_it_does(name, tmp_path):
    saved = SAVED[name]
    model = saved.fitted()
    data = model.to_bytes()
    model.save(tmp_path / "m")
    file = read_snapshot(tmp_path / "m")
    header, arrays = decode_snapshot(data)
    assert {**header, "kind": file.header["kind"], "format": file.header["format"]} == file.header
    assert arrays.keys() == file.arrays.keys()
    assert all(np.array_equal(arrays[key], file.arrays[key]) for key in arrays)
    assert dynmeans.from_bytes((tmp_path / "m").read_bytes()).to_bytes() == data
    (tmp_path / "bytes").write_bytes(data)
    assert dynmeans.load(tmp_path / "bytes").to_bytes() == data
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
    model = dynmeans.from_bytes(bytearray(data))
    assert model.n_steps_ == dynmeans.load(FOLDER / f"{name}.dynmeans").n_steps_


def small_model(**params):
    return DMeans(birth_cost=1.0, random_state=0, **params).fit([[0.0], [5.0]])


def test_invalid_data_get_one_clear_line(tmp_path):
    model = small_model()
    model.save(tmp_path / "m")
    for data in (model.to_bytes(), (tmp_path / "m").read_bytes()):
        for bad in (b"", b"hello", data[:-1], data[: len(data) // 2], data.replace(b"clock", b"cl0ck")):
            with pytest.raises(SnapshotError, match="the data is not a dynmeans state file, or is damaged"):
                dynmeans.from_bytes(bad)
    with pytest.raises(TypeError, match="data must be bytes, got str"):
        dynmeans.from_bytes("text")
    with pytest.raises(ValueError, match="holds a DMeans, which takes no estimator"):
        dynmeans.from_bytes(data, estimator=DMeans())


@given(st.integers(min_value=0), st.integers(1, 255))
@settings(max_examples=100, deadline=None)
def test_every_changed_byte_is_found(at, change):
    data = bytearray(small_model().to_bytes())
    data[at % len(data)] ^= change
    with pytest.raises(SnapshotError, match="the data is not a dynmeans state file, or is damaged"):
        dynmeans.from_bytes(data)


def record_of(model, shared=None, own=None, arrays=None):
    columns = {**state_arrays(model), **(arrays or {})}
    described = [(name, array.dtype, array.ndim) for name, array in columns.items()]
    header = {**shared_header(*shared_values(model)), **(shared or {})}
    return encode_record(make_layout(header, described), {**own_entries(model), **(own or {})}, columns)


FALSE = [
    ({"own": {"next_id": 1}}, "ids must be below next_id=1, got 1"),
    ({"own": {"next_id": 2**70}}, "next_id=1180591620717411303424"),
    ({"own": {"n_features": 1}}, "an entry appears more than once"),
    ({"own": {"birth_cost": -1.0}}, "birth_cost=-1.0"),
    ({"shared": {"n_features": 2}}, "wrong array 'centers'"),
    ({"shared": {"estimator": "KMeans"}}, "unknown estimator 'KMeans'"),
    ({"shared": {"params": {"n_jobs": 0}}}, "n_jobs must be a whole number"),
    ({"shared": {"kernel": {"kernel": "rbf"}}}, "DMeans with a kernel"),
    ({"arrays": {"weights": np.array([1.0, np.nan])}}, "numbers that are not finite"),
    ({"arrays": {"weights": np.array([1.0])}}, "wrong array 'weights'"),
    ({"arrays": {"ids": np.array([1, 0])}}, "ids must increase"),
    ({"arrays": {"event_kind": np.zeros(1, np.uint8)}}, "wrong array 'event_id'"),
]


@pytest.mark.parametrize(("changes", "message"), FALSE)
def test_false_records_are_refused_in_one_line(changes, message):
    for _ in range(2):  # nothing is remembered of an invalid record
        with pytest.raises(SnapshotError, match=f"^the data: .*{message}") as caught:
            dynmeans.from_bytes(record_of(small_model(), **changes))
        assert "\n" not in str(caught.value)


def test_models_from_equal_parameters_are_independent():
    data = small_model(lifetime=4).to_bytes()
    first, second = dynmeans.from_bytes(data), dynmeans.from_bytes(data)
    first.set_params(lifetime=9).partial_fit([[7.0]])
    assert second.lifetime == 4
    assert second.to_bytes() == data


def test_a_record_of_a_later_format_asks_for_an_upgrade(monkeypatch):
    monkeypatch.setattr(record, "FORMAT", 2)
    data = small_model().to_bytes()
    monkeypatch.undo()
    with pytest.raises(SnapshotError, match="format 2 is unknown.*please upgrade"):
        dynmeans.from_bytes(data)


def test_an_unfitted_model_has_no_bytes():
    with pytest.raises(ValueError, match="not fitted"):
        DMeans().to_bytes()


def test_members_of_large_arrays_have_large_sizes(monkeypatch, tmp_path):
    monkeypatch.setattr(snapshots, "_LARGEST_MEMBER", 10)
    model = small_model()
    model.save(tmp_path / "m")
    assert dynmeans.load(tmp_path / "m").to_bytes() == model.to_bytes()
