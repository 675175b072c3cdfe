from __future__ import annotations

from pathlib import Path

import pytest

from dynmeans._files.extras import require


def test_a_missing_extra_is_reported_with_the_line_that_installs_it() -> None:
    with pytest.raises(ImportError, match=r'pip install "dynmeans\[plot\]"'):
        require("no_such_module_at_all.part", "plot")


def test_a_module_that_breaks_inside_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "present_but_broken.py").write_text("import no_such_module_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        require("present_but_broken", "plot")
