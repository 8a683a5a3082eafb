"""A day is that of who speaks: "yesterday" and "on June 4" are right for evenings west of Greenwich and for mornings east of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.domain.node import User
from engine.neurigraph import Engine
from tests.commands import typed

EVENING, MORNING = "2024-06-04T22:40:00-07:00", "2024-06-05T00:20:00+09:00"
"""June 5 and June 4 in UTC."""
BEFORE = {EVENING: "2024-06-03", MORNING: "2024-06-04"}
REPAIRED = "Yesterday we repaired the fence."


async def days(door: httpx.AsyncClient, home_path: str, user: User) -> list[list[str]]:
    """The days that each record of the root names."""
    hits = (await door.post(f"{home_path}/search", json={"query": REPAIRED})).json()["hits"]
    records = sorted({hit["record_id"] for hit in hits})
    node = f"{home_path}/nodes/{user.user_id}"
    states = [(await door.get(f"{node}/records/{record}")).json() for record in records]
    return [state["fields"]["kw_dates"] for state in states]


async def _record(door: httpx.AsyncClient, path: str, at: str, text: str) -> None:
    talk = {"id": text, "turns": [{"speaker": "Lena", "text": text, "at": at}]}
    assert (await door.post(f"{path}/records", json={"conversation": talk})).status_code == 201


async def _opened_then(door: httpx.AsyncClient, path: str, at: str, text: str) -> None:
    talk = {"id": text, "started_at": at, "turns": [{"speaker": "Lena", "text": text}]}
    assert (await door.post(f"{path}/records", json={"conversation": talk})).status_code == 201


async def _stream(door: httpx.AsyncClient, path: str, at: str, text: str, **opening: Any) -> None:
    turn = {"speaker": "Lena", "text": text} | ({} if opening else {"at": at})
    appended = await door.post(f"{path}/conversations/a/turns", json={"turns": [turn], "first": 0} | opening)
    again = await door.post(f"{path}/conversations/a/turns", json={"turns": [turn], "first": 0} | opening)
    assert (appended.json()["added"], again.json()["added"], again.json()["repeated"]) == (1, 0, 1)
    assert (await door.post(f"{path}/conversations/a/end", json={})).status_code == 201


async def _stream_opened_then(door: httpx.AsyncClient, path: str, at: str, text: str) -> None:
    await _stream(door, path, at, text, started_at=at)


async def _occasion(door: httpx.AsyncClient, path: str, at: str, text: str) -> None:
    body = {"kind": "meeting", "title": "Yard", "text": text, "started_at": at}
    assert (await door.post(f"{path}/occasions", json=body)).status_code == 201


async def _import(door: httpx.AsyncClient, path: str, at: str, text: str) -> None:
    line = {"conversation": {"id": text, "turns": [{"speaker": "Lena", "text": text, "at": at}]}}
    sent = await door.post(f"{path}/import", content=json.dumps(line), headers={"Content-Type": "application/x-ndjson"})
    assert sent.status_code == 200, sent.text


DOORS = [_record, _opened_then, _stream, _stream_opened_then, _occasion, _import]


@pytest.mark.parametrize("at", [EVENING, MORNING], ids=["west", "east"])
@pytest.mark.parametrize("come_in", DOORS)
async def test_yesterday_is_the_day_before_the_speakers(
    door: httpx.AsyncClient, home_path: str, user: User, come_in: Any, at: str
) -> None:
    await come_in(door, home_path, at, REPAIRED)
    [named] = await days(door, home_path, user)
    assert named[-1:] == [BEFORE[at]]  # an occasion begins with its own day


@pytest.mark.parametrize("at", [EVENING, MORNING], ids=["west", "east"])
async def test_the_shell_keeps_the_day(
    engine: Engine, door: httpx.AsyncClient, home_path: str, user: User, tmp_path: Path, at: str
) -> None:
    line = json.dumps({"speaker": "Lena", "text": REPAIRED, "at": at})
    for command in (["record", "conversation", "c1"], ["conversation", "append", "c2"]):
        done = await typed(engine, tmp_path, user.handle, *command, stdin=line + "\n")
        assert done.returncode == 0, (command, done.stderr)
    assert (await typed(engine, tmp_path, user.handle, "conversation", "end", "c2")).returncode == 0
    assert await days(door, home_path, user) == [[BEFORE[at]]] * 2


@pytest.mark.parametrize("come_in", [_record, _stream, _import])
async def test_a_question_for_a_day_finds_what_was_said_on_it_where_it_was_said(
    door: httpx.AsyncClient, home_path: str, come_in: Any
) -> None:
    said = {
        "I planted beans.": "2024-06-04T23:10:00-07:00",
        "I washed the windows.": "2024-06-05T21:10:00-07:00",
        "I sorted old letters.": "2024-06-03T19:30:00-07:00",
    }
    talk = {"id": "t", "turns": [{"speaker": "Lena", "text": text, "at": at} for text, at in said.items()]}
    if come_in is _stream:
        await door.post(f"{home_path}/conversations/t/turns", json={"turns": talk["turns"], "first": 0})
        await door.post(f"{home_path}/conversations/t/end", json={})
    elif come_in is _import:
        headers = {"Content-Type": "application/x-ndjson"}
        await door.post(f"{home_path}/import", content=json.dumps({"conversation": talk}), headers=headers)
    else:
        await door.post(f"{home_path}/records", json={"conversation": talk})
    for day, text in (
        ("June 4", "I planted beans."),
        ("June 5", "I washed the windows."),
        ("June 3", "I sorted old letters."),
    ):
        asked = {"query": f"What did I do on {day}?"}
        found = (await door.post(f"{home_path}/search", json=asked)).json()["hits"]
        assert found[0]["content"] == text, day
    shown = await door.post(f"{home_path}/context", json={"question": "What did I do on June 4?", "tokens": 300})
    assert "2024-06-03" in shown.json()["text"] and "2024-06-06" not in shown.json()["text"]


async def test_changed_words_keep_the_day_and_a_changed_time_has_its_own(
    door: httpx.AsyncClient, home_path: str, user: User
) -> None:
    for number, text in enumerate(("I planted beans.", "I washed windows.")):
        talk = {"id": f"t{number}", "turns": [{"speaker": "Lena", "text": text, "at": EVENING}]}
        await door.post(f"{home_path}/records", json={"conversation": talk})
    asked = {"query": "What did I do on June 4?"}
    first, second = (await door.post(f"{home_path}/search", json=asked)).json()["hits"]
    items = f"{home_path}/nodes/{user.user_id}/items"
    await door.patch(f"{items}/{first['item_id']}", json={"content": "I planted peas."})
    await door.patch(f"{items}/{second['item_id']}", json={"occurred_at": "2024-06-05T00:10:00Z"})
    for day in ("June 4", "June 5"):
        hits = (
            await door.post(f"{home_path}/search", json={"query": f"What was it on {day}?", "explain": True})
        ).json()["hits"]
        dated = {hit["content"] for hit in hits if hit["signals"].get("date_match")}
        assert dated == {{"June 4": "I planted peas."}.get(day, second["content"])}


async def test_what_was_sent_in_utc_is_known_when_it_comes_with_an_offset(
    door: httpx.AsyncClient, home_path: str
) -> None:
    at = ("2024-06-05T05:40:00Z", EVENING)
    turns = [[{"speaker": "Lena", "text": "I planted beans.", "at": one}] for one in at]
    stored = [
        await door.post(f"{home_path}/records", json={"conversation": {"id": "t", "turns": one}}) for one in turns
    ]
    assert [one.status_code for one in stored] == [201, 200]
