from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._files.errors import InputError, error_context
from dynmeans._files.limits import FileLimits, in_words, parse_limits
from dynmeans._tables.chunk import check_distinct


def test_limits_are_read_from_options() -> None:
    assert parse_limits(None) == FileLimits()
    assert parse_limits(["line=64MB", "COLUMNS = 7", "array=2g"]) == FileLimits(
        line=64 * 2**20, columns=7, array=2 * 2**30
    )


@pytest.mark.parametrize(
    "entry", ["line", "line=", "rows=3", "cell=-1", "cell=0", "cell=1TB", "line=9" + "9" * 30]
)
def test_a_wrong_limit_is_named(entry: str) -> None:
    with pytest.raises(InputError) as error:
        parse_limits([entry])
    assert repr(entry) in str(error.value)


@given(st.integers(1, 2**62))
def test_sizes_are_rounded_up_in_words(count: int) -> None:
    digits, unit = in_words(count).split()
    size = {"bytes": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}[unit]
    assert count <= int(digits.replace(",", "")) * size < count + size


@given(st.integers(0, 2**40), st.integers(0, 2**40))
def test_what_a_file_may_take_grows_with_its_size(count: int, size: int) -> None:
    try:
        FileLimits().check_bytes(count, size, "a.npz", "it")
    except InputError:
        assert count > 8 * size + FileLimits().array
    else:
        assert count <= 8 * size + FileLimits().array


@given(st.sampled_from(["line", "cell", "array"]), st.integers(1, 2**50), st.integers(1, 2**50))
def test_the_option_that_an_error_names_does_raise_the_limit(name: str, value: int, needed: int) -> None:
    rule = FileLimits()._replace(**{name: value}).rule(name, needed)
    entry = rule.rpartition("--limit ")[2].removesuffix(")")
    assert getattr(parse_limits([entry]), name) >= max(needed, 2 * value)


def test_as_many_names_as_columns_are_compared_in_no_time() -> None:
    names = [f"c{i}" for i in range(300_000)]  # quadratic work would take hours
    check_distinct(names, names, "a.csv")
    with pytest.raises(InputError, match="'c7'"):
        check_distinct(names, [*names, "c7"], "a.csv")


class Panic(BaseException):
    """Error of a library in Rust."""


@pytest.mark.parametrize(
    "error", [Panic("a\nb"), ZeroDivisionError(), AttributeError("x"), MemoryError(), SyntaxError("odd")]
)
def test_any_error_of_a_library_is_one_line_that_names_the_location(error: BaseException) -> None:
    with pytest.raises(InputError) as caught, error_context("a.csv"):
        raise error
    assert str(caught.value).startswith("a.csv: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ImportError])
def test_interruptions_and_missing_packages_are_not_errors_of_a_file(error: type[BaseException]) -> None:
    with pytest.raises(error), error_context("a.csv"):
        raise error
