"""The runnable blocks of a page, and how to run them.

One convention for every page: the output of a ``python`` block is shown in the ``text`` block right below
it, and a block without one prints nothing. A ``console`` block shows commands, which begin with ``$``, each
with its output below; if no output is shown, the command must only succeed. A backslash at the end of a line
continues the command. ``...`` stands for any text.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any, NamedTuple

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[^\n]*\n(\s*)", re.MULTILINE | re.DOTALL)
_HERE = Path(__file__).parent


class Block(NamedTuple):
    """One block of a page that can be run."""

    language: str  # "python" or "console"
    code: str
    output: str  # output according to the page
    line: int  # of the page, where the block begins


def read_blocks(page: Path) -> list[Block]:
    """Runnable blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    fences = list(_FENCE.finditer(text))
    blocks = []
    for i, fence in enumerate(fences):
        line = text.count("\n", 0, fence.start()) + 1
        if fence[1] == "python":
            below = fences[i + 1] if i + 1 < len(fences) else None
            shown = below is not None and below[1] == "text" and below.start() == fence.end()
            blocks.append(Block("python", fence[2], below[2] if shown and below else "", line))
        elif fence[1] == "console":
            blocks += _commands(fence[2], line)
    return blocks


def _commands(text: str, line: int) -> list[Block]:
    """Each command of a console block with the lines below it."""
    parts = re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.MULTILINE)[1:]
    pairs = [part.partition("\n") for part in parts]
    return [Block("console", command, output, line) for command, _, output in pairs]


def run_python(block: Block, page: Path, names: dict[str, Any]) -> str:
    """Run a block in the names of its page; returns what it prints."""
    # Empty lines in front, so that an error has the line of the page.
    code = compile("\n" * block.line + block.code, str(page), "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def run_page(name: str) -> dict[str, Any]:
    """Run the Python blocks of a page of this folder; returns the names that they leave behind."""
    names: dict[str, Any] = {}
    for block in read_blocks(_HERE / name):
        if block.language == "python":
            run_python(block, _HERE / name, names)
    return names
