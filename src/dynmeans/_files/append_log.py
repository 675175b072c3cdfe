"""Append-only files that grow together, one step at a time, and can be truncated to an earlier step."""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from dynmeans._files.atomic_write import naming_errors, sync_folder
from dynmeans._files.errors import InputError

_PENDING_BYTES = 1 << 20  # kept in memory before it is written


class AppendLog:
    r"""Several append-only files with lines of every step.

    A step is in all files or in none. Appended lines are kept in memory, and `flush` writes them at known
    offsets. An interrupted flush is repaired by the next one, by `close`, or by a new log with the last
    known lengths.

    Parameters
    ----------
    folder : Path
        Folder of the files.
    headings : mapping of str to bytes
        Names of the files, and the first line of each.
    lengths : mapping of str to int or None
        Number of bytes of each file to keep, from an earlier log; the rest is truncated. None starts new
        files.

    Raises
    ------
    InputError
        If a file is shorter than it should be, or the lengths are those of other files.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> log = AppendLog(folder, {"steps.csv": b"step\n"})
    >>> log.append({"steps.csv": b"1\n"})
    >>> log.flush()
    {'steps.csv': 7}
    >>> log.close()
    """

    def __init__(
        self, folder: Path, headings: Mapping[str, bytes], lengths: Mapping[str, int] | None = None
    ) -> None:
        if lengths is not None and lengths.keys() != headings.keys():
            unexpected = sorted(lengths.keys() ^ headings.keys())[0]
            raise InputError(f"{folder / unexpected}: no file of this run, or its length is unknown")
        self._written = dict.fromkeys(headings, 0) if lengths is None else dict(lengths)
        self._pending: list[Mapping[str, bytes]] = [headings] if lengths is None else []
        self._waiting = 0
        for name, length in self._written.items():
            _check_length(folder / name, length)
        self._files = {
            name: FileIO(str(folder / name), "r+" if lengths else "w", opener=_open_real) for name in headings
        }
        self._folder, self._is_listed = folder, False  # whether the names of the files are on disk
        for name, file in self._files.items():
            file.truncate(self._written[name])

    def append(self, step: Mapping[str, bytes]) -> None:
        """Add the lines of a step to each file. They are on disk after the next `flush`."""
        self._pending.append(step)
        self._waiting += sum(map(len, step.values()))
        if self._waiting > _PENDING_BYTES:
            self.flush()

    def flush(self, *, durable: bool = False) -> dict[str, int]:
        """Write the appended lines.

        Parameters
        ----------
        durable : bool
            Sync the files, so that they survive a power cut.

        Returns
        -------
        dict
            Length of each file in bytes, at the end of a step.
        """
        lengths = dict(self._written)
        for name, file in self._files.items():
            with naming_errors(self._folder / name):
                file.seek(lengths[name])
                lengths[name] += _write_all(file, b"".join(step.get(name, b"") for step in self._pending))
                if durable:
                    os.fsync(file.fileno())
        if durable and not self._is_listed:
            sync_folder(self._folder)
            self._is_listed = True
        self._written, self._pending, self._waiting = lengths, [], 0
        return dict(lengths)

    def close(self) -> None:
        """Close the files at the last step that is in all of them; a second call does nothing."""
        if all(file.closed for file in self._files.values()):
            return
        try:
            self.flush()
        finally:
            for name, file in self._files.items():
                file.truncate(self._written[name])
                file.close()


def _open_real(path: str, flags: int) -> int:
    """Open a file; a symbolic link is not followed."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _check_length(path: Path, length: int) -> None:
    size = path.stat().st_size if path.is_file() else 0
    if size < length:
        raise InputError(f"{path}: {size} bytes, but {length} had been written; the run cannot be continued")


def _write_all(file: FileIO, data: bytes) -> int:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
    return len(data)
