from __future__ import annotations

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import dynmeans
from dynmeans import baselines, datasets, distributed, kernels, metrics, plots, runs, streams, text, tuning

REFERENCE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
MODULES = {
    module.__name__: module
    for module in (
        dynmeans,
        metrics,
        datasets,
        kernels,
        baselines,
        tuning,
        runs,
        streams,
        text,
        plots,
        distributed,
    )
}
APPS = ["dynmeans.apps.flights", "dynmeans.apps.points", "dynmeans.apps.video"]
PUBLIC = [f"{name}.{attribute}" for name, module in MODULES.items() for attribute in module.__all__]
ESTIMATORS = (dynmeans.DMeans, dynmeans.KDMeans, dynmeans.SDMeans, dynmeans.PersistentIds)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    directives = {line.split(":: ")[1].removesuffix("()") for line in REFERENCE.splitlines() if ":: " in line}
    assert name in directives or f"`{name}`" in REFERENCE


@pytest.mark.parametrize("name", [*sorted(MODULES.keys() - {"dynmeans"}), "dynmeans.estimators", *APPS])
def test_modules_without_public_names_begin_with_an_underscore(name: str) -> None:
    package = import_module(name)
    sources = {getattr(getattr(package, attribute), "__module__", "") for attribute in package.__all__}
    modules = {f"{name}.{module.name}" for module in pkgutil.iter_modules(package.__path__)}
    assert {module for module in modules if not module.startswith(f"{name}._")} <= sources


@pytest.mark.parametrize("name", [name for name in PUBLIC if not name.endswith("__")])
def test_every_public_name_has_a_docstring_of_its_own(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    words = inspect.getdoc(getattr(MODULES[module], attribute)) or ""
    assert len(words) > 20
    assert not words.startswith(f"{attribute}("), "that is what named tuples have by themselves"


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_public_method_of_an_estimator_is_in_the_reference_with_a_docstring(estimator: Any) -> None:
    ours = [kind for kind in estimator.__mro__ if kind.__module__.startswith("dynmeans.")]
    functions = {
        name: thing for kind in ours for name, thing in vars(kind).items() if inspect.isfunction(thing)
    }
    own = {name for name in functions if not name.startswith("_")}
    listed = set(re.findall(r"automethod:: (\w+)$", REFERENCE, re.MULTILINE))
    assert own == listed - (set() if hasattr(estimator, "update") else {"update"})
    assert all(inspect.getdoc(functions[name]) for name in own)


def _attributes(estimator: Any) -> set[str]:
    """Names in the section "Attributes" of a docstring."""
    part = (inspect.getdoc(estimator) or "").partition("\nAttributes\n")[2].partition("\nExamples\n")[0]
    return set(re.findall(r"\w+_\b", part))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_attribute_of_a_fitted_estimator_is_in_its_docstring(estimator: Any) -> None:
    parameters = {"estimator": dynmeans.DMeans(1.0)} if hasattr(estimator, "update") else {}
    model = estimator(birth_cost=1.0, **parameters).fit([[0.0], [5.0]])
    fitted = {name for name in dir(model) if name.endswith("_") and not name.startswith("_")}
    shared = {"n_features_in_"}  # of every estimator of scikit-learn
    assert fitted - shared <= _attributes(estimator)
