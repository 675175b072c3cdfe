"""A disk that loses power: the content that is certain, and the content that is possible.

POSIX guarantees little. The content of a file is safe once the file was synced. A name is safe once its
folder was synced; until then it may stand for any file that it stood for since the last sync of the folder,
or for none. Everything else may be on the disk, or not, or in part.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable
from pathlib import Path

BLOCK = 512
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate")


class Disk:
    """Watches a folder from inside the process that writes to it.

    Parameters
    ----------
    root : Path
        All in it is on the disk at the beginning.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._synced: dict[int, bytes] = {}  # inode -> content that is safe
        self._open: dict[int, int] = {}  # inode -> descriptor; so inodes are not reused and can be read
        self._names: dict[Path, list[int | None]] = {root: [root.stat().st_ino]}  # what each may stand for
        self._folders: set[int] = {root.stat().st_ino}
        self._entries: set[tuple[int, str, int]] = set()  # (folder, name, inode) that were safe once
        self.scan()
        for path, inodes in self._names.items():
            self._names[path] = inodes[-1:]
        for inode in self._open:
            self._synced[inode] = self._latest(inode)

    def scan(self) -> None:
        """Record names that were added, removed or changed."""
        found = self._scan(self.root)
        for path in self._names.keys() | found.keys():
            now = found.get(path)
            versions = self._names.setdefault(path, [now if self._is_moved(path, now) else None])
            if versions[-1] != now and path != self.root:
                versions.append(now)

    def sync(self, descriptor: int) -> None:
        """Make a file or a folder safe."""
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_ino in self._open:
            self._synced[status.st_ino] = self._latest(status.st_ino)
        elif stat.S_ISDIR(status.st_mode):
            for path, versions in self._names.items():
                if path != self.root and self._names.get(path.parent, [None])[-1] == status.st_ino:
                    self._names[path] = versions[-1:]
                    if versions[-1] is not None:
                        self._entries.add((status.st_ino, path.name, versions[-1]))

    def _is_moved(self, path: Path, inode: int | None) -> bool:
        """Return whether a name came with its folder, in which it was safe already."""
        folder = path.parent.stat().st_ino if path.parent.exists() else None
        return (folder, path.name, inode) in self._entries

    def lose_power(self, target: Path, rng: random.Random) -> None:
        """Write to `target` what the disk may hold after a power cut at this moment."""
        self.scan()
        name = rng.choice([_first, _last, rng.choice])  # no name that is not safe, every name, any
        content = rng.choice([_least, _partial])
        target.mkdir()
        self._restore(self.root, target, name, lambda synced, now: content(synced, now, rng))

    def _restore(
        self,
        folder: Path,
        target: Path,
        name: Callable[[list[int | None]], int | None],
        content: Callable[[bytes | None, bytes], bytes],
    ) -> None:
        for path in sorted(path for path in self._names if path.parent == folder and path != folder):
            inode = name(self._names[path])
            if inode in self._folders:
                (target / path.name).mkdir()
                self._restore(path, target / path.name, name, content)
            elif inode is not None:
                (target / path.name).write_bytes(content(self._synced.get(inode), self._latest(inode)))

    def _scan(self, folder: Path) -> dict[Path, int]:
        found: dict[Path, int] = {}
        for entry in os.scandir(folder):
            inode, path = entry.inode(), folder / entry.name
            found[path] = inode
            if entry.is_dir():
                self._folders.add(inode)
                found |= self._scan(path)
            elif inode not in self._open:
                self._open[inode] = os.open(path, os.O_RDONLY)
        return found

    def _latest(self, inode: int) -> bytes:
        descriptor = self._open[inode]
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _first(versions: list[int | None]) -> int | None:
    return versions[0]


def _last(versions: list[int | None]) -> int | None:
    return versions[-1]


def _least(synced: bytes | None, now: bytes, rng: random.Random) -> bytes:
    return synced or b""


def _partial(synced: bytes | None, now: bytes, rng: random.Random) -> bytes:
    """Any mixture of blocks that are safe, written since, or zero, of any length between the two."""
    old = synced or b""
    if now[: len(old)] == old:  # appended to
        tail = now[len(old) :]
        kept = rng.randint(0, len(tail))
        return rng.choice([now, old + tail[:kept], old + bytes(len(tail)), old])
    size = rng.choice([len(old), len(now)])
    old, now = old.ljust(size, b"\0")[:size], now.ljust(size, b"\0")[:size]
    return b"".join(rng.choice([old, now])[i : i + BLOCK] for i in range(0, size, BLOCK))
