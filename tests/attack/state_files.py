"""Attacks by state files: damaged ones, and false ones that are well-formed.

A file that loads must also work: predict, transform, two steps, saving and loading again.
"""

from __future__ import annotations

import io
import json
import math
import random
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from attack.outcome import Outcome
from attack.states import prepare_process, subjects
from attack.workers import Attack, run_series, status_of
from dynmeans._files.snapshot import Snapshot, decode_snapshot

ODD: list[Any] = [
    *(None, True, False, 0, 1, 2, -1, 2**31, 2**62 - 1, 2**62, 2**63, 2**64, 10**30, -(2**63)),
    *(0.5, -0.0, 1.5, 1e18, 1e100, 1e308, -1e308, 1e-160, 5e-324, math.nan, math.inf, -math.inf),
    *(
        "",
        "auto",
        "walk",
        "velocity",
        "align",
        "rbf",
        "mst",
        "precomputed",
        "two\nlines",
        "../points.csv",
        "\ud800",
        "x" * 5000,
    ),
    *([], [1], [[]], [1.0, 2.0], ["a", "b"], {}, {"kernel": "rbf"}, {"kernel": "mst", "scale": 1e-300}),
]
SHARED = ("estimator", "params", "n_features", "seed", "feature_names", "metric", "kernel")  # in records
NUMBERS = [value for value in ODD if isinstance(value, (int, float))]
TYPES = ["<f8", "<f4", "<f2", ">f8", "<i8", ">i8", "<i4", "<u8", "|u1", "|b1", "<c16", "|S3"]


def damaged_state_files(count: int, seed: int) -> Iterator[Outcome]:
    """Flip bits, cut, insert and overwrite bytes of real files."""
    return _campaign(count, seed, _damaged)


def false_state_files(count: int, seed: int) -> Iterator[Outcome]:
    """Change one to three parts of real files; format and checksums stay valid."""
    return _campaign(count, seed, _false)


def _campaign(count: int, seed: int, make: Callable[[bytes, random.Random], bytes]) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory(prefix="dynmeans-attack-") as root:
        folder = Path(root).resolve()
        files = subjects(folder)
        names = list(files)

        def attack(attempt: int) -> None:
            subject, path = files[names[attempt % len(names)]], folder / "attacked"
            prepare_process()
            path.write_bytes(make(subject.data, random.Random(f"{seed} {attempt}")))
            subject.use(path)

        def describe(attempt: int) -> str:
            return f"{make.__name__[1:]} state file {attempt} of seed {seed}, {names[attempt % len(names)]}"

        def run(attempt: int) -> int:
            return status_of(partial(attack, attempt), (ValueError,))

        yield from run_series(Attack(run, describe, count))


def _damaged(data: bytes, chance: random.Random) -> bytes:
    bytes_ = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(bytes_) or 1)
        kind = chance.choice(["flip", "flip", "cut", "end", "insert", "overwrite"])
        if kind == "flip" and bytes_:
            bytes_[at] ^= 1 << chance.randrange(8)
        elif kind == "cut":
            del bytes_[at : at + chance.randint(1, 200)]
        elif kind == "end":
            del bytes_[at:]
        elif kind == "insert":
            bytes_[at:at] = chance.randbytes(chance.randint(1, 20))
        else:
            bytes_[at : at + 16] = chance.choice([bytes(16), b"\xff" * 16, chance.randbytes(16)])
    return bytes(bytes_)


def _false(data: bytes, chance: random.Random) -> bytes:
    snapshot = decode_snapshot(data)
    snapshot.arrays.update({name: np.array(array) for name, array in snapshot.arrays.items()})
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        if chance.random() < 0.5:
            _change_header(snapshot.header, chance)
        elif snapshot.arrays:
            _change_array(snapshot.arrays, chance)
    return _archive(snapshot) if data.startswith(b"PK") else _record(snapshot)


def _change_header(header: dict[str, Any], chance: random.Random) -> None:
    """Change one entry, perhaps of a dictionary or list inside."""
    part: Any = header
    while True:
        inner = [
            v
            for v in (part.values() if isinstance(part, dict) else part)
            if isinstance(v, (dict, list)) and v
        ]
        if not inner or chance.random() < 0.5:
            break
        part = chance.choice(inner)
    key = chance.choice(list(part) if isinstance(part, dict) else list(range(len(part))))
    kind = chance.choice(["odd", "odd", "nudge", "drop", "swap", "add"])
    value = part[key]
    if kind == "nudge" and isinstance(value, (int, float)) and not isinstance(value, bool):
        part[key] = chance.choice([value + 1, value - 1, -value, value * 2, value / 2, value * 1e10])
    elif kind == "drop":
        del part[key]
    elif kind == "swap":
        part[key] = deepcopy(chance.choice(list(header.values())))
    elif kind == "add" and isinstance(part, dict):
        part[chance.choice(["unknown", "kernel", "estimate", "two\nlines"])] = deepcopy(chance.choice(ODD))
    else:
        part[key] = deepcopy(chance.choice(ODD))


def _change_array(arrays: dict[str, Any], chance: random.Random) -> None:
    name = chance.choice(sorted(arrays))
    array = np.array(arrays[name])
    if array.dtype.kind not in "fiu":  # it has another type already
        return
    kind = chance.choice(["entry", "entry", "entry", "scale", "rows", "shape", "type", "drop", "other"])
    if kind == "entry" and array.size:
        _change_entries(array, chance)
    elif kind == "scale":
        with np.errstate(all="ignore"):
            scaled = array.astype(float) * chance.choice([-1, 0, 2, 1e3, 1e-3, 1e200, 1e-200])
            array = scaled.astype(chance.choice([array.dtype, scaled.dtype]))
    elif kind == "rows":
        order = (
            [chance.randrange(len(array)) for _ in range(len(array) + chance.randint(-1, 1))]
            if len(array)
            else []
        )
        array = array[order]
    elif kind == "shape":
        array = chance.choice(
            [array.T, array.ravel(), array[..., None], array[:0], array[..., :0], array[0:1]]
        )
    elif kind == "type":
        with np.errstate(all="ignore"):
            array = array.astype(chance.choice(TYPES))
    elif kind == "other":
        array = np.array(arrays[chance.choice(sorted(arrays))])
    arrays[name] = array
    if kind == "drop":
        del arrays[name]


def _change_entries(array: Any, chance: random.Random) -> None:
    """Set one entry, or all, to an odd number, or change one a little."""
    flat, at = array.reshape(-1), chance.randrange(array.size)
    with np.errstate(all="ignore"):
        value = chance.choice([*NUMBERS, flat[at] + 1, flat[at] - 1, flat[0], -flat[at]])
        if array.dtype.kind != "f":  # truncated to the number of bits
            value = int(value) if math.isfinite(value) else -1
            value = np.array(value % 2**64, dtype=np.uint64).astype(array.dtype)
    flat[slice(None) if chance.random() < 0.1 else at] = value


def _archive(snapshot: Snapshot) -> bytes:
    """Return a valid archive, whatever the contents."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("header.json", json.dumps(snapshot.header))
        for name, array in snapshot.arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), version=(1, 0))
            archive.writestr(f"{name}.npy", buffer.getvalue())
    return out.getvalue()


def _record(snapshot: Snapshot) -> bytes:
    """Return a record with a valid checksum, whatever the contents."""
    arrays = {name: np.ascontiguousarray(array) for name, array in snapshot.arrays.items()}
    columns = [(name, array.dtype.str, array.ndim) for name, array in arrays.items()]
    shared = {name: value for name, value in snapshot.header.items() if name in SHARED}
    own = {name: value for name, value in snapshot.header.items() if name not in (*SHARED, "arrays")}
    texts = [json.dumps(part).encode() for part in ({**shared, "arrays": columns}, own)]
    lengths = [len(text) for text in texts]
    sizes = [size for array in arrays.values() for size in array.shape]
    numbers = struct.pack(f"<{len(sizes)}q", *sizes)
    padding = bytes(-sum(lengths) % 8)
    values = [array.tobytes() for array in arrays.values()]
    body = b"".join([struct.pack("<2L", *lengths), *texts, padding, numbers, *values])
    return struct.pack("<8s2L", b"dynmeans", 1, zlib.crc32(body)) + body
