"""Files that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a place to write to, and move what was written there to `path` once it is whole.

    The place has the same name in every run: what a killed run leaves there is overwritten by the next.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> with replacing(target) as place:
    ...     _ = place.write_text("all of it")
    >>> target.read_text()
    'all of it'
    """
    place = path.with_name(f".{path.stem}.tmp{path.suffix}")
    try:
        yield place
        place.replace(path)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
