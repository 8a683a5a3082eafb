"""Over REST and MCP what was forgotten is refused with a problem of its own, and stored anew where the request says so."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import httpx
import pytest

from engine.domain.node import NewNode, User
from engine.domain.written import MEDIA_TYPE
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.contract.test_mcp import called, over_stdio, refused
from tests.forgetting.test_users import finished
from tests.tombstones import forgotten

TURN = {"speaker": "Bob", "text": "Dave caught a walleye."}
ASKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a text": ("text:t1", "records", {"text": "It ends in June.", "source_id": "t1"}),
    "a conversation": ("conversation:c1", "records", {"conversation": {"id": "c1", "turns": [TURN]}}),
    "appended turns": ("conversation:c1", "conversations/c1/turns", {"turns": [TURN]}),
    "an occasion": ("text:o1", "occasions", {"kind": "meeting", "text": "We raise the price.", "source_id": "o1"}),
}
"""By what is sent: the key of the source, the path, the body."""


@pytest.mark.parametrize("what", ASKED)
async def test_it_is_409_until_the_request_says_again(
    door: httpx.AsyncClient, engine: Engine, user: User, home_path: str, what: str
) -> None:
    key, place, body = ASKED[what]
    await forgotten(engine, user.user_id, "source", key)
    answer = await door.post(f"{home_path}/{place}", json=body)
    assert answer.status_code == 409, answer.text
    problem = answer.json()
    assert problem["type"] == "urn:neurigraph:problem:forgotten" and "again" in problem["detail"]
    assert answer.headers["content-type"] == "application/problem+json"
    answer = await door.post(f"{home_path}/{place}", json=body | {"again": True})
    assert answer.status_code == 201, answer.text


async def test_a_fact_is_409_by_its_key_and_anew_with_again(
    door: httpx.AsyncClient, engine: Engine, user: User, home_path: str
) -> None:
    await forgotten(engine, user.user_id, "source", "fact:key:k1")
    await forgotten(engine, user.user_id, "key", "k1")
    headers, body = {"Idempotency-Key": "k1"}, {"text": "Dave lives in Galway."}
    answer = await door.post(f"{home_path}/facts", json=body, headers=headers)
    assert answer.status_code == 409 and answer.json()["type"].endswith(":forgotten"), answer.text
    answer = await door.post(f"{home_path}/facts", json=body | {"again": True}, headers=headers)
    assert answer.status_code == 201, answer.text
    answer = await door.post(f"{home_path}/facts", json=body | {"again": True}, headers=headers)
    assert answer.headers["Idempotency-Replayed"] == "true"


async def test_many_sources_are_counted(door: httpx.AsyncClient, engine: Engine, user: User, home_path: str) -> None:
    await forgotten(engine, user.user_id, "source", "text:t1")
    body = {"texts": [{"text": f"Text {number}.", "source_id": f"t{number}"} for number in (1, 2)]}
    answer = await door.post(f"{home_path}/ingests", json=body)
    assert answer.status_code == 201 and (answer.json()["forgotten"], answer.json()["files"]) == (1, 1)
    answer = await door.post(f"{home_path}/ingests", json=body | {"again": True})
    assert (answer.json()["forgotten"], answer.json()["files"]) == (0, 1)


async def test_an_import_reports_its_line(door: httpx.AsyncClient, engine: Engine, user: User, home_path: str) -> None:
    await forgotten(engine, user.user_id, "source", "text:t1")
    line, headers = json.dumps({"text": "It ends in June.", "source_id": "t1"}), {"Content-Type": MEDIA_TYPE}
    for query, outcome in (("", "forgotten"), ("?again=true", "stored")):
        answer = await door.post(f"{home_path}/import{query}", content=line, headers=headers)
        report, totals = [json.loads(one) for one in answer.text.splitlines()]
        assert report["status"] == outcome and "problem" not in report
        assert totals["lines"] == 1 and totals[outcome] == 1 and totals["failed"] == 0


async def test_a_tool_refuses_it_until_the_assistant_says_again(engine: Engine, user: User, memory: Memory) -> None:
    await forgotten(engine, user.user_id, "source", "text:t1")
    async with over_stdio(engine, "--user", user.handle) as session:
        said = await refused(session, "add_memory", text="It ends in June.", id="t1")
        assert "forgotten" in said
        added = await called(session, "add_memory", text="It ends in June.", id="t1", again=True)
        assert added["stored"]


@pytest.mark.ledger("F13", "X07")
async def test_a_source_is_forgotten_over_rest(
    door: httpx.AsyncClient, engine: Engine, memory: Memory, home_path: str
) -> None:
    place, stored = f"{home_path}/forgettings", {"text": "It ends in June.", "source_id": "lease"}
    assert (await door.post(f"{home_path}/records", json=stored)).status_code == 201
    asked = {"kind": "source", "subject": "lease"}
    preview = (await door.get(f"{place}/preview", params=asked)).json()
    assert (preview["sources"], preview["records"], preview["files"]) == (1, 1, 1)
    answer = await door.post(place, json=asked)
    assert answer.status_code == 202, answer.text
    one = answer.json()["forgetting_id"]
    assert (await door.get(f"{place}/{one}/receipt")).status_code == 404
    await finished(engine, await memory.forgettings.get(UUID(one)))
    assert [(it["state"], it["subject"]) for it in (await door.get(place)).json()] == [("done", "")]
    receipt = (await door.get(f"{place}/{one}/receipt")).json()
    check = await door.post(f"{place}/verify", json=receipt)
    assert check.status_code == 200 and check.json()["found"] == [], check.text
    changed = receipt | {"receipt": receipt["receipt"] | {"number": 7}}
    assert (await door.post(f"{place}/verify", json=changed)).json()["type"].endswith(":receipt-changed")
    assert (await door.post(f"{home_path}/records", json=stored)).json()["type"].endswith(":forgotten")
    assert (await door.post(f"{home_path}/records", json=stored | {"again": True})).status_code == 201


@pytest.mark.ledger("F13")
async def test_a_node_is_forgotten_over_rest_but_not_the_root(
    door: httpx.AsyncClient, engine: Engine, memory: Memory, home_path: str
) -> None:
    place, root = f"{home_path}/forgettings", memory.principal.user_id
    node = await memory.nodes.provision(NewNode(root, "Boats"))
    await memory.nodes.provision(NewNode(node.node_id, "Kayaks"))
    await memory.records.remember_text("Lease", "It ends in June.", node_id=node.node_id)
    asked = {"kind": "node", "subject": str(node.node_id)}
    preview = (await door.get(f"{place}/preview", params=asked)).json()
    assert (preview["nodes"], preview["records"], preview["withdrawn"]) == (2, 1, None)
    for door_of_root in (
        door.get(f"{place}/preview", params=asked | {"subject": str(root)}),
        door.post(place, json=asked | {"subject": str(root)}),
    ):
        refusal = await door_of_root
        assert refusal.status_code == 422 and "users forget" in refusal.json()["detail"], refusal.text
    answer = await door.post(place, json=asked)
    assert answer.status_code == 202, answer.text
    done = await finished(engine, await memory.forgettings.get(UUID(answer.json()["forgetting_id"])))
    assert (done.state, done.counts["postgres"]["nodes"], done.counts["graph"]["Node"]) == ("done", 2, 2)
    assert (await door.get(f"{place}/preview", params=asked)).status_code == 404
    assert await memory.nodes.children(root) == ()


@pytest.mark.ledger("F13")
async def test_an_assistant_forgets_for_good_only_where_it_says_so_plainly(engine: Engine, user: User) -> None:
    async with over_stdio(engine, "--user", user.handle) as session:
        record = (await called(session, "add_memory", text="It ends in June."))["stored"][0]["memory_id"]
        await refused(session, "delete_memory", memory_id=record, forever="yes")
        gone = await called(session, "delete_memory", memory_id=record, forever=True)
        assert gone["forgotten"] == record and gone["state"] in ("running", "settling")
        assert "nothing" in (await refused(session, "get_memory", memory_id=record)).lower()
