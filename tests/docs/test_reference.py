from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import dynmeans
from dynmeans import datasets, metrics
from dynmeans.io.snapshot import SnapshotError
from dynmeans.model.events import Event, StepReport

REFERENCE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
PUBLIC = [f"{module.__name__}.{name}" for module in (dynmeans, metrics, datasets) for name in module.__all__]
TYPES = [f"{kind.__module__}.{kind.__name__}" for kind in (Event, StepReport, SnapshotError)]


@pytest.mark.parametrize("name", [*PUBLIC, *TYPES])
def test_every_public_name_is_in_the_reference(name: str) -> None:
    directives = {line.split(":: ")[1].removesuffix("()") for line in REFERENCE.splitlines() if ":: " in line}
    assert name in directives or f"`{name}`" in REFERENCE


@pytest.mark.parametrize("name", [name for name in PUBLIC if not name.endswith("__")])
def test_every_public_name_has_a_docstring_of_its_own(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    thing = getattr(
        {"dynmeans": dynmeans}.get(module) or {"metrics": metrics, "datasets": datasets}[module[9:]],
        attribute,
    )
    words = inspect.getdoc(thing) or ""
    assert len(words) > 20
    assert not words.startswith(f"{attribute}("), "that is what named tuples have by themselves"


def test_every_public_method_of_the_estimator_is_in_the_reference_with_a_docstring() -> None:
    ours = [kind for kind in dynmeans.DMeans.__mro__ if kind.__module__.startswith("dynmeans.")]
    functions = {
        name: thing for kind in ours for name, thing in vars(kind).items() if inspect.isfunction(thing)
    }
    own = {name for name in functions if not name.startswith("_")}
    assert own == set(re.findall(r"automethod:: (\w+)", REFERENCE))
    assert all(inspect.getdoc(functions[name]) for name in own)


def test_every_attribute_of_a_fitted_estimator_is_in_its_docstring() -> None:
    model = dynmeans.DMeans(birth_cost=1.0).fit([[0.0], [5.0]])
    fitted = {name for name in dir(model) if name.endswith("_") and not name.startswith("_")}
    words = inspect.getdoc(dynmeans.DMeans) or ""
    assert not {name for name in fitted if f"\n{name} : " not in words}
