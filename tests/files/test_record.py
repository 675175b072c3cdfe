"""Records in memory: the compiled writer and reader against their slow twins."""

import json
import struct
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from dynmeans._core import record_arrays, record_body
from dynmeans._files.record import decode_record, encode_record, make_layout

DTYPES = st.sampled_from(["<f8", ">f8", "<f4", "<i8", "<i4", "|u1"])
SHAPES = arrays_of.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=5)
ARRAYS = st.dictionaries(st.text(min_size=1, max_size=5), arrays_of.arrays(DTYPES, SHAPES), max_size=6)


def slow_record(shared, own, arrays):
    """Return a record as its description in `dynmeans._files.record` says."""
    names = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    described = [[name, arrays[name].dtype.str, arrays[name].ndim] for name in names]
    texts = [
        json.dumps(entries, separators=(",", ":")).encode()
        for entries in ({**shared, "arrays": described}, own)
    ]
    sizes = [size for name in names for size in arrays[name].shape]
    body = struct.pack("<2L", *map(len, texts)) + b"".join(texts)
    body += bytes(-len(body) % 8) + struct.pack(f"<{len(sizes)}q", *sizes)
    body += b"".join(arrays[name].tobytes() for name in names)
    return struct.pack("<8s2L", b"dynmeans", 1, crc32(body)) + body


@given(ARRAYS, st.dictionaries(st.text(max_size=3), st.integers(), max_size=3))
def test_records_have_the_documented_bytes_and_return_their_content(arrays, own):
    layout = make_layout({"a": 1}, [(name, array.dtype, array.ndim) for name, array in arrays.items()])
    data = encode_record(layout, own, arrays)
    assert data == slow_record({"a": 1}, own, arrays)
    read = decode_record(data)
    assert read.own == own
    assert read.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(read.arrays[name], array)
        assert read.arrays[name].dtype == array.dtype
        assert not read.arrays[name].flags.writeable


def test_arrays_in_any_memory_order_are_written_row_by_row():
    table = np.arange(12.0).reshape(3, 4)
    parts = [np.asfortranarray(table), table[:, ::2], table[::-1, 0]]
    expected = b"".join(part.tobytes() for part in parts)
    assert record_body(b"", b"", parts).endswith(expected)


def test_views_keep_the_record_alive():
    columns = (("x", np.dtype(float), 1),)
    view = record_arrays(record_body(b"", b"", [np.arange(1000.0)]), 8, columns)["x"]
    np.testing.assert_array_equal(view, np.arange(1000.0))


FLOAT = np.dtype(np.float64)
FALSE = [
    ([-1], 1, FLOAT, "negative dimensions"),
    ([3], 1, FLOAT, "ends after the record"),
    ([1], 1, FLOAT, "sizes that the header states"),
    ([2**62], 1, FLOAT, "too big|ends after|dimension"),
    ([2**62, 0], 2, FLOAT, "too big|dimension|sizes"),
    ([2**32, 2**32], 2, FLOAT, "too big|dimension"),
    ([1, 1], 3, FLOAT, "one or two dimensions"),
    ([], 1, FLOAT, "too short|ends after"),
]


@pytest.mark.parametrize(("sizes", "n_dimensions", "dtype", "message"), FALSE)
def test_false_sizes_are_refused(sizes, n_dimensions, dtype, message):
    data = struct.pack(f"<{len(sizes)}q", *sizes) + (bytes(16) if sizes else b"")
    with pytest.raises(ValueError, match=message):
        record_arrays(data, 0, (("x", dtype, n_dimensions),))


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="a NumPy array is required"):
        record_body(b"", b"", [[1.0]])
    with pytest.raises(TypeError, match="a NumPy type is required"):
        record_arrays(bytes(8), 0, (("x", "<f8", 1),))
    with pytest.raises(ValueError, match="too short"):
        record_arrays(bytes(8), 2**63, (("x", FLOAT, 1),))
