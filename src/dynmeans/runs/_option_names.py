"""Messages of the estimators in the words of the command line: options instead of parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAMES = (
    "birth_cost|aging_cost|min_hits|lifetime|reach|drift|interval|motion|metric|refine|merge|exclusive|"
    "duplicates|feature_scales|kernel|budget"
)
_GIVEN = re.compile(rf"\b({_NAMES})=('[^']*'|\([^()]*\)|[\w.+-]*\w)")
_RULE = re.compile(rf"(^|: |; )({_NAMES})(?= must )")
_ADVICE = re.compile(r"\b(?:use|try|give) (?:a |either |(?=aging_cost))[^;:]*")
_BARE = re.compile(r"(?<!-)\b(birth_cost|aging_cost|min_hits|lifetime|reach|drift|interval)\b")
_COMPOUND = re.compile(r"(?<!-)\b(birth_cost|aging_cost|min_hits|feature_scales)\b")
_FEATURE = re.compile(r"\bX\[:, (\d+)\]")
_PHRASES = {
    "(StandardScaler, or --standardize in the command)": "(--standardize)",
    "KDMeans or SDMeans": "--algorithm kdmeans or --algorithm sdmeans",
    "sample_weight": "--weight",
    "reach * birth_cost": "reach times birth cost",
    "2/birth_cost": "2/(birth cost)",
}


def option_name(name: str) -> str:
    """Return the option of a parameter: ``--birth-cost`` for ``birth_cost``."""
    return f"--{name.replace('_', '-')}"


def as_options(text: str, features: Sequence[str] = ()) -> str:
    """Replace the names of parameters by options, and the numbers of features by the names of columns.

    Examples
    --------
    >>> as_options("X[:, 1] is constant: use a larger birth_cost, or exclusive=True", ["x", "y"])
    "'y' is constant: use a larger --birth-cost, or --exclusive"
    """
    for phrase, words in _PHRASES.items():
        text = text.replace(phrase, words)
    text = _GIVEN.sub(lambda match: _given(match[1], match[2].strip("'")), text)
    text = _RULE.sub(lambda match: match[1] + option_name(match[2]), text)
    text = _ADVICE.sub(lambda match: _BARE.sub(lambda name: option_name(name[1]), match[0]), text)
    text = _COMPOUND.sub(lambda match: option_name(match[1]), text)
    return _FEATURE.sub(lambda match: _column(int(match[1]), features), text)


def _given(name: str, value: str) -> str:
    if value == "None":
        return f"no {option_name(name)}"
    if value in ("True", "False"):
        return option_name(name if value == "True" else f"no_{name}")
    if value.startswith("("):
        return f"{option_name(name)} {','.join(entry.strip() for entry in value[1:-1].split(','))}"
    return f"{option_name(name)} {value}"


def _column(number: int, features: Sequence[str]) -> str:
    return repr(features[number]) if number < len(features) else f"feature {number + 1}"
