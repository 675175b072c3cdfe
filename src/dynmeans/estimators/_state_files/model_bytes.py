"""Estimators to and from bytes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from dynmeans._files.record import (
    MARK,
    Layout,
    decode_record,
    encode_record,
    make_layout,
    shared_entries,
)
from dynmeans._files.snapshot import damaged, decode_snapshot
from dynmeans.estimators._state_files.decoding import (
    model_of,
    restore_named,
    restored,
    unfitted,
    with_estimator,
)
from dynmeans.estimators._state_files.encoding import (
    own_entries,
    shared_header,
    shared_values,
    state_arrays,
)
from dynmeans.estimators._state_files.state_checks import Arrays, require


def encode_model(model: Any, entries: Mapping[str, Any] = {}, arrays: Arrays = {}) -> bytes:  # noqa: B006
    """Return a fitted estimator as a record, with further entries and arrays."""
    own, all_arrays = own_entries(model), state_arrays(model)
    own.update(entries)
    all_arrays.update(arrays)
    columns = tuple([(name, array.dtype, array.ndim) for name, array in all_arrays.items()])
    return encode_record(layout_of(model, columns), own, all_arrays)


def layout_of(model: Any, columns: tuple[tuple[str, Any, int], ...]) -> Layout:
    """Return the layout of the records of a model: made once for all models with equal parameters."""
    try:
        return _layout_of(columns, *shared_values(model))
    except TypeError:  # a parameter that has no hash
        return make_layout(shared_header(*shared_values(model)), columns)


@lru_cache(maxsize=1024, typed=True)  # typed: 3 and 3.0 are different texts
def _layout_of(columns: tuple[tuple[str, Any, int], ...], *values: Any) -> Layout:
    return make_layout(shared_header(*values), columns)


def from_bytes(data: bytes, *, estimator: Any = None) -> Any:
    """Return an estimator from the bytes of ``model.to_bytes()`` or of a state file.

    Parameters
    ----------
    data : bytes-like
        The result of ``model.to_bytes()``, or the content of a state file.
    estimator : clusterer, optional
        As in :func:`load`.

    Returns
    -------
    The estimator.

    Raises
    ------
    SnapshotError
        If the data are damaged, or inconsistent.

    Examples
    --------
    >>> import dynmeans
    >>> data = dynmeans.DMeans(birth_cost=1.0).fit([[0.0], [0.1], [5.0]]).to_bytes()
    >>> dynmeans.from_bytes(data).predict([[4.0]])
    array([1])
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data must be bytes, got {type(data).__name__}")
    return with_estimator(decode_model(bytes(data), "the data").model, estimator)


class DecodedModel(NamedTuple):
    """An estimator, and all that its bytes hold."""

    model: Any
    header: dict[str, Any]
    arrays: Arrays


def decode_model(data: bytes, name: str) -> DecodedModel:
    """Return an estimator from a record or a state file; ``name`` appears in errors."""
    if data[: len(MARK)] != MARK:
        snapshot = decode_snapshot(data, name)
        return DecodedModel(restore_named(name, model_of, snapshot), *snapshot)
    try:
        shared, own, arrays = decode_record(data)
    except Exception as error:  # an invalid record may raise any kind of error
        raise damaged(name, error) from error
    return restore_named(name, _decoded, shared, own, arrays)


def _decoded(shared: bytes, own: dict[str, Any], arrays: Arrays) -> DecodedModel:
    template = _template(shared)
    require(own.keys().isdisjoint(template.header), "an entry appears more than once")
    header = {**template.header, **own}
    return DecodedModel(restored(template.model, header, arrays), header, arrays)


class _Template(NamedTuple):
    header: dict[str, Any]  # entries that many records share
    model: Any  # with its parameters, without clusters


@lru_cache(maxsize=1024)
def _template(shared: bytes) -> _Template:
    """Parse and check entries that many records share, once; this takes 150 microseconds."""
    header = shared_entries(shared)
    return _Template(header, unfitted(header))
