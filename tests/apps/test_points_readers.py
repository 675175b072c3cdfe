from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cloud_files import FORMATS, POINTS, pcd_bytes, ply_bytes, write_cloud
from dynmeans._files.errors import InputError
from dynmeans.apps.points import in_order, read_frames

pytest.importorskip("laspy", reason="LAS files need laspy")
pytest.importorskip("pypcd4", reason="PCD files need pypcd4")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_gives_the_points_that_were_written(tmp_path: Path, format: str) -> None:
    path = write_cloud(tmp_path, format)
    (frame,) = read_frames([path])
    np.testing.assert_allclose(frame.points, POINTS, atol=2e-3)
    assert frame.points.dtype == np.float64
    assert (frame.time, frame.source) == (None, path)


@pytest.mark.parametrize("format", [format for format in FORMATS if format != "csv"])
def test_a_file_that_was_cut_short_is_named_in_one_line(tmp_path: Path, format: str) -> None:
    path = write_cloud(tmp_path, format)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3 + 1])
    with pytest.raises(InputError, match=path.name) as caught:
        list(read_frames([path]))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("format", "words"),
    [
        ("pcd", "cut short, 39 of 40 points"),
        ("binary.pcd", "cut short, 39 of 40 points"),
        ("las", "cut short, 39 of 40 points"),
        ("npy", "cut short, 953 of 960 bytes"),
    ],
)
def test_a_file_that_ends_within_a_point_reports_its_size(tmp_path: Path, format: str, words: str) -> None:
    path = write_cloud(tmp_path, format)
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(InputError, match=words):
        list(read_frames([path]))


@pytest.mark.parametrize("format", ["pcd", "x.ply", "las", "laz", "npy"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"cloud.{format}"
    path.write_bytes(b"this is a letter, not a point cloud\n" * 20)
    with pytest.raises(InputError, match=path.name):
        list(read_frames([path]))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"property float y", b"property float q", "no 'y'"),
        (b"ascii 1.0", b"morse 1.0", "no known format"),
        (b"element vertex 40", b"element vertex many", "'many' vertices"),
        (b"element vertex 40", b"element face 3\nelement vertex 40", "must be 'vertex'"),
        (b"property uchar red", b"property list uchar int red", "type 'list'"),
        (b"end_header\n", b"", "header has no end"),
    ],
)
def test_a_ply_header_with_invalid_entries_is_refused(
    tmp_path: Path, old: bytes, new: bytes, words: str
) -> None:
    path = tmp_path / "cloud.ply"
    path.write_bytes(ply_bytes("ascii", POINTS).replace(old, new))
    with pytest.raises(InputError, match=words):
        list(read_frames([path]))


@pytest.mark.parametrize("count", [10**15, 10**20])
def test_a_ply_header_with_too_many_vertices_is_refused(tmp_path: Path, count: int) -> None:
    for kind in ("ascii", "little"):
        path = tmp_path / f"{kind}.ply"
        path.write_bytes(ply_bytes(kind, POINTS).replace(b"vertex 40", b"vertex %d" % count))
        with pytest.raises(InputError, match=f"cut short, 40 of {count} vertices"):
            list(read_frames([path]))


@pytest.mark.parametrize("line", ["1 7 two 3", "1 7 2", "1 7 2 3 4", ""])
def test_an_invalid_vertex_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "cloud.ply"
    lines = ply_bytes("ascii", POINTS).decode().split("\n")
    lines[lines.index("end_header") + 3] = line
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=f"vertex 3 is '{line}'; it must be 4 numbers"):
        list(read_frames([path]))


@pytest.mark.parametrize("data", ["ascii", "binary"])
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("FIELDS", "FIELDS x", "SIZE has 5 entries for 6 FIELDS"),
        ("COUNT", "COUNT 1", "COUNT has 6 entries for 5 FIELDS"),
        ("FIELDS ring x y _", "FIELDS ring _ y x", "FIELDS must contain 'x' once"),
        (
            "FIELDS ring x y",
            "FIELDS ring x q",
            "FIELDS must contain 'y' once, with COUNT 1; they are ring, x, q, _, z",
        ),
        ("POINTS 40", "POINTS 10", "POINTS is 10, but WIDTH x HEIGHT is 20 x 2"),
        ("WIDTH 20", "WIDTH 15", "POINTS is 40, but WIDTH x HEIGHT is 15 x 2"),
        ("POINTS 40", "POINTS -4", "POINTS is '-4'; it must be a whole number"),
        ("WIDTH 20\nHEIGHT 2\nPOINTS 40", "POINTS 30", "holds 40 points, but its header states 30"),
        ("WIDTH 20\nHEIGHT 2\nPOINTS 40", "POINTS 90", "cut short, 40 of 90 points"),
        ("SIZE 2 8 4 1 4", "SIZE 2 8 2 1 4", "TYPE F of SIZE 2; it must be F of SIZE 4 or 8"),
        ("DATA ", "DATA zip ", "DATA is 'zip'; it must be ascii, binary or binary_compressed"),
        ("SIZE", "# SIZE", "its header has no SIZE"),
    ],
)
def test_a_pcd_header_with_invalid_entries_is_refused(
    tmp_path: Path, data: str, old: str, new: str, words: str
) -> None:
    path = tmp_path / "cloud.pcd"
    path.write_bytes(pcd_bytes(data, POINTS).replace(old.encode(), new.encode(), 1))
    with pytest.raises(InputError, match=words):
        list(read_frames([path]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" ", "  "),
        (" ", "\t"),
        ("\n", " \n"),
        ("\n", "\r\n"),
        ("VERSION .7", "VERSION .5"),
        ("# made up", "\ufeff# made up"),
        ("VIEWPOINT 0 0 0 1 0 0 0\n", ""),
        ("WIDTH 20\nHEIGHT 2\n", ""),
    ],
)
def test_a_pcd_file_may_be_written_in_other_ways(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "cloud.pcd"
    path.write_bytes(pcd_bytes("ascii", POINTS).replace(old.encode(), new.encode()))
    (frame,) = read_frames([path])
    np.testing.assert_array_equal(frame.points, POINTS)


def test_without_count_a_field_of_a_pcd_file_is_one_number(tmp_path: Path) -> None:
    path = write_cloud(tmp_path, "pcd")
    path.write_bytes(path.read_bytes().replace(b"COUNT 1 1 1\n", b""))
    (frame,) = read_frames([path])
    np.testing.assert_allclose(frame.points, POINTS, atol=1e-6)


@pytest.mark.parametrize(
    ("at", "length", "words"),
    [
        (0, 10**9, "cut short, .* of 1000000000 bytes of compressed data"),
        (4, 4 * 10**9, "holds 4000000000 bytes of points, but its header states 1200"),
    ],
)
def test_a_compressed_pcd_file_is_read_only_if_its_lengths_are_right(
    tmp_path: Path, at: int, length: int, words: str
) -> None:
    points = np.tile(POINTS[:2], (50, 1))
    path = write_cloud(tmp_path, "compressed.pcd", points)
    (frame,) = read_frames([path])
    np.testing.assert_allclose(frame.points, points, atol=1e-6)
    data = bytearray(path.read_bytes())
    begin = data.index(b"compressed\n") + len(b"compressed\n") + at
    data[begin : begin + 4] = length.to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(InputError, match=words):
        list(read_frames([path]))


def test_rows_of_equal_time_are_a_frame(tmp_path: Path) -> None:
    path = tmp_path / "walk.csv"
    times = np.repeat([0.0, 0.5, 2.0], [10, 20, 10])
    np.savetxt(path, np.column_stack([times, POINTS]), delimiter=",", header="t,x,y,z", comments="")
    frames = list(read_frames([path], time="t"))
    assert [(len(frame.points), frame.time) for frame in frames] == [(10, 0.0), (20, 0.5), (10, 2.0)]


def test_a_table_without_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "walk.csv"
    path.write_text("x,y\n1,2\n")
    with pytest.raises(InputError, match=r"walk\.csv.*z"):
        list(read_frames([path]))


def test_an_array_of_three_dimensions_holds_many_frames(tmp_path: Path) -> None:
    np.save(tmp_path / "walk.npy", np.stack([POINTS, POINTS + 1.0]))
    frames = list(read_frames([tmp_path / "walk.npy"]))
    np.testing.assert_array_equal(frames[1].points, POINTS + 1.0)
    named = np.zeros(3, dtype=[("z", "f4"), ("x", "f4"), ("y", "f4")])
    named["x"] = 5.0
    np.save(tmp_path / "named.npy", named)
    (frame,) = read_frames([tmp_path / "named.npy"])
    assert frame.points[0].tolist() == [5.0, 0.0, 0.0]
    np.save(tmp_path / "image.npy", np.stack([named, named]))
    (frame,) = read_frames([tmp_path / "image.npy"])
    np.testing.assert_array_equal(frame.points, [[5.0, 0.0, 0.0]] * 6)
    np.save(tmp_path / "flat.npy", POINTS[:, :2])
    with pytest.raises(InputError, match=r"shape \(40, 2\)"):
        list(read_frames([tmp_path / "flat.npy"]))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("junk.pcd", b"\x00\x13\x87 nothing\n", "its header has no FIELDS, SIZE, TYPE, POINTS, DATA"),
        ("half.pcd", b"VERSION .7\nFIELDS x y z\n", "its header has no SIZE, TYPE, POINTS, DATA"),
        ("junk.npy", b"0123456789", "not an NPY file"),
        ("empty.npy", b"", "not an NPY file"),
        ("cloud.xyz", b"1 2 3\n", r"unknown file type; it must be pcd, .*, or a table"),
        ("empty.csv", b"", "the file is empty"),
    ],
)
def test_a_foreign_file_is_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        list(read_frames([tmp_path / name]))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([["a", "b", "c"]]), "contains text; it must contain numbers"),
        (np.array([["a", 1, None]], dtype=object), "holds Python objects"),
        (np.zeros((2, 3), dtype=bool), "contains truth values"),
        (np.zeros((2, 3), dtype="M8[s]"), r"contains values of type datetime64\[s\]"),
        (np.zeros(2, dtype=[("x", "S4"), ("y", "f4"), ("z", "f4")]), "contains text"),
        (np.zeros(2, dtype=[("x", "f4", 3), ("y", "f4"), ("z", "f4")]), "contains values of type"),
        (np.float64(3.0), r"shape \(\); it must be"),
    ],
)
def test_the_error_of_an_array_without_numbers_names_its_type(
    tmp_path: Path, array: np.ndarray, message: str
) -> None:
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(InputError, match=message):
        list(read_frames([tmp_path / "a.npy"]))


def test_a_folder_stands_for_its_files_alone(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    for name in (".hidden", "1.bin"):
        (tmp_path / name).touch()
    assert [path.name for path in in_order([tmp_path])] == ["1.bin"]


def test_files_come_in_the_order_of_the_numbers_in_their_names(tmp_path: Path) -> None:
    for name in ("f10.bin", "f9.bin", "f1.bin"):
        (tmp_path / name).touch()
    assert [path.name for path in in_order([tmp_path])] == ["f1.bin", "f9.bin", "f10.bin"]


def test_coordinates_that_cannot_be_squared_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y,z\n1,2,3\n1,2,-1e308\n")
    with pytest.raises(InputError, match=r"a coordinate is -1e\+308; it must lie within ±1e\+150"):
        list(read_frames([path]))
