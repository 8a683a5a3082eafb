"""The bundled demo is what the docs promise: its size, its shape, and an answer to each of its questions."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

DEMO = Path(__file__).resolve().parents[2] / "engine" / "demo"
HISTORY: dict[str, Any] = json.loads((DEMO / "history.json").read_text(encoding="utf-8"))
QUESTIONS: list[dict[str, Any]] = json.loads((DEMO / "questions.json").read_text(encoding="utf-8"))["questions"]

CONVERSATIONS = HISTORY["conversations"]
TURNS = [turn for conversation in CONVERSATIONS for turn in conversation["turns"]]
TALK = "\n".join(turn["text"] for turn in TURNS)
PATHS = [tuple(node["path"]) for node in HISTORY["nodes"]]
FILES = {file["id"]: DEMO / file["path"] for file in HISTORY["files"]}
DAVES = {
    ("Family", "Siblings", "Ellen", "Dave"),
    ("Business", "Employees", "Dave"),
    ("Hobbies", "Fishing", "Dave"),
}


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9'-]+", text.lower()))


def test_counts() -> None:
    assert HISTORY["format"] == "neurigraph-history/1"
    assert HISTORY["user"] == {"handle": "bob", "name": "Bob Harlan"}
    assert len(CONVERSATIONS) >= 14
    assert len(TURNS) >= 230
    assert 18 <= len(PATHS) <= 24
    assert len(FILES) == 2
    assert len(QUESTIONS) == 5


def test_ids_are_unique() -> None:
    identifiers = [c["id"] for c in CONVERSATIONS] + list(FILES)
    assert len(set(identifiers)) == len(CONVERSATIONS) + len(HISTORY["files"])


def test_parents_come_first() -> None:
    seen: set[tuple[str, ...]] = {()}
    for path in PATHS:
        assert 1 <= len(path) <= 5
        assert path not in seen
        assert path[:-1] in seen, path
        seen.add(path)


def test_node_types() -> None:
    kinds = Counter(node["type"] for node in HISTORY["nodes"])
    assert set(kinds) == {"concept", "persona"}
    assert kinds["persona"] == 1
    assert all(node["summary"] for node in HISTORY["nodes"])


def test_three_daves_are_one_person() -> None:
    assert {path for path in PATHS if path[-1] == "Dave"} == DAVES
    joined = [edge for edge in HISTORY["edges"] if edge["type"] == "same_person"]
    assert {tuple(edge[end]) for edge in joined for end in ("from", "to")} == DAVES
    assert len(joined) == 3


def test_edges_have_both_ends() -> None:
    for edge in HISTORY["edges"]:
        source, target = tuple(edge["from"]), tuple(edge["to"])
        assert source in PATHS and target in PATHS, edge
        assert source != target


def test_keywords_occur_in_the_talk() -> None:
    talk = words(TALK)
    for node in HISTORY["nodes"]:
        assert node["keywords"], node["path"]
        assert [keyword for keyword in node["keywords"] if keyword not in talk] == [], node["path"]


def test_keywords_are_distinct() -> None:
    """Only the three Daves share words, and only his name."""
    owners: dict[str, set[tuple[str, ...]]] = {}
    for node in HISTORY["nodes"]:
        for keyword in node["keywords"]:
            owners.setdefault(keyword, set()).add(tuple(node["path"]))
    shared = {keyword: paths for keyword, paths in owners.items() if len(paths) > 1}
    assert shared == {"dave": DAVES, "kowalski": DAVES}


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda c: c["id"])
def test_turns_alternate(conversation: dict[str, Any]) -> None:
    speakers = [turn["speaker"] for turn in conversation["turns"]]
    assert 14 <= len(speakers) <= 20
    assert speakers == ["Bob", "Iris"] * (len(speakers) // 2)
    assert all(1 <= len(turn["text"].split()) <= 75 for turn in conversation["turns"])


def test_dates_ascend() -> None:
    starts = [datetime.fromisoformat(c["started_at"]) for c in CONVERSATIONS]
    assert all(start.tzinfo is not None for start in starts)
    assert starts == sorted(set(starts))
    assert (starts[0].date(), starts[-1].date()) == (date(2024, 3, 9), date(2026, 3, 15))
    for conversation, start in zip(CONVERSATIONS, starts, strict=True):
        assert conversation["id"].startswith(start.date().isoformat())
        times = [datetime.fromisoformat(turn["at"]) for turn in conversation["turns"] if "at" in turn]
        assert times == sorted(times)
        assert all(time >= start for time in times)


def test_named_weekdays_are_right() -> None:
    pattern = re.compile(r"\b((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day),? ([A-Z][a-z]+ \d{1,2})\b")
    checked = 0
    for conversation in CONVERSATIONS:
        year = conversation["started_at"][:4]
        for turn in conversation["turns"]:
            for weekday, day in pattern.findall(turn["text"]):
                assert datetime.strptime(f"{day} {year}", "%B %d %Y").strftime("%A") == weekday, turn["text"]
                checked += 1
    assert checked > 10


def test_files() -> None:
    for file in HISTORY["files"]:
        assert (DEMO / file["path"]).is_file()
        assert file["content_type"] == "text/markdown"
        assert datetime.fromisoformat(file["occurred_at"]).tzinfo is not None
        assert tuple(file["node"]) in PATHS
    assert {path.name for path in (DEMO / "files").iterdir()} == {path.name for path in FILES.values()}


def test_lease() -> None:
    lease = FILES["workshop-lease"].read_text(encoding="utf-8")
    assert 900 <= len(lease.split()) <= 1400
    assert len(re.findall(r"(?m)^## ", lease)) == 14


def test_fishing_log() -> None:
    log = FILES["fishing-log"].read_text(encoding="utf-8")
    entries = re.findall(r"(?m)^- \*\*(\d{4}-\d\d-\d\d)\*\* \((\w{3})\), ", log)
    days = [date.fromisoformat(day) for day, _ in entries]
    assert 55 <= len(days) <= 65
    assert days == sorted(set(days))
    assert [day.strftime("%a") for day in days] == [weekday for _, weekday in entries]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["ask"])
def test_question_has_its_evidence(question: dict[str, Any]) -> None:
    assert question["ask"].endswith("?") and question["why"] and question["anchors"]
    assert all(tuple(anchor) in PATHS for anchor in question["anchors"])
    assert question["expects"]
    if question["opens_file"]:
        text = FILES[question["file"]].read_text(encoding="utf-8")
        assert all(expected in text for expected in question["expects"])
        assert not any(expected in TALK for expected in question["expects"])
    else:
        assert "file" not in question
        assert all(any(expected in turn["text"] for turn in TURNS) for expected in question["expects"])


def test_questions_differ_in_kind() -> None:
    assert [question["opens_file"] for question in QUESTIONS] == [False] * 4 + [True]
    assert {tuple(anchor) for anchor in QUESTIONS[0]["anchors"]} == DAVES


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["ask"])
def test_talk_does_not_repeat_the_question(question: dict[str, Any]) -> None:
    asked = question["ask"].rstrip("?").lower()
    assert asked not in TALK.lower()
