"""The report in headless Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from browser import Browser, find_browser
from dynmeans._files.run_folder.reader import read_run
from dynmeans.plots import write_report
from run_folder import write_run

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        find_browser() is None, reason="no Chromium found: the report is not driven in a browser"
    ),
]

INK = """((id) => {{
    const canvas = document.getElementById(id);
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let i = 3; i < pixels.length; i += 4) count += pixels[i] > 0;
    return count;
}})("{id}")"""


# Width and height of the area that is painted in saturated colors: the points.
EXTENT = """(() => {
    const canvas = document.getElementById("scatter");
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const [xs, ys] = [[], []];
    for (let i = 0; i < data.length; i += 4) {
        const [r, g, b] = data.slice(i, i + 3);
        if (data[i + 3] < 100 || Math.max(r, g, b) - Math.min(r, g, b) < 60) continue;
        xs.push((i / 4) % width);
        ys.push(Math.floor(i / 4 / width));
    }
    const span = (values) => values.sort((a, b) => a - b).at(-1) - values[0];
    return [span(xs), span(ys)];
})()"""


# From now on, labels of the vertical axis of the points, and where they begin.
LISTEN = """(() => {
    window.heights = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const mine = this.canvas.id === "scatter" && this.textAlign === "right";
        if (mine) window.heights.push([text, x - this.measureText(text).width]);
        write.call(this, text, x, y);
    };
})()"""


# From now on, labels of the time axis of a chart: text, left and right end.
LISTEN_TO_TIMES = """(() => {
    window.times = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const half = this.measureText(text).width / 2;
        const mine = this.canvas.id === "count-chart" && this.textAlign === "center";
        if (mine) window.times.push([text, x - half, x + half]);
        write.call(this, text, x, y);
    };
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    pytest.importorskip("websocket")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The report of a run in the plane; no test may cause console output or network requests."""
    yield open_report(browser, write_run(tmp_path / "run"))
    assert browser.problems == []
    assert all(address.startswith(("file:", "data:")) for address in browser.requests)


def open_report(browser: Browser, folder: Path) -> Browser:
    browser.problems.clear()
    browser.requests.clear()
    write_report(read_run(folder), folder / "report.html")
    browser.open(folder / "report.html")
    browser.wait_for_drawing()
    return browser


def text(page: Browser, selector: str) -> str:
    return page.run(f"document.querySelector({selector!r}).textContent")


def ink(page: Browser, canvas: str) -> int:
    """Pixels of a canvas that are not background."""
    return page.run(INK.format(id=canvas))


def image(page: Browser, canvas: str) -> str:
    return page.run(f"document.getElementById({canvas!r}).toDataURL()")


def middle(page: Browser, selector: str) -> tuple[float, float]:
    box = page.run(
        f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});"
        " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    return box[0], box[1]


def column(page: Browser, number: int) -> list[str]:
    rows = "document.querySelectorAll('#table tbody tr[data-cluster]')"
    return page.run(f"Array.from({rows}, (row) => row.cells[{number}].textContent)")


def test_the_page_opens_with_all_of_its_parts_drawn(page: Browser) -> None:
    assert text(page, "h1") == "drifting clusters"
    assert "40 steps" in text(page, "#counts")
    assert "birth cost" in text(page, "#parameters")
    assert text(page, "#step-label") == "Step 40 of 40"
    for canvas in ("scatter", "timeline", "timeline-axis", "count-chart", "cost-chart"):
        assert ink(page, canvas) > 500, canvas
    assert len(column(page, 0)) > 5


def test_nothing_overflows_a_laptop_screen(page: Browser) -> None:
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    assert page.run("document.querySelector('.points').getBoundingClientRect().bottom <= innerHeight")
    assert page.run("document.querySelector('.column').getBoundingClientRect().bottom <= innerHeight")


def test_the_slider_moves_points_label_and_cursor(page: Browser) -> None:
    before = [image(page, canvas) for canvas in ("scatter", "timeline", "cost-chart")]
    page.click(*middle(page, "#slider"))
    assert page.run("dynmeansReport.step") in (19, 20)
    assert text(page, "#step-label") == f"Step {page.run('dynmeansReport.step') + 1} of 40"
    after = [image(page, canvas) for canvas in ("scatter", "timeline", "cost-chart")]
    assert all(a != b for a, b in zip(before, after, strict=True))


def test_arrow_keys_step_through_time(page: Browser) -> None:
    page.press("Home")
    assert page.run("dynmeansReport.step") == 0
    page.press("ArrowRight")
    page.press("ArrowRight")
    page.press("ArrowLeft")
    assert page.run("dynmeansReport.step") == 1


def test_play_runs_from_the_start_and_pauses(page: Browser) -> None:
    page.click(*middle(page, "#play"))
    assert page.run("document.getElementById('play').ariaLabel") == "Pause"
    page.wait_for("dynmeansReport.step >= 2")
    page.click(*middle(page, "#play"))
    step = page.run("dynmeansReport.step")
    assert 2 <= step < 39
    page.run("new Promise((done) => setTimeout(done, 900))")
    assert page.run("dynmeansReport.step") == step


def test_a_click_on_the_timeline_goes_there(page: Browser) -> None:
    x, y = middle(page, "#timeline-axis")
    page.click(x, y - 60)
    assert abs(page.run("dynmeansReport.step") - 20) <= 2


def test_headings_sort_the_table_both_ways(page: Browser) -> None:
    assert column(page, 0) == sorted(column(page, 0), key=int)
    page.click(*middle(page, "#table th:nth-child(6) button"))
    sizes = [int(cell.replace(",", "")) for cell in column(page, 5)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 1
    page.click(*middle(page, "#table th:nth-child(6) button"))
    assert [int(cell.replace(",", "")) for cell in column(page, 5)] == sizes[::-1]


def test_a_click_on_a_row_singles_the_cluster_out_and_escape_releases_it(page: Browser) -> None:
    plain = [image(page, canvas) for canvas in ("scatter", "timeline")]
    page.click(*middle(page, "#table tbody tr[data-cluster='2']"))
    assert page.run("dynmeansReport.chosen") == 2
    assert page.run("document.querySelector('tr.chosen').dataset.cluster") == "2"
    assert all(a != image(page, c) for a, c in zip(plain, ("scatter", "timeline"), strict=True))
    page.press("Escape")
    assert page.run("dynmeansReport.chosen") is None


def test_hovering_the_timeline_describes_a_lifetime(page: Browser) -> None:
    left, top = page.run("(({x, y}) => [x, y])(document.getElementById('timeline').getBoundingClientRect())")
    page.move(left + 52, top + 18)
    assert text(page, "#tooltip").startswith("Cluster 0")
    assert page.run("!document.getElementById('tooltip').hidden")


def test_a_part_of_the_steps_fills_the_timeline_and_follows_the_cursor(page: Browser) -> None:
    whole = image(page, "timeline")
    page.run("zoom.value = '30'; zoom.dispatchEvent(new Event('change'))")
    page.wait_for_drawing()
    late = image(page, "timeline")
    page.press("Home")
    assert len({whole, late, image(page, "timeline")}) == 3


def test_dark_mode_repaints_the_drawings(page: Browser) -> None:
    light = image(page, "scatter")
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.wait_for_drawing()
    dark = image(page, "scatter")
    page.call("Emulation.setEmulatedMedia", features=[])
    page.wait_for_drawing()
    assert light != dark


@pytest.mark.parametrize(
    "shape",
    [
        {"n_steps": 0},
        {"n_steps": 1},
        {"n_features": 1},
        {"n_features": 12, "start": 1.7e9},
        {"n_steps": 150, "n_alive": 60, "per_cluster": 4},
    ],
    ids=["no steps", "one step", "one feature", "twelve features and dates", "hundreds of clusters"],
)
def test_runs_of_all_shapes_open_without_errors(browser: Browser, tmp_path: Path, shape: dict) -> None:
    page = open_report(browser, write_run(tmp_path / "run", **shape))
    page.press("ArrowLeft")
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    assert ink(page, "scatter") > 100
    assert browser.problems == []


def test_a_view_from_above_has_one_scale_and_short_times(browser: Browser, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", n_steps=3)
    info = json.loads((folder / "run.json").read_text())
    info |= {"equal_axes": True, "time": {"name": "seconds", "kind": "number"}}
    (folder / "run.json").write_text(json.dumps(info))
    for name in ("steps.csv", "sample.csv", "clusters.csv"):
        head, *rows = (folder / name).read_text().splitlines()
        cells = [row.split(",") for row in rows]
        if name == "steps.csv":
            cells = [[row[0], str(int(row[0]) / 30), *row[2:]] for row in cells]
        else:  # a long and narrow street
            cells = [[*row[:-1], str(0.1 * float(row[-1]))] for row in cells]
        (folder / name).write_text("\n".join([head, *map(",".join, cells), ""]))
    page = open_report(browser, folder)
    assert text(page, "#step-label").endswith("seconds 0.1")
    page.press("ArrowLeft")
    assert text(page, "#step-label").endswith("seconds 0.067")
    wide, high = page.run(EXTENT)
    assert high < 0.3 * wide
    assert browser.problems == []


def test_large_coordinates_keep_the_digits_that_distinguish_them(browser: Browser, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", n_steps=3)
    for name in ("sample.csv", "clusters.csv"):
        head, *rows = (folder / name).read_text().splitlines()
        cells = [row.split(",") for row in rows]
        moved = [[*row[:-2], repr(5e5 + float(row[-2])), repr(5e6 + float(row[-1]))] for row in cells]
        (folder / name).write_text("\n".join([head, *map(",".join, moved), ""]))
    page = open_report(browser, folder)
    for number in (7, 8):
        assert len(set(column(page, number))) == len(column(page, number)) > 1
    page.run(LISTEN)
    page.press("ArrowLeft")
    labels = page.run("heights")
    assert len({label for label, _ in labels}) == len(labels) > 1
    assert all(float(label) > 4e6 and "e" not in label and left > 0 for label, left in labels)
    assert browser.problems == []


def test_long_times_do_not_overlap(browser: Browser, tmp_path: Path) -> None:
    time = {"name": "stamp", "kind": "number"}
    page = open_report(
        browser, write_run(tmp_path / "run", n_steps=600, n_alive=2, start=1.7e12 + 0.123, time=time)
    )
    page.run(LISTEN_TO_TIMES)
    page.press("ArrowLeft")
    labels = page.run("times")
    assert len(labels) > 1
    assert all(text.startswith("17") for text, _, _ in labels)
    assert all(end < begin for (_, _, end), (_, begin, _) in pairwise(labels))


def test_data_is_shown_and_never_run(browser: Browser, tmp_path: Path) -> None:
    evil = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    folder = write_run(tmp_path / "run", title=evil, features=[evil, "b"], parameters={evil: evil})
    page = open_report(browser, folder)
    assert text(page, "h1") == evil
    assert page.run("document.title") == evil
    assert page.run("window.hacked === undefined")
    assert browser.problems == []


def test_the_page_opens_at_the_last_step_that_has_points(browser: Browser, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    lines = (folder / "sample.csv").read_text().splitlines(keepends=True)
    (folder / "sample.csv").write_text("".join(line for line in lines if not line.startswith(("39,", "40,"))))
    page = open_report(browser, folder)
    assert text(page, "#step-label") == "Step 38 of 40"
