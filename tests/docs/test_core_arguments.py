"""Every C++ function with more than four arguments has a comment about them; bindings have a table."""

from __future__ import annotations

import ast
import re
from pathlib import Path

CORE = Path(__file__).parents[2] / "src" / "core"
MAX_ARGUMENTS = 4
# The arguments of bindings are documented once, in _core.pyi.
SOURCES = [path for path in CORE.rglob("*.[hi]*") if path.suffix in {".hpp", ".inl"}]
FUNCTION = re.compile(
    r"^ {0,4}(?:template[^\n]*\n *)?(?:[\w:<>&*,\[\] ]+?[ &*])?(\w+)"
    r"\(([^;{}()]*(?:\([^()]*\)[^;{}()]*)*)\)\s*"
    r"(?:const\s*)?(?:noexcept\s*)?(?::[^;{]*(?:\{[^{}]*\}[^;{]*)*)?\{",
    re.MULTILINE,
)
KEYWORDS = {"if", "for", "while", "switch", "catch"}


def n_arguments(text: str) -> int:
    """Count the arguments in a list without its parentheses."""
    text, n_changes = re.sub(r"//[^\n]*", "", text), 1
    while n_changes:  # template arguments, from the inside
        text, n_changes = re.subn(r"<[^<>]*>", "", text)
    return sum(bool(argument.strip()) for argument in text.split(","))


def undocumented(text: str) -> list[str]:
    """Names of functions with many arguments that have no comment above or beside their arguments."""
    names = []
    for match in FUNCTION.finditer(text):
        lines = [line.strip() for line in text[: match.start()].rstrip().split("\n")]
        above = lines[-2] if lines[-1].startswith("template") else lines[-1]
        has_comment = "//" in match[2] or above.startswith("//")
        if match[1] not in KEYWORDS and not has_comment and n_arguments(match[2]) > MAX_ARGUMENTS:
            names.append(match[1])
    return names


def test_functions_with_many_arguments_are_documented() -> None:
    found = {str(path.relative_to(CORE)): undocumented(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert not {path: names for path, names in found.items() if names}


def test_the_arguments_of_bindings_are_in_the_tables() -> None:
    stub = ast.parse((CORE.parent / "dynmeans" / "_core.pyi").read_text(encoding="utf-8"))
    listed = re.findall(r"^([A-Za-z]\w*(?:, \w+)*)  ", ast.get_docstring(stub) or "", re.MULTILINE)
    names = {name for line in listed for name in line.split(", ")}
    functions = [node for node in stub.body if isinstance(node, ast.FunctionDef)]
    assert functions
    missing = {function.name: {each.arg for each in function.args.args} - names for function in functions}
    assert not {name: arguments for name, arguments in missing.items() if arguments}


def test_the_check_finds_a_function_without_a_comment() -> None:
    signature = "void f(int a, int b, std::pair<int, int> c, int d, int e) {\n}\n"
    assert undocumented(signature) == ["f"]
    assert undocumented("// a, ..., e: numbers\n" + signature) == []
