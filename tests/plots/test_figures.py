"""Files of figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from dynmeans.plots._figures import save_figure


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_equal_figures_give_equal_files_at_any_time(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"{second}.{suffix}" for second in (1, 100_000)]
    for path in paths:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", path.stem)  # the time that Matplotlib uses
        figure = Figure()
        figure.add_subplot().plot([0, 1], [1, 0])
        save_figure(figure, path, bbox_inches="tight")
    assert paths[0].read_bytes() == paths[1].read_bytes()
