"""HTML reports of some keys of a run by key, and a page that lists them."""

from __future__ import annotations

import html
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dynmeans._files.atomic_write import atomic_write
from dynmeans._files.run_folder.format import REPORT_FILE
from dynmeans._files.run_folder.reader import read_info, read_key

KEY_REPORT = "report-"  # how the name of the report of a key begins
_LONGEST_NAME = 100  # characters of a key that are part of a file name

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:50rem;padding:0 1rem}}
td,th{{padding:.2rem 1rem .2rem 0;text-align:right}}td:first-child,th:first-child{{text-align:left}}
</style></head>
<body><h1>{title}</h1><p>{summary}</p>
<table><tr><th>{by}</th><th>rows</th><th>steps</th><th>clusters</th></tr>
{rows}</table></body></html>
"""


def report_file(key: str) -> str:
    """Return the name of the report of a key: safe on all systems, and different for different keys."""
    name = quote(key, safe=" ")
    if len(name) > _LONGEST_NAME or name != name.lower():  # some systems do not distinguish case
        name = f"{name[:_LONGEST_NAME]}-{blake2b(key.encode(), digest_size=6).hexdigest()}"
    return f"{KEY_REPORT}{name}.html"


def draw_key_reports(folder: Path) -> None:
    """Write the reports that run.json lists, and a page with links to them."""
    from dynmeans.plots.report import write_report

    info = read_info(folder)
    rows = []
    for key, name in info.get("reports", {}).items():
        run = read_key(folder, key)
        with atomic_write(folder / name) as temporary:
            write_report(run, temporary)
        n_clusters = len(set(run.clusters["id"].tolist()))
        rows.append(_row(key, name, [run.info["rows"], run.info["steps"], n_clusters]))
    with atomic_write(folder / REPORT_FILE) as temporary:
        temporary.write_text(_page(info, rows), encoding="utf-8")


def _row(key: str, name: str, numbers: list[int]) -> str:
    cells = "".join(f"<td>{number:,}</td>" for number in numbers)
    return f'<tr><td><a href="{quote(name)}">{html.escape(key)}</a></td>{cells}</tr>\n'


def _page(info: dict[str, Any], rows: list[str]) -> str:
    by = html.escape(info["parameters"]["by"])
    summary = f"{info['rows']:,} rows of {info['keys']:,} keys in {info['steps']:,} steps."
    if len(rows) < info["keys"]:
        summary += f" {len(rows):,} keys have reports; --report-keys and --report-largest choose others."
    return _PAGE.format(title=html.escape(info["title"]), summary=summary, by=by, rows="".join(rows))
