from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynmeans._files.run_folder.format import Run
from dynmeans._files.run_folder.reader import read_run
from dynmeans.plots._payload import build_payload
from dynmeans.plots.report import embed_json, render_page, write_report
from run_folder import write_run

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028<!--{{DATA}}&amp;\\"


class Outline(HTMLParser):
    """All start tags of a page, and the text inside its scripts and its title."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "title": [], "style": []}
        self.inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, text: str) -> None:
        if self.inside in self.texts:
            self.texts[self.inside].append(text)


def test_the_page_holds_everything_and_names_no_address(run: Run, tmp_path: Path) -> None:
    write_report(run, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    outline = Outline(page)
    for _, attributes in outline.tags:
        assert "src" not in attributes
        assert attributes.get("href", "data:,") == "data:,"
    assert not re.search(r"https?:|@import|url\(", page)
    assert "{{" not in page.replace("${{", "")
    data, program = outline.texts["script"]
    assert json.loads(data) == json.loads(json.dumps(build_payload(run)))
    assert "dynmeansReport" in program


def test_titles_names_and_parameters_are_never_code(tmp_path: Path) -> None:
    info = {"title": EVIL, "features": [EVIL, "b", "c"], "parameters": {EVIL: EVIL}}
    run = read_run(
        write_run(tmp_path, n_steps=3, n_features=3, time={"name": EVIL, "kind": "number"}, **info)
    )
    harmless = read_run(write_run(tmp_path / "twin", n_steps=3, n_features=3))
    page, twin = (Outline(render_page(build_payload(each))) for each in (run, harmless))
    assert page.tags == twin.tags
    assert page.texts["title"] == [EVIL]
    data = json.loads(page.texts["script"][0])
    assert data["title"] == EVIL
    assert data["parameters"] == [[EVIL, EVIL]]
    assert data["clusters"]["features"][0] == EVIL


@given(
    st.recursive(st.text() | st.integers(), lambda part: st.lists(part) | st.dictionaries(st.text(), part))
)
def test_embedded_json_reads_back_and_holds_no_markup(value: object) -> None:
    text = embed_json(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_numbers_that_json_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        embed_json([float("nan")])
