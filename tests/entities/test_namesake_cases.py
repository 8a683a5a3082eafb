"""Labelled cases of people and companies of one name: what is told apart, what stays one. Each case has a name of its own, so all
of them are in one memory."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engine.domain.history import Conversation, History, Turn
from engine.domain.node import User
from engine.memory import Memory

CASES = [json.loads(line) for line in Path(__file__).with_name("namesakes.jsonl").read_text().splitlines()]
WHEN = datetime(2025, 2, 3, 9, tzinfo=UTC)


def _talk(case: dict[str, Any], number: int, day: int, texts: list[str | list[str]]) -> Conversation:
    own = case.get("speaker", "Bob Harlan")
    turns = tuple(Turn(*text) if isinstance(text, list) else Turn(own, text) for text in texts)
    return Conversation(f"{case['name']} {number}", turns, f"Talk {number}", WHEN + timedelta(days=day))


async def test_what_is_told_apart_and_what_stays_one(memory: Memory, user: User) -> None:
    """Of those that stay one at least .98 are one; who is told apart is a pair for the user."""
    for round_ in range(max(len(case["said"]) for case in CASES)):
        told = [(case, case["said"][round_]) for case in CASES if len(case["said"]) > round_]
        talks = tuple(_talk(case, round_, day, texts) for case, (day, *texts) in told)
        await memory.ingests.history(History(user.handle, user.display_name, talks))
    made: dict[str, list[str]] = defaultdict(list)
    for one in await memory.entities.list(everything=True, limit=500):
        for word in one.name.split():
            made[word].append(one.name)
    pairs = {word for one in await memory.entities.review(limit=500) for word in one.name.split()}
    called = {label: [len(made[one["name"]]) for one in CASES if one["label"] == label] for label in ("one", "apart")}
    merged, apart = called["one"].count(1), called["apart"].count(1)
    assert merged >= 0.98 * (merged + apart) and merged >= 0.98 * len(called["one"]), called
    assert sum(count > 1 for count in called["apart"]) >= 0.95 * len(called["apart"]), called
    unasked = [case for case in CASES if len(made[case["name"]]) > 1 and case["name"] not in pairs]
    assert unasked == [], "who is told apart is a pair for the user"
