"""Sphinx: `make docs` builds docs/_build/html."""

from __future__ import annotations

import inspect
import re
from typing import Any

from dynmeans import __version__

project = "dynmeans"
author = "The dynmeans developers"
project_copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
strip_signature_backslash = True  # or napoleon would lose the last underscore of labels_
autodoc_typehints = "none"  # the docstrings have types with shapes
add_module_names = False
default_role = "code"
python_display_short_literal_types = True

html_theme = "furo"
html_title = f"dynmeans {version}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["page.css"]
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0865f8", "color-brand-content": "#0865f8"},
    "dark_css_variables": {"color-brand-primary": "#758efe", "color-brand-content": "#758efe"},
}

_COLUMN = re.compile(r"^    (\w+): ([^#=\n]+?)(?: = [^#\n]+?)? *# *(.+)$", re.MULTILINE)


def _document_columns(_app: Any, what: str, _name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Take the columns of a named tuple from the comments behind them."""
    if what == "class" and hasattr(thing, "_fields"):
        lines.append("")
        lines += [
            f"* **{name}** ({kind}): {words}"
            for name, kind, words in _COLUMN.findall(inspect.getsource(thing))
        ]


def setup(app: Any) -> None:
    """Connect the handlers; Sphinx calls this function."""
    app.connect("autodoc-process-docstring", _document_columns)
