"""The examples of the docstrings print what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from itertools import chain

import pytest

import dynmeans

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(dynmeans.__path__, "dynmeans.")
    if "_core" not in module.name
)


def examples(name: str) -> list[doctest.DocTest]:
    module = importlib.import_module(name)
    return [found for found in doctest.DocTestFinder().find(module, name) if found.examples]


def test_there_are_examples() -> None:
    assert len(list(chain.from_iterable(map(examples, MODULES)))) > 50


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_print_what_they_say(name: str) -> None:
    for example in examples(name):
        said: list[str] = []
        outcome = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
        assert outcome.failed == 0, "".join(said)
