"""Entities at the REST door: lists with filters, one entity, relations, why, profiles, merges and pairs."""

from __future__ import annotations

from uuid import uuid4

import httpx
import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.memory import Memory

TALK = (
    Turn("Bob", "Ellen Harlan is married to Dave Kowalski. Ellen Harlan works at Harlan Joinery."),
    Turn("Iris", "Then Elli Varga came by."),
)


@pytest.mark.ledger("F07", "F09", "M06", "A07", "X05", "N32")
async def test_entities_are_read_merged_and_apart(
    door: httpx.AsyncClient, home_path: str, memory: Memory, user: User
) -> None:
    work = await memory.nodes.provision(NewNode(user.user_id, "Work"))
    await memory.records.remember(Conversation("c", TALK, "A call"), node_id=work.node_id)
    people = (await door.get(f"{home_path}/entities", params={"kind": "person", "name": "el"})).json()
    assert {one["name"] for one in people} == {"Ellen Harlan", "Elli Varga"}
    ellen, elli = sorted(people, key=lambda one: str(one["name"]))
    first = await door.get(f"{home_path}/entities", params={"limit": 1})
    assert len(first.json()) == 1 and first.headers["link"]
    path = f"{home_path}/entities/{ellen['entity_id']}"
    shown = (await door.get(path)).json()
    assert shown["anchors"][0]["node_id"] == str(work.node_id)
    assert (shown["access_count"], shown["last_accessed_at"]) == (0, None)
    assert (await door.get(path, params={"known_at": "2001-01-01T00:00:00Z"})).status_code == 404
    [married] = [one for one in (await door.get(f"{path}/relations")).json() if one["reads"] == "is married to"]
    other = {"entity_id": [ellen["entity_id"], married["other_id"]]}
    [between] = (await door.get(f"{home_path}/relations", params=other)).json()
    assert between["relation_id"] == married["relation_id"] and between["reads"] == "is married to"
    assert (await door.get(f"{home_path}/relations")).status_code == 422
    assert (await door.get(f"{home_path}/relations", params={"entity_id": [str(uuid4())] * 101})).status_code == 422
    why = (await door.get(f"{home_path}/relations/{married['relation_id']}/why")).json()
    assert (why["source_name"], why["target_name"]) in (
        ("Ellen Harlan", "Dave Kowalski"),
        ("Dave Kowalski", "Ellen Harlan"),
    )
    assert [one["title"] for one in why["evidence"]] == ["A call"]
    profile = (await door.get(f"{path}/profile")).json()
    assert "is married to Dave Kowalski" in profile["text"].splitlines() and profile["tokens"] <= 300
    assert (await door.get(f"{home_path}/profile", params={"by": "category"})).json() == []
    assert (await door.get(f"{home_path}/profile", params={"by": "size"})).status_code == 422
    merge = await door.post(f"{path}/merges", json={"merged_id": elli["entity_id"], "reason": "a nickname"})
    assert merge.status_code == 201 and merge.json()["merged_id"] == elli["entity_id"]
    again = await door.post(f"{path}/merges", json={"merged_id": elli["entity_id"]})
    assert again.status_code in (201, 409)
    [listed] = (await door.get(f"{home_path}/entity-merges")).json()
    assert (listed["reason"], listed["entity_id"]) == ("a nickname", ellen["entity_id"])
    assert (listed["entity_name"], listed["merged_name"]) == (ellen["name"], elli["name"])
    undone = await door.post(f"{home_path}/entity-merges/{listed['merge_id']}/undo", json={})
    assert undone.status_code == 200 and (await door.get(f"{home_path}/entity-merges")).json() == []
    missing = await door.post(f"{home_path}/entity-pairs/{listed['merge_id']}/apart", json={})
    assert missing.status_code == 404
