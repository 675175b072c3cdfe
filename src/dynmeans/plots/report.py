"""Report: one HTML page with embedded data, style and scripts, without network access."""

from __future__ import annotations

import html
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

from dynmeans._files.run_folder.format import Run
from dynmeans.plots._payload import build_payload

_SCRIPTS = ("data.js", "draw.js", "scatter.js", "timeline.js", "charts.js", "table.js", "page.js")


def write_report(run: Run, path: str | Path) -> None:
    """Write the report of a run.

    Parameters
    ----------
    run : Run
        As :func:`dynmeans.runs.read_run` returns it.
    path : path
        File to write, usually ``report.html`` in the run folder.

    Examples
    --------
    >>> from dynmeans.runs import read_run
    >>> write_report(read_run("dynmeans-run"), "report.html")  # doctest: +SKIP
    """
    Path(path).write_text(render_page(build_payload(run)), encoding="utf-8")


def render_page(payload: dict[str, Any]) -> str:
    """Insert style, scripts and data into the page; data cannot act as placeholder or code."""
    folder = resources.files("dynmeans.plots") / "page"

    def text(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    parts = {
        "TITLE": html.escape(payload["title"]),
        "STYLE": text("page.css"),
        "SCRIPT": "\n".join(text(name) for name in _SCRIPTS),
        "DATA": embed_json(payload),
    }
    return re.sub(r"\{\{([A-Z]+)\}\}", lambda match: parts[match[1]], text("page.html"))


def embed_json(value: Any) -> str:
    """Encode JSON for a script element: pure ASCII without markup characters."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
