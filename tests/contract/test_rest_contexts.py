"""Contexts, answers and limits of a search at the REST door."""

from __future__ import annotations

import httpx
import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.memory import Memory

TALK = (Turn("Bob", "What is our boat called again?"), Turn("Iris", "It is called Second Coat, and it leaks."))


@pytest.mark.ledger("X14", "X08", "N32")
async def test_a_context_is_text_and_data_within_its_tokens(
    door: httpx.AsyncClient, home_path: str, memory: Memory, user: User
) -> None:
    record = (await memory.records.remember(Conversation("c", TALK, "A call"))).records[0].record_id
    asked = {"question": "What is our boat called?", "tokens": 300}
    given = (await door.post(f"{home_path}/context", json=asked)).json()
    assert given["tokens"] <= 300 and given["text"].startswith(f"<memory {given['key']}>\n")
    assert [(one["mark"], one["kind"], one["speaker"], one["record_id"]) for one in given["pieces"]] == [
        (1, "turn", "Bob", str(record)), (2, "turn", "Iris", str(record)),
    ]  # fmt: skip
    small = (await door.post(f"{home_path}/context", json=asked | {"tokens": 8})).json()
    assert small["text"] == "" and len(small["left_out"]) == 2
    then = (await door.post(f"{home_path}/context", json=asked | {"known_at": "2001-01-01T00:00:00Z"})).json()
    assert then["pieces"] == []
    for wrong in ({"tokens": 0}, {"tokens": "9"}, {"max_ms": 0}, {"question": ""}, {"kinds": ["word"]}):
        assert (await door.post(f"{home_path}/context", json=asked | wrong)).status_code == 422
    none = await door.post(f"{home_path}/answer", json=asked)
    assert (none.status_code, none.json()["type"]) == (409, "urn:neurigraph:problem:no-language-model")
    assert "NEURIGRAPH_LANGUAGE_MODEL" in none.json()["detail"]
    other = home_path.replace(str(user.user_id), "2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11")
    assert (await door.post(f"{other}/context", json=asked)).status_code == 404


@pytest.mark.ledger("X08")
async def test_a_search_takes_limits(door: httpx.AsyncClient, home_path: str, memory: Memory) -> None:
    await memory.records.remember(Conversation("c", TALK, "A call"))
    asked = {"query": "What is our boat called?", "widen": "always"}
    cut = (await door.post(f"{home_path}/search", json=asked | {"max_tokens": 1, "partial": True})).json()
    assert cut["hits"] == [] and "2 hits left out" in cut["notes"][-1]
    late = await door.post(f"{home_path}/search", json=asked | {"max_ms": 1})
    assert (late.status_code, late.json()["type"]) == (503, "urn:neurigraph:problem:store-unavailable")
