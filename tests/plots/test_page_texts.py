"""The report of a run with embeddings and texts, in headless Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

from browser import Browser, find_browser
from dynmeans.runs import RunParameters, cluster_files

TOPICS = ("alpha", "beta", "gamma", "delta")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_browser() is None, reason="no Chromium found"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Four clusters in 30 dimensions, each with a word of its own; the last step has no points."""
    pytest.importorskip("websocket")
    folder = tmp_path_factory.mktemp("texts")
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(4, 30))
    lines = []
    for t in range(5):
        for k in range(4):
            for i in range(6):
                row = centers[k] + rng.normal(0, 0.1, 30)
                text = f"{TOPICS[k]} text {t} {i}"
                lines.append(json.dumps({"t": t, "vector": row.tolist(), "text": text}))
    (folder / "posts.jsonl").write_text("\n".join(lines) + "\n")
    parameters = RunParameters(time="t", embedding="vector", text="text", birth_cost=4.0)
    cluster_files(folder / "posts.jsonl", parameters, out=folder / "run")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    browser.open(folder / "run" / "report.html")
    browser.wait_for_drawing()
    yield browser
    assert browser.problems == []
    browser.close()


def test_the_header_has_the_birth_cost_in_force(page: Browser) -> None:
    assert "birth cost in force4" in page.run("document.querySelector('#parameters').textContent")


def test_words_and_examples_are_in_the_table(page: Browser) -> None:
    heads = page.run("Array.from(document.querySelectorAll('th'), (head) => head.textContent)")
    assert heads[-2:] == ["words", "example"]
    rows = "document.querySelectorAll('#table tbody tr[data-cluster]')"
    cells = page.run(f"Array.from({rows}, (row) => row.cells[7].textContent)")
    assert {words.split()[0] for words in cells} == set(TOPICS)


HOVER = """(() => {
    const [canvas, tip] = ["scatter", "tooltip"].map((id) => document.getElementById(id));
    const { x, y, width, height } = canvas.getBoundingClientRect();
    const found = new Set();
    for (let i = 0; i < width; i += 4) {
        for (let j = 0; j < height; j += 4) {
            canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: x + i, clientY: y + j }));
            if (!tip.hidden) found.add(tip.textContent);
        }
    }
    return [...found];
})()"""


def test_hovering_shows_words_and_texts(page: Browser) -> None:
    shown = page.run(HOVER)
    centers = [text for text in shown if text.startswith("Cluster")]
    points = [text for text in shown if text.startswith("\u201c")]
    assert len(centers) == 4
    assert all(text.count("\u201c") == 3 for text in centers)  # examples
    assert {text.split()[0][1:] for text in points} == set(TOPICS)


def test_other_axes_can_be_chosen(page: Browser) -> None:
    before = page.run("document.getElementById('scatter').toDataURL()")
    names = page.run("Array.from(document.querySelector('#axes select').options, (option) => option.text)")
    assert names[:4] == ["map, first direction", "map, second direction", "component 1", "component 2"]
    labels = page.run("JSON.parse(document.getElementById('data').textContent).axes.labels")
    assert labels[0].startswith("map: similar clusters are near each other (rank correlation of distances")
    assert sum("% of the variance" in label for label in labels) == 4
    assert max(map(len, names)) < 25  # menus are wide enough for that
    page.run(
        "(() => { const choice = document.querySelector('#axes select'); choice.value = 2;"
        " choice.dispatchEvent(new Event('change')); })()"
    )
    page.wait_for_drawing()
    assert page.run("document.getElementById('scatter').toDataURL()") != before


def test_nothing_overflows_a_laptop_screen(page: Browser) -> None:
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
