"""The page on the paper's experiments agrees with the results."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from dynmeans._experiments import EXPERIMENTS
from dynmeans._experiments.methods import CEILING, METHODS, WITHOUT_K
from dynmeans._experiments.results import Results, read_results
from dynmeans._experiments.trials import CHOOSING_SEED, REPORTED_SEED, group_name

ROOT = Path(__file__).parents[2]


def load(name: str) -> ModuleType:
    """A script of the folder beside the package."""
    spec = importlib.util.spec_from_file_location(f"experiments_{name}", ROOT / "experiments" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results(name: str) -> Results:
    return read_results(ROOT / "experiments" / "results" / f"{name}.json")


def test_tables_of_the_page_are_those_of_the_results() -> None:
    page = load("page")
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.with_tables(text) == text
    assert text.count("<!-- results: ") == len(list(page.RESULTS.glob("*.json"))) >= len(EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_results_have_the_present_parameters(name: str) -> None:
    planned = {trial.group for trial in EXPERIMENTS[name].plan(EXPERIMENTS[name].full)}
    kept = {group_name(group.part, group.case) for group in results(name)}
    assert kept <= planned, "cases have changed: run the experiment again"


def test_script_chooses_for_methods_that_exist_on_seeds_that_are_not_reported() -> None:
    choose = load("choose")
    assert {CEILING, *WITHOUT_K} <= set(choose.SEARCHES) <= set(METHODS)
    assert all(CHOOSING_SEED + search.seeds <= REPORTED_SEED for search in choose.SEARCHES.values())
