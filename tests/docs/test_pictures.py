from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="pictures need matplotlib")
import pictures

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DRAWN = {*pictures.PICTURES, pictures.DEMO, *pictures.FILM}
# Both forms have an alternative text.
IMAGE = re.compile(r"^```\{image\} (\S+)\n:alt: \S+|^!\[[^\]]+\]\((\S+)\)", re.MULTILINE)


def shown() -> set[Path]:
    """Every picture of a page."""
    pages = [ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("tutorial/*.md")]
    found = [
        (page, name) for page in pages for names in IMAGE.findall(page.read_text("utf-8")) for name in names
    ]
    return {(page.parent / name).resolve() for page, name in found if name}


def test_every_figure_of_an_experiment_is_shown() -> None:
    figures = set((ROOT / "experiments" / "results").glob("*.png"))
    assert figures == {path for path in shown() if path.parent.name == "results"} != set()


def test_every_picture_is_shown_and_drawn_by_the_script() -> None:
    here = {path for path in shown() if path.parent == DOCS / "pictures"}
    assert here == {DOCS / "pictures" / name for name in DRAWN} == set((DOCS / "pictures").iterdir())


def test_the_script_draws_the_pictures_of_the_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pictures"
    folder.mkdir()
    pictures.draw_all(folder)
    assert {path.name for path in folder.iterdir()} == set(pictures.PICTURES)
    assert all(path.stat().st_size > 2000 for path in folder.iterdir())


def test_pictures_stay_small() -> None:
    assert sum(path.stat().st_size for path in (DOCS / "pictures").iterdir()) < 3_000_000
