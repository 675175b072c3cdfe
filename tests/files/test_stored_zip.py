"""Archives of uncompressed members: equal to those of zipfile, and every other archive is left to it."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._files import stored_zip
from dynmeans._files.stored_zip import unzip, zip_parts

MEMBERS = st.dictionaries(st.from_regex(r"[a-z_]{1,20}(\.npy)?", fullmatch=True), st.binary(max_size=300))


def by_zipfile(members):
    """The slow twin."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, body in members.items():
            archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), body)
    return out.getvalue()


@given(MEMBERS)
def test_archives_are_those_of_zipfile(members):
    data = b"".join(zip_parts((name, [body[:7], body[7:]]) for name, body in members.items()))
    assert data == by_zipfile(members)
    assert {name: bytes(body) for name, body in unzip(data).items()} == members


@given(MEMBERS.filter(bool), st.data())
def test_a_damaged_archive_is_refused_or_unchanged_in_content(members, data):
    damaged = bytearray(by_zipfile(members))
    at = data.draw(st.integers(0, len(damaged) - 1))
    damaged[at] ^= 1 << data.draw(st.integers(0, 7))
    found = unzip(bytes(damaged))
    assert found is None or {name: bytes(body) for name, body in found.items()} == members
    with_cut = unzip(bytes(damaged[:at]))
    assert with_cut is None


def test_other_archives_are_left_to_zipfile():
    compressed, twice = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(compressed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"0" * 100)
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr("a", b"1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a", b"2")
    commented = by_zipfile({"a": b"1"})[:-2] + b"\1\0x"
    for data in (compressed.getvalue(), twice.getvalue(), commented, b"", b"PK", b"junk" + by_zipfile({})):
        assert unzip(data) is None


def test_an_archive_that_needs_zip64_is_left_to_zipfile(monkeypatch):
    assert zip_parts([("a", [b"12345"])]) is not None
    monkeypatch.setattr(stored_zip, "LARGEST_ARCHIVE", 100)
    assert zip_parts([("a", [bytes(101)])]) is None
    assert zip_parts([("a", [bytes(60)])]) is None  # with the directory it is too large
    monkeypatch.setattr(stored_zip, "MOST_MEMBERS", 1)
    assert zip_parts([("a", []), ("b", [])]) is None
