from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans._files.run_folder.reader import read_run
from dynmeans.cli import app
from dynmeans.runs import _session as session
from point_files import contents, write_points

Command = Callable[..., Any]


def error_line(outcome: Any) -> str:
    """The one line on standard error."""
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("dynmeans: error: ")
    assert outcome.err.count("\n") == 1
    return str(outcome.err)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Missing argument"),
        (("nothing.csv",), "nothing.csv: No such file"),
        (("points.csv", "--lifetime", "0"), "--lifetime must be a finite number > 0, got 0.0"),
        (("points.csv", "--birth-cost", "1", "--lifetime", "1"), "--lifetime must be a finite number > 1"),
        (
            ("points.csv", "--reach", "0.5"),
            "--reach must be a finite number >= 1 - 1/lifetime = 0.666667, got 0.5",
        ),
        (("points.csv", "--drift", "-1"), "--drift must be"),
        (("points.csv", "--aging-cost", "-1"), "--aging-cost must be"),
        (("points.csv", "--drift", "1"), "--drift needs --aging-cost"),
        (("points.csv", "--interval", "0"), "--interval must be a finite number > 0"),
        (("points.csv", "--birth-cost", "1", "--lifetime", "0.5"), "use a smaller --interval"),
        (("points.csv", "--algorithm", "kdmeans", "--interval", "2"), "--interval is not supported"),
        (("points.csv", "--aging-cost", "1"), "--aging-cost needs --drift"),
        (("points.csv", "--birth-cost", "-1"), "--birth-cost must be"),
        (("points.csv", "--birth-cost", "nan"), "--birth-cost must be"),
        (("points.csv", "--birth-cost", "cheap"), "--birth-cost is 'cheap'"),
        (("points.csv", "--lifetime", "3", "--drift", "1"), "not both"),
        (("points.csv", "--restarts", "0"), "--restarts"),
        (("points.csv", "--seed", "-1"), "'--seed'"),
        (("points.csv", "--motion", "jump"), "'jump' is not one of"),
        (("points.csv", "--bogus"), "--bogus"),
        (("points.csv", "--every", "1min"), "--every 1min needs --time"),
        (("points.csv", "--time", "when", "--every", "soon"), "--every is 'soon'"),
        (("points.csv", "--time", "then"), "points.csv: no column 'then'; the columns are when, x, y, word"),
        (("points.csv", "--features", "x,z"), "points.csv: no column 'z'"),
        (("points.csv", "--features", "x,,y"), "--features is 'x,,y'"),
        (("points.csv", "--features", "word"), "row 1 (line 2), column 'word': 'w' is not a number"),
        (("-", "-"), "only once"),
        (("points.csv", "--out", "points.csv/run"), "cannot be written"),
        (("points.csv", "--state", "."), ".: a folder, --state must be a file"),
        (("points.csv", "--state", "points.csv"), "not a dynmeans state file"),
        (("points.csv", "other.csv"), "other.csv: all files must have the same columns"),
        (("points.csv", "--format", "parquet"), "points.csv: "),
    ],
)
def test_bad_lines_get_one_line_and_write_nothing(
    dynmeans: Command, points: Path, options: tuple[str, ...], message: str
) -> None:
    Path("other.csv").write_text("a,b\n1,2\n")
    if "other.csv" in options:
        options = (*options, "--every", "500rows")
    assert message in error_line(dynmeans("cluster", *options))
    assert not Path("dynmeans-run").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "a.csv: the file is empty"),
        ("a.csv", b"x,y\n", "a.csv: no rows"),
        ("a.csv", b"\n\n", "a.csv: no rows"),
        ("a.csv", b"x,y\n1,2\n3,abc\n4,5\n", "a.csv, row 2 (line 3), column 'y': 'abc' is not a number"),
        ("a.csv", b"x,y\n1,2\n3,\n4,5\n", "a.csv, row 2 (line 3), column 'y': the cell is empty"),
        ("a.csv", b"x,y\n1,2\n3,nan\n4,5\n", "a.csv, row 2 (line 3), column 'y': the cell is empty ('nan')"),
        ("a.csv", b"x,y\n1,2\n3,4,5\n", "a.csv, row 2 (line 3): 3 cells for 2 columns"),
        ("a.csv", b"x\n\xff\xfe\n", "not UTF-8"),
        ("a.csv", b"\xff\xfex\x00\n\x001\x00", "not UTF-8"),
        ("a.csv", b"word\nabc\n", "no numeric column"),
        ("a.jsonl", b'{"x": 1}\n{"x": null}\n', "row 2 (line 2), column 'x': the cell is empty"),
        ("a.csv.gz", gzip.compress(b"x\n1\n" * 99, mtime=0)[:-12], "a.csv.gz"),
        ("a.npy", b"\x93NUMPY\x01\x00v\x00", "a.npy: "),
        ("a.npz", b"PK\x03\x04", "a.npz: "),
        ("a.parquet", b"PAR1 torn PAR1", "a.parquet: "),
        ("a.arrow", b"ARROW1\x00\x00 torn", "a.arrow: "),
    ],
)
def test_invalid_files_give_one_line_that_names_the_location(
    dynmeans: Command, folder: Path, name: str, content: bytes, message: str
) -> None:
    if name.endswith(("parquet", "arrow")):
        pytest.importorskip("pyarrow")
    Path(name).write_bytes(content)
    assert message in error_line(dynmeans("cluster", name))
    assert not Path("dynmeans-run").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "12/31/2024,1",
            "column 'when': '12/31/2024' is neither a number nor a date in ISO 8601 format, such as",
        ),
        (
            "2024-12-31,1\n1/1/25,2",
            "row 2 (line 3), column 'when': '1/1/25' is not a date in ISO 8601 format",
        ),
        (
            "2024-12-31 10:00,1\n2024-12-31 09:00,2",
            "row 2 (line 3): time goes backwards, 2024-12-31T09:00:00Z comes after the step that begins at "
            "2024-12-31T10:00:00Z; sort the rows by time",
        ),
        ("1,1\n1,1e300\n2,1", "row 2 (line 3), column 'x': 1e+300 is not within ±1e+150"),
        ("1,1\n1,NA", "row 2 (line 3), column 'x': the cell is empty ('NA'); --missing drop leaves out"),
    ],
)
def test_errors_name_formats_values_and_rows(
    dynmeans: Command, folder: Path, text: str, message: str
) -> None:
    Path("a.csv").write_text(f"when,x\n{text}\n")
    assert message in error_line(dynmeans("cluster", "a.csv", "--time", "when"))


def test_a_row_without_a_direction_is_named(dynmeans: Command, folder: Path) -> None:
    Path("a.csv").write_text("x,y\n1,2\n0,0\n")
    message = error_line(dynmeans("cluster", "a.csv", "--metric", "cosine"))
    assert "a.csv, row 2 (line 3): the row is all zeros; --metric cosine needs" in message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x;y\n1,5;2,5\n", "'1,5' has a decimal comma: numbers must have a decimal point"),
        ('x\n"1,234"\n', "'1,234' has a decimal comma or a thousands separator: numbers must have a decimal"),
        ('x\n"1,234,567.5"\n', "'1,234,567.5' has thousands separators: numbers must have a decimal point"),
        ("x|y\n1|2\n", "the columns are separated by '|': replace it by commas"),
        ("x\ty\n1\t2\n", "the columns are separated by tabs: --format tsv"),
    ],
)
def test_tables_without_numbers_get_a_hint(dynmeans: Command, folder: Path, text: str, hint: str) -> None:
    Path("a.csv").write_text(text)
    assert hint in error_line(dynmeans("cluster", "a.csv"))


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("a.csv", "t\tx\n1\t2\n", "'t\\tx'; the columns are separated by tabs: --format tsv"),
        ("a.csv", "t|x\n1|2\n", "'t|x'; the columns are separated by '|': replace it by commas"),
        ("a.tsv", "t;x\n1;2\n", "'t;x'; the columns are separated by semicolons: --format csv"),
        ("a.tsv", "t,x\n1,2\n", "'t,x'; the columns are separated by commas: --format csv"),
    ],
)
@pytest.mark.parametrize("option", [("--time", "t"), ("--features", "t*,y*")])
def test_another_delimiter_gets_a_hint(
    dynmeans: Command, folder: Path, name: str, text: str, hint: str, option: tuple[str, str]
) -> None:
    Path(name).write_text(text)
    message = error_line(dynmeans("cluster", name, *option))
    assert f"the only column is {hint}" in message
    assert "no column 't'; " in message or "no column matches 'y*'; " in message


def test_tune_works_on_one_stream(dynmeans: Command, folder: Path) -> None:
    Path("a.csv").write_text("key,x\na,1\nb,2\n")
    message = error_line(dynmeans("tune", "a.csv", "--by", "key"))
    assert "--by key: tune works on one stream" in message
    message = error_line(dynmeans("tune", "a.csv", "--text", "title"))
    assert "--text title: tune does not use texts" in message


@pytest.mark.parametrize("command", ["cluster", "tune"])
@pytest.mark.parametrize(
    ("scale", "unit", "every"),
    [(10**3, "milliseconds", "50"), (10**6, "microseconds", "50000"), (10**9, "nanoseconds", "50000000")],
)
def test_fractions_of_seconds_that_count_as_seconds_are_refused(
    dynmeans: Command, folder: Path, command: str, scale: int, unit: str, every: str
) -> None:
    rows = "".join(f"{17 * 10**8 * scale + i * scale // 20},{i}\n" for i in range(4))
    Path("a.csv").write_text(f"t,x\n{rows}")
    message = error_line(dynmeans(command, "a.csv", "--time", "t", "--every", "50ms"))
    assert f"may be {unit}; " in message
    assert message.endswith(f": --every {every}\n")


def test_milliseconds_that_count_as_seconds_are_reported(dynmeans: Command, folder: Path) -> None:
    Path("a.csv").write_text("t,x\n1709283600000,1\n1709283600500,2\n")
    outcome = dynmeans("cluster", "a.csv", "--time", "t", "--every", "1min")
    assert "1709283600000 may be milliseconds" in outcome.err
    assert (
        "milliseconds" not in dynmeans("cluster", "a.csv", "--time", "t", "--every", "60000", "--force").err
    )


@pytest.mark.parametrize(
    ("days", "date"), [(range(20240130, 20240132), "2024-01-30"), ((20240131235900,), "2024-01-31T23:59:00")]
)
@pytest.mark.parametrize("command", ["cluster", "tune"])
def test_dates_written_as_numbers_are_reported(
    dynmeans: Command, folder: Path, command: str, days: Iterable[int], date: str
) -> None:
    """Weeks of them were one step, and the last day of a month was 70 units before the next day."""
    Path("a.csv").write_text("day,x\n" + "".join(f"{day},{x}\n" for day in days for x in range(9)))
    message = error_line(dynmeans(command, "a.csv", "--time", "day", "--every", "1w"))
    assert f"may be a date; write it as {date}, or give --every as a plain number" in message
    extra = ("--no-report",) if command == "cluster" else ("--trials", "4")
    warning = f"in --time day may be a date, but is used as a number; write it as {date}\n"
    assert warning in dynmeans(command, "a.csv", "--time", "day", *extra).err


@pytest.mark.parametrize("time", [20241301, 2024.5, 18000101, 1709283600])
def test_other_times_are_no_dates(dynmeans: Command, folder: Path, time: float) -> None:
    Path("a.csv").write_text(f"t,x\n{time},1\n{time + 1},2\n")
    outcome = dynmeans("cluster", "a.csv", "--time", "t", "--every", "1min", "--no-report")
    assert outcome.code == 0
    assert "date" not in outcome.err


def test_a_null_of_parquet_is_an_empty_cell(dynmeans: Command, folder: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"x": [1.0, None]}), "a.parquet")
    message = error_line(dynmeans("cluster", "a.parquet"))
    assert "a.parquet, row 2, column 'x': the cell is empty (null or NaN)" in message


def test_an_embedding_beside_the_table_is_named(dynmeans: Command, folder: Path) -> None:
    Path("a.csv").write_text("name\na\nb\n")
    np.save("e.npy", np.array([[1.0, 2.0], [np.inf, 1.0]]))
    message = error_line(dynmeans("cluster", "a.csv", "--embedding", "e.npy"))
    assert "a.csv, row 2 (line 3), whose features are in e.npy: entry 1 of the list is inf" in message


def test_negative_and_vanishing_weights_are_refused(dynmeans: Command, folder: Path) -> None:
    Path("a.csv").write_text("x,w\n1,1\n2,-1\n")
    assert "row 2 (line 3), column 'w': weight '-1' is negative" in error_line(
        dynmeans("cluster", "a.csv", "--weight", "w")
    )
    Path("b.csv").write_text("x,w\n1,0\n2,0\n")
    for options in ((), ("--standardize",)):
        message = error_line(dynmeans("cluster", "b.csv", "--weight", "w", "--force", *options))
        assert "b.csv, row 1 (line 2) to b.csv, row 2 (line 3): " in message
        assert "zero" in message


def test_results_before_an_invalid_row_are_kept(dynmeans: Command, points: Path) -> None:
    line = ("--time", "when", "--every", "1min", "--birth-cost", "0.06")
    dynmeans("cluster", points, *line, "--out", "good")
    lines = points.read_text().splitlines()
    lines[106] = "2024-03-01T00:05:00,0.5,oops,w"
    Path("bad.csv").write_text("\n".join(lines))
    assert "bad.csv, row 106 (line 107), column 'y': 'oops'" in error_line(
        dynmeans("cluster", "bad.csv", *line, "--out", "bad")
    )
    good, bad = contents(Path("good")), contents(Path("bad"))
    assert bad["labels.csv"].count(b"\n") == 101
    for name in ("labels.csv", "steps.csv", "clusters.csv", "events.jsonl", "sample.csv"):
        assert good[name].startswith(bad[name])
    assert "labels.spool" not in bad
    info = read_run("bad").info
    assert (info["rows"], info["steps"], info["complete"]) == (100, 5, False)
    assert dynmeans("report", "bad").code == 0


def test_time_that_goes_backwards_is_named_with_its_row(dynmeans: Command, folder: Path) -> None:
    Path("a.csv").write_text("t,x\n1,0\n2,0\n1,0\n")
    message = error_line(dynmeans("cluster", "a.csv", "--time", "t"))
    assert "a.csv, row 3 (line 4): time goes backwards" in message


def test_a_missing_extra_is_reported_with_the_install_line(
    dynmeans: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ImportError('pyarrow is not installed; install it with: pip install "dynmeans[frames]"')

    monkeypatch.setattr("dynmeans._tables.readers.arrow.require", missing)
    Path("a.parquet").write_bytes(b"PAR1")
    assert 'pip install "dynmeans[frames]"' in error_line(dynmeans("cluster", "a.parquet"))


def test_a_full_disk_is_one_line_and_leaves_whole_steps(
    dynmeans: Command, points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush, calls = session.AppendLog.flush, []

    def full(self: session.AppendLog, *, durable: bool = False) -> dict[str, int]:
        calls.append(durable)
        if len(calls) > 3:
            raise OSError(28, "No space left on device")
        return flush(self, durable=durable)

    monkeypatch.setattr(session, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(session.AppendLog, "flush", full)
    outcome = dynmeans("cluster", points, "--time", "when", "--every", "1min", "--birth-cost", "0.06")
    assert "No space left on device" in error_line(outcome)
    assert read_run("dynmeans-run").steps["step"].tolist() == [1, 2, 3]
    assert contents(Path("dynmeans-run"))["labels.csv"].count(b"\n") == 61


def test_an_interruption_leaves_readable_output(
    dynmeans: Command, points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, calls = session.Session.take, []

    def interrupted(self: session.Session, batch: Any) -> Any:
        calls.append(batch)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return take(self, batch)

    monkeypatch.setattr(session.Session, "take", interrupted)
    line = ("cluster", points, "--time", "when", "--every", "1min", "--birth-cost", "0.06")
    outcome = dynmeans(*line)
    assert outcome.code == 130
    assert outcome.err == "dynmeans: interrupted after 80 rows, which are in dynmeans-run\n"
    assert read_run("dynmeans-run").steps["step"].tolist() == [1, 2, 3, 4]
    assert contents(Path("dynmeans-run"))["labels.csv"].count(b"\n") == 81


def test_a_report_of_a_folder_without_a_run_gives_one_line(dynmeans: Command, folder: Path) -> None:
    assert "run.json" in error_line(dynmeans("report", "."))
    assert "nowhere" in error_line(dynmeans("report", "nowhere"))


@pytest.mark.parametrize("scale", [1e-300, 1e150])
def test_extreme_coordinates_and_single_rows_work(dynmeans: Command, folder: Path, scale: float) -> None:
    np.save("a.npy", np.array([[0.1, 0.2], [0.1, 0.2], [1.0, 0.5]]) * scale)
    np.save("one.npy", np.array([[1.0, 0.2]]) * scale)
    np.save("equal.npy", np.full((5, 2), scale))
    for name in ("a.npy", "one.npy", "equal.npy"):
        for options in ((), ("--standardize",)):
            assert dynmeans("cluster", name, *options, "--force").code == 0


def test_a_state_of_other_parameters_or_inputs_is_refused(dynmeans: Command, folder: Path) -> None:
    for day in (1, 2):
        write_points(folder / f"day{day}.csv", first=100 * day, seed=day)
    line = ("--time", "when", "--every", "1min", "--birth-cost", "0.06", "--state", "state")
    assert dynmeans("cluster", "day1.csv", *line).code == 0
    after = Path("state").read_bytes()
    message = error_line(dynmeans("cluster", "day1.csv", *line, "--lifetime", "4"))
    assert "belongs to a run with --lifetime not given, but here it is 4.0" in message
    message = error_line(dynmeans("cluster", "day2.csv", *line))
    assert "--force overwrites it" in message
    with Path("day1.csv").open("a") as file:
        file.write("2024-03-02T00:00:00,0.5,0.5,w\n")
    message = error_line(dynmeans("cluster", "day1.csv", *line, "--out", "again"))
    assert "day1.csv: has grown since it was clustered" in message
    assert Path("state").read_bytes() == after
    assert not Path("again").exists()


@pytest.mark.parametrize(("command", "hints"), [("cluster", 1), ("tune", 1), ("flights", 1), ("video", 0)])
def test_missing_memory_is_reported_with_an_option_of_the_command(
    dynmeans: Command, monkeypatch: pytest.MonkeyPatch, command: str, hints: int
) -> None:
    def run_out(**_: object) -> None:
        raise MemoryError("Unable to allocate 9 GiB")

    assert ("--every" in dynmeans(command, "--help").out) == bool(hints)
    monkeypatch.setattr(app, "app", run_out)
    line = error_line(dynmeans(command))
    assert "not enough memory (Unable to allocate 9 GiB)" in line
    assert line.count("--every") == hints


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.csv",
            "x,w\n1,1e308\n2,1e308\n",
            "a.csv, row 1 (line 2), column 'w': weight '1e308' is above 1e+150",
        ),
        ("a.csv", "w\n1\n\n2\n", "a.csv, row 2 (line 3), column 'w': the cell is empty"),
        ("a.jsonl", '{"w": 1, "\\ud800": 2}\n', "a.jsonl, line 1: not Unicode text"),
        ("\udcff.csv", "x,w\n1,1\n", "not Unicode text"),
    ],
)
def test_input_without_a_valid_result_is_refused(
    dynmeans: Command, folder: Path, name: str, content: str, message: str
) -> None:
    Path(name).write_text(content)
    weight = ("--weight", "w") if "x" in content else ()
    assert message in error_line(dynmeans("cluster", name, *weight))


@pytest.mark.filterwarnings("default")
def test_a_last_line_without_end_is_one_line_of_warning(dynmeans: Command, folder: Path) -> None:
    Path("a.csv").write_text("x,y\n1,2\n3,4.5")
    done = dynmeans("cluster", "a.csv", "--birth-cost", "1", "--no-report")
    assert done.code == 0
    assert done.err.startswith("dynmeans: warning: a.csv, row 2 (line 3): the last line has no end")
    assert done.err.count("\n") == 1


def test_times_too_far_apart_for_windows_are_refused(dynmeans: Command, folder: Path) -> None:
    Path("a.csv").write_text("t,x\n-1e308,1\n1e308,2\n")
    line = error_line(dynmeans("cluster", "a.csv", "--time", "t", "--every", "1e-300"))
    assert "a.csv, row 2 (line 3): time 1e+308 is too many windows" in line
