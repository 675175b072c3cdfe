"""The remembered items of `PersistentIds` to and from a state file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynmeans._algorithms.linking.shared_items import ItemMemory, empty_item_memory
from dynmeans._files.snapshot import SnapshotError
from dynmeans._model.types import IntArray
from dynmeans.estimators._state_files.state_checks import BYTE, WHOLE, Arrays, column, require


def item_arrays(memory: ItemMemory) -> dict[str, np.ndarray[Any, Any]]:
    """Return the remembered items as arrays of numbers; strings as UTF-8 and the length of each."""
    if len(memory.items) == 0:
        return {}
    if memory.items.dtype.kind == "i":
        return {"item_ids": memory.ids, "items": memory.items}
    encoded = [item.encode("utf-8", "surrogatepass") for item in memory.items]
    return {
        "item_ids": memory.ids,
        "item_lengths": np.array([len(item) for item in encoded], dtype=np.int64),
        "item_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
    }


def checked_items(arrays: Arrays, ids: IntArray) -> ItemMemory:
    """Return the remembered items of a state file, which may have none."""
    if "item_ids" not in arrays:
        return empty_item_memory()
    n = len(arrays["item_ids"]) if arrays["item_ids"].ndim == 1 else -1
    owners = column(arrays, "item_ids", (n,), WHOLE)
    require(np.isin(owners, ids).all(), "items must belong to remembered clusters")
    items = column(arrays, "items", (n,), WHOLE) if "items" in arrays else _decoded(arrays, n)
    pairs = set(zip(items.tolist(), owners.tolist(), strict=True))
    require(len(pairs) == n, "no item may be twice in a cluster")
    return ItemMemory(items, owners)


def _decoded(arrays: Arrays, n: int) -> NDArray[np.object_]:
    lengths = column(arrays, "item_lengths", (n,), WHOLE)
    n_bytes = arrays["item_bytes"].size if "item_bytes" in arrays else 0
    raw = column(arrays, "item_bytes", (n_bytes,), BYTE).tobytes()
    is_length = (lengths >= 0) & (lengths <= n_bytes)
    require(is_length.all() and lengths.sum() == n_bytes, "lengths of items must add up to their bytes")
    ends = np.cumsum(lengths).tolist()
    try:
        parts = [
            raw[end - size : end].decode("utf-8", "surrogatepass")
            for end, size in zip(ends, lengths.tolist(), strict=True)
        ]
    except UnicodeDecodeError as error:
        raise SnapshotError(f"the state file has an item that is not text: {error}") from error
    decoded = np.empty(n, dtype=object)
    decoded[:] = parts
    return decoded
