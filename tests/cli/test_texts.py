"""`dynmeans cluster` with embeddings and texts."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynmeans.runs import read_run

TOPICS = {
    "storm": "rain wind flood coast",
    "vote": "party poll debate seat",
    "cup": "goal match league coach",
}
N_FEATURES = 30


def write_posts(path: Path, n_days: int = 6, per_topic: int = 8) -> Path:
    """Posts on three topics over some days, embeddings as lists."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(3, N_FEATURES))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lines = []
    for day in range(n_days):
        for k in rng.permutation(np.repeat(np.arange(3), per_topic)):
            words = rng.choice(list(TOPICS.values())[k].split(), 3)
            row = directions[k] + rng.normal(0, 0.02, N_FEATURES)
            time = f"2024-01-{day + 30 if day < 2 else day - 1:02d}" if day < 2 else f"2024-02-{day - 1:02d}"
            title = f'the {" ".join(words)}, "day" {day}'
            lines.append(
                json.dumps({"vector": row.tolist(), "title": title, "created": f"{time}T{10 + k}:00"})
            )
    order = sorted(lines, key=lambda line: json.loads(line)["created"])
    path.write_text("\n".join(order) + "\n")
    return path


def cluster(dynmeans: Callable[..., Any], posts: Path, out: Path, *more: object) -> Any:
    options = ("--embedding", "vector", "--text", "title", "--time", "created", "--birth-cost", 0.5)
    return dynmeans("cluster", posts, *options, "--out", out, *more)


def test_words_and_examples_are_in_the_tables_and_the_report(
    dynmeans: Callable[..., Any], tmp_path: Path
) -> None:
    posts = write_posts(tmp_path / "posts.jsonl")
    outcome = cluster(dynmeans, posts, tmp_path / "run", "--every", "1d")
    assert outcome.code == 0, outcome.err
    assert "vector1, vector2, vector3" in outcome.out
    assert "vector20" not in outcome.out  # shortened
    run = read_run(tmp_path / "run")
    assert run.info["text"] == "title"
    assert len(run.steps["step"]) == 6
    assert set(run.clusters["id"].tolist()) == {0, 1, 2}
    for k in range(3):
        words = set(" ".join(run.clusters["words"][run.clusters["id"] == k]).split()) - {"the", "day"}
        topics = {name for name, own in TOPICS.items() if words & set(own.split())}
        assert len(topics) == 1
        assert all(run.clusters["example1"][run.clusters["id"] == k])
    assert all('"day"' in text for text in run.sample["text"])
    with (tmp_path / "run" / "clusters.csv").open(newline="") as file:
        assert next(csv.reader(file))[-4:] == ["words", "example1", "example2", "example3"]
    report = (tmp_path / "run" / "report.html").read_text()
    assert '"words":[' in report
    assert '"examples":[' in report


def test_months_follow_the_calendar(dynmeans: Callable[..., Any], tmp_path: Path) -> None:
    posts = write_posts(tmp_path / "posts.jsonl")
    assert cluster(dynmeans, posts, tmp_path / "run", "--every", "1mo").code == 0
    times = read_run(tmp_path / "run").steps["time"]
    assert times.astype("datetime64[s]").tolist() == [
        np.datetime64("2024-01-01", "s").item(),
        np.datetime64("2024-02-01", "s").item(),
    ]


def test_a_file_beside_the_table_gives_the_same_clusters(
    dynmeans: Callable[..., Any], tmp_path: Path
) -> None:
    posts = write_posts(tmp_path / "posts.jsonl")
    rows = [json.loads(line) for line in posts.read_text().splitlines()]
    np.save(tmp_path / "posts.npy", [row["vector"] for row in rows])
    with (tmp_path / "posts.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("title", "created"), *((row["title"], row["created"]) for row in rows)])
    cluster(dynmeans, posts, tmp_path / "a", "--every", "1d")
    options = ("--text", "title", "--time", "created", "--birth-cost", 0.5, "--every", "1d")
    beside = ("--embedding", tmp_path / "posts.npy", "--state", tmp_path / "state")
    outcome = dynmeans("cluster", tmp_path / "posts.csv", *options, *beside, "--out", tmp_path / "b")
    assert outcome.code == 0, outcome.err
    one, other = read_run(tmp_path / "a"), read_run(tmp_path / "b")
    np.testing.assert_array_equal(one.clusters["features"], other.clusters["features"])
    np.testing.assert_array_equal(one.clusters["words"], other.clusters["words"])
    again = dynmeans("cluster", tmp_path / "posts.csv", *options, *beside, "--out", tmp_path / "b")
    assert "already complete" in again.out
    np.save(tmp_path / "posts.npy", -np.load(tmp_path / "posts.npy"))
    changed = dynmeans("cluster", tmp_path / "posts.csv", *options, *beside, "--out", tmp_path / "b")
    assert changed.code == 2
    assert "posts.npy: has changed" in changed.err or "has been clustered already" in changed.err


def test_a_run_with_texts_resumes_without_a_difference(
    dynmeans: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    posts = write_posts(tmp_path / "posts.jsonl")
    cluster(dynmeans, posts, tmp_path / "whole", "--every", "1d")
    from dynmeans.runs._session import Session

    take, taken = Session.take, []

    def stop_in_the_middle(session: Session, batch: Any) -> Any:
        taken.append(batch)
        if len(taken) == 4:
            raise KeyboardInterrupt
        session._due = 0.0
        return take(session, batch)

    monkeypatch.setattr(Session, "take", stop_in_the_middle)
    stopped = cluster(dynmeans, posts, tmp_path / "run", "--every", "1d", "--state", tmp_path / "state")
    assert stopped.code == 130
    monkeypatch.setattr(Session, "take", take)
    cluster(dynmeans, posts, tmp_path / "run", "--every", "1d", "--state", tmp_path / "state")
    for name in ("clusters.csv", "sample.csv", "steps.csv", "events.jsonl", "labels.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--features", "e*", "--embedding", "vector"), "--features and --embedding exclude each other"),
        (("--embedding", "title"), "column 'title'"),
        (("--embedding", "vectors"), "no column 'vectors'; the columns are vector, title, created"),
        (("--embedding", "vector", "--text", "words"), "no column 'words'"),
    ],
)
def test_errors_take_one_line(
    dynmeans: Callable[..., Any], tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    outcome = dynmeans("cluster", write_posts(tmp_path / "p.jsonl", 1), *options, "--out", tmp_path / "run")
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
