from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks import field, field_methods
from benchmarks.field_clusterers import WithoutNoise, hdbscan_match, leader, mini_batch_k_means
from benchmarks.field_methods import METHODS, Method, parameters, select
from benchmarks.field_streams import DATA, KINDS, VARIABLE, FieldStream, folder_of, read_streams
from benchmarks.field_trackers import kalman, match, norfair, on_segments, sort_style
from dynmeans.metrics import identity_f1

FILTER = {"gate": 1.0, "lifetime": 5.0, "q": 0.1, "r": 0.1}


def write_walkers(folder: Path, kind: str, rows_each: int, n_steps: int = 12) -> None:
    """Three walkers on parallel lines; step 5 has no rows, and one walker is missed in steps 7 and 8."""
    rng = np.random.default_rng(0)
    X, y, t = [], [], []
    for step in range(n_steps):
        for who in range(3):
            if step == 5 or (who == 1 and step in (7, 8)):
                continue
            X.append(rng.normal((0.5 * step, 6.0 * who), 0.02, (rows_each, 2)))
            y += [who] * rows_each
            t += [float(step)] * rows_each
    order = rng.permutation(len(y))
    np.savez(
        folder / f"{kind}_walkers.npz",
        X=np.concatenate(X)[order].astype(np.float32),
        y=np.array(y)[order],
        t=np.array(t)[order],
        times=np.arange(float(n_steps)),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_walkers(tmp_path, "people_single", 1)
    write_walkers(tmp_path, "people_five", 5)
    return tmp_path


def only(folder: Path, kind: str) -> FieldStream:
    (stream,) = read_streams(folder, [kind])
    return stream


def test_steps_without_rows_and_unsorted_rows_are_read(folder: Path) -> None:
    stream = only(folder, "people_single")
    assert (stream.kind, stream.name) == ("people_single", "walkers")
    assert [len(frame.X) for frame in stream.frames] == [3, 3, 3, 3, 3, 0, 3, 2, 2, 3, 3, 3]
    assert all(np.allclose(f.X[:, 1], 6.0 * f.y, atol=0.1) for f in stream.frames)
    assert all(frame.X.dtype == np.float64 for frame in stream.frames)


def test_streams_are_chosen_by_kind_or_by_name(folder: Path) -> None:
    def kinds(*words: str) -> list[str]:
        return [stream.kind for stream in read_streams(folder, words)]

    assert kinds() == ["people_single", "people_five"]
    assert kinds("people_five") == kinds("people_five/walkers") == ["people_five"]
    with pytest.raises(ValueError, match="unknown stream people_five/nobody"):
        kinds("people_five/nobody")


def test_folder_is_the_argument_or_the_variable_or_beside_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert folder_of() == DATA
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert folder_of() == tmp_path
    assert folder_of(tmp_path / "given") == tmp_path / "given"


def test_kalman_tracks_walkers_through_gaps_and_forgets_after_the_lifetime(folder: Path) -> None:
    stream = only(folder, "people_single")
    assert identity_f1(stream.true, kalman(stream.frames, **FILTER)) == 1.0
    short = kalman(stream.frames, **{**FILTER, "lifetime": 1.0})
    assert len(np.unique(np.concatenate(short))) == 4  # the missed walker returns under a new id


def test_sort_style_assigns_ids_from_the_third_hit_on(folder: Path) -> None:
    labels = sort_style(only(folder, "people_single").frames, **{**FILTER, "gate": 20.0})
    assert [(ids == -1).all() for ids in labels[:4]] == [True, True, False, False]
    assert set(np.concatenate(labels[2:]).tolist()) == {0, 1, 2}


def test_trackers_on_segments_label_all_rows_of_an_object(folder: Path) -> None:
    stream = only(folder, "people_five")
    labels = on_segments(kalman, stream.frames, eps=0.3, min_samples=3, **FILTER)
    assert identity_f1(stream.true, labels) == 1.0
    noise = on_segments(kalman, stream.frames, eps=0.3, min_samples=6, **FILTER)
    assert all((ids == -1).all() for ids in noise)


def test_pairs_beyond_the_gate_are_not_made() -> None:
    rows, columns = match(np.array([[0.5, 3.0], [0.2, 9.0]]), 1.0)
    assert (rows.tolist(), columns.tolist()) == ([1], [0])


def test_norfair_tracks_walkers(folder: Path) -> None:
    pytest.importorskip("norfair")
    stream = only(folder, "people_single")
    labels = norfair(stream.frames, distance=1.5, hits=10, delay=0)
    assert identity_f1(stream.true, labels) == 1.0


def directions(folder: Path) -> FieldStream:
    """Two directions with small noise, as of embeddings."""
    rng = np.random.default_rng(1)
    y = np.tile(np.repeat([0, 1], 10), 4)
    X = np.eye(8)[y] + rng.normal(0, 0.05, (80, 8))
    np.savez(folder / "text_two.npz", X=X, y=y, t=np.repeat(np.arange(4.0), 20), times=np.arange(4.0))
    return only(folder, "text")


def test_leader_and_clusterers_separate_two_directions(tmp_path: Path) -> None:
    stream = directions(tmp_path)
    for run in (
        partial(leader, threshold=0.7, lifetime=3.0),
        partial(hdbscan_match, min_cluster_size=5, gate=0.5),
        partial(mini_batch_k_means, n_clusters=2),
    ):
        assert identity_f1(stream.true, run(stream.frames)) == 1.0


def test_leaders_are_forgotten_after_the_lifetime(tmp_path: Path) -> None:
    frames = directions(tmp_path).frames
    labels = leader([frames[0], frames[1]._replace(time=9.0)], threshold=0.7, lifetime=3.0)
    assert not set(labels[0].tolist()) & set(labels[1].tolist())


def test_hdbscan_without_noise_takes_batches_of_any_size() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 0.1, (20, 2)), rng.normal(5, 0.1, (20, 2)), [[1.0, 1.0]]])
    assert set(WithoutNoise(5).fit_predict(X).tolist()) == {0, 1}
    assert WithoutNoise(5).fit_predict(X[:3]).tolist() == [0, 0, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_every_baseline_has_parameters_for_every_kind_it_runs_on(kind: str) -> None:
    for method in select(kind):
        assert set(parameters(kind, method)) == set(method.space)


def test_names_of_methods_are_unique_within_a_kind() -> None:
    for kind in KINDS:
        names = [method.name for method in METHODS if kind in method.kinds]
        assert len(names) == len(set(names))
    with pytest.raises(ValueError, match="no method is named nothing"):
        select("kitti", ["nothing"])


def test_best_of_the_drawn_parameters_is_chosen(folder: Path) -> None:
    stream = only(folder, "people_single")
    method = Method("x", KINDS, partial(kalman, lifetime=5.0, q=0.1, r=0.1), {"gate": [0.001, 1.0]})
    assert field_methods.choose(method, [stream], n_draws=8) == {"gate": 1.0}


def test_tables_have_a_row_for_every_stream_and_method(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    field.main(["--data", str(folder), "--methods", "Kalman", "DMeans()"])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("##")] == [
        "## people_single",
        "## people_five",
        "## Mean identity F1",
    ]
    rows = [line.split("|")[1:-1] for line in lines if line.startswith("| walkers (3)")]
    assert [row[1].strip() for row in rows] == [
        "Kalman + Hungarian",
        "DMeans()",
        "DBSCAN + Kalman",
        "DMeans()",
    ]
    assert all(len(row) == len(field.HEADER) for row in rows)
    means = [line.split("|")[1:3] for line in lines[-2:]]
    assert [[cell.strip() for cell in row] for row in means] == [
        ["people_single", "Kalman + Hungarian"],
        ["people_five", "DBSCAN + Kalman"],
    ]


def test_tuned_methods_get_only_the_first_third(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    original = field_methods.tune
    monkeypatch.setattr(
        field_methods, "tune", lambda steps, *a, **k: seen.append(len(steps)) or original(steps, *a, **k)
    )
    stream = only(folder, "people_five")
    labels = field_methods.tuned(field_methods.DMeans(), budget=4)(stream.frames)
    assert seen == [5]  # six steps, one of them without rows
    assert [len(ids) for ids in labels] == [len(frame.X) for frame in stream.frames]


def test_rows_compare_with_the_best_baseline(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(folder))
    rows = field.run(quick=True)
    assert [row.target.value for row in rows if row.target] == [0.75, 0.75]
    assert all(row.peer is not None for row in rows)


def test_absent_data_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    (row,) = field.run(quick=True)
    assert "nowhere" in row.note
    with pytest.raises(SystemExit, match="no streams in"):
        field.main(["--data", str(tmp_path)])
