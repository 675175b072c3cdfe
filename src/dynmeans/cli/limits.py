"""The option --limit, which all commands that read files share."""

from __future__ import annotations

from typing import Annotated

import typer

LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SIZE",
        help="Read larger parts of files: line=8MB, cell=128KB and columns=100000 bound a table, array=256MB "
        "the memory of an array or a step beyond 8 times the size of its files. May be given again.",
        show_default=False,
    ),
]
