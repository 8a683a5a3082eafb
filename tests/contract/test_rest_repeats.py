"""Writes sent twice under one key."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import TYPE_CHECKING
from uuid import uuid4

import httpx
import pytest

from engine.access import idempotency
from engine.commit.outbox import STEPS
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.errors import StoreUnavailable
from engine.neurigraph import Engine
from engine.wiring.open_engine import open_engine
from tests.door import new_door

if TYPE_CHECKING:
    from tests.contract.conftest import House, OpenDoor


@pytest.mark.ledger("U02")
async def test_the_same_request_under_a_key_gives_the_same_answer(door: httpx.AsyncClient, home_path: str) -> None:
    key = {"Idempotency-Key": "note-1"}
    first = await door.post(f"{home_path}/records", json={"text": "The lease ends in June."}, headers=key)
    assert first.status_code == 201 and "idempotency-replayed" not in first.headers
    second = await door.post(f"{home_path}/records", json={"text": "The lease ends in June."}, headers=key)
    assert second.headers["idempotency-replayed"] == "true"
    assert (second.status_code, second.json()) == (201, first.json())


async def test_a_created_node_stays_201_in_the_replay(door: httpx.AsyncClient, home_path: str) -> None:
    key = {"Idempotency-Key": "node-1"}
    answers = [await door.post(f"{home_path}/nodes", json={"name": "Family"}, headers=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert (await door.post(f"{home_path}/nodes", json={"name": "Family"})).status_code == 200


async def test_a_key_belongs_to_one_request_of_one_user(
    door: httpx.AsyncClient, home_path: str, engine, user: User
) -> None:
    key = {"Idempotency-Key": "k"}
    assert (await door.post(f"{home_path}/nodes", json={"name": "A"}, headers=key)).status_code == 201
    for path, body in (("nodes", {"name": "B"}), ("records", {"text": "A"})):
        response = await door.post(f"{home_path}/{path}", json=body, headers=key)
        assert response.status_code == 422
        assert response.json()["type"].endswith("idempotency-mismatch")
    other = await engine.workspace.users.create(f"{user.handle}-2")
    assert (await door.post(f"/v1/users/{other.user_id}/nodes", json={"name": "C"}, headers=key)).status_code == 201


async def test_a_refused_request_does_not_use_its_key_up(door: httpx.AsyncClient, home_path: str) -> None:
    key = {"Idempotency-Key": "later"}
    edge = {"source_id": home_path.rsplit("/", 1)[1], "edge_type": "knows"}
    missing = edge | {"target_id": "00000000-0000-4000-8000-000000000000"}
    for _ in range(2):
        assert (await door.post(f"{home_path}/edges", json=missing, headers=key)).status_code == 404


async def test_at_the_same_time_a_text_is_stored_once(door: httpx.AsyncClient, home_path: str, user: User) -> None:
    async def write() -> httpx.Response:
        body = {"text": "Stored once, however often it is sent.", "node_id": str(user.user_id)}
        return await door.post(f"{home_path}/records", json=body, headers={"Idempotency-Key": "at-once"})

    answers = await asyncio.gather(*(write() for _ in range(6)))
    assert {answer.status_code for answer in answers} == {201}
    page = (await door.get(f"{home_path}/nodes/{user.user_id}/metadata")).json()
    assert len(page["records"]) == 1


async def test_at_the_same_time_a_request_is_carried_out_once(door: httpx.AsyncClient, home_path: str) -> None:
    key = {"Idempotency-Key": "sixteen"}

    async def write() -> httpx.Response:
        return await door.post(f"{home_path}/records", json={"text": "Sixteen times at once."}, headers=key)

    answers = await asyncio.gather(*(write() for _ in range(16)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert sum("idempotency-replayed" not in answer.headers for answer in answers) == 1


async def test_a_refused_request_is_refused_each_time_it_waited_for_the_other(door: httpx.AsyncClient, home_path: str) -> None:  # fmt: skip
    missing = {"target_id": str(uuid4()), "edge_type": "knows", "source_id": home_path.rsplit("/", 1)[1]}

    async def write() -> httpx.Response:
        return await door.post(f"{home_path}/edges", json=missing, headers={"Idempotency-Key": "refused"})

    answers = await asyncio.gather(*(write() for _ in range(4)))
    assert [answer.status_code for answer in answers] == [404] * 4


async def test_a_request_that_is_still_being_carried_out_says_when_to_ask_again(
    door: httpx.AsyncClient, home_path: str, engine: Engine, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "LONGEST_WAIT", 0.3)
    path, body, key = f"{home_path}/nodes", {"name": "Slow"}, {"Idempotency-Key": "slow"}
    claimed = "SELECT 1 FROM engine.idempotency WHERE user_id = %s AND key = 'slow'"
    async with engine.postgres.as_service() as connection:
        await connection.execute("SELECT 1 FROM engine.nodes WHERE node_id = %s FOR UPDATE", [user.user_id])
        first = asyncio.create_task(door.post(path, json=body, headers=key))
        for _ in range(1000):
            if await (await connection.execute(claimed, [user.user_id])).fetchone():
                break
            await asyncio.sleep(0.02)
        second = await door.post(path, json=body, headers=key)
    assert (second.status_code, second.json()["type"]) == (409, "urn:neurigraph:problem:in-progress")
    assert int(second.headers["retry-after"]) >= 1
    done = await first
    third = await door.post(path, json=body, headers=key)
    assert (done.status_code, third.status_code, third.headers["idempotency-replayed"]) == (201, 201, "true")
    assert third.json() == done.json()


@pytest.mark.ledger("N15")
@pytest.mark.parametrize("step", STEPS)
async def test_a_move_whose_answer_was_lost_gives_it_when_it_is_sent_again(
    door: httpx.AsyncClient, home_path: str, engine: Engine, user: User, step: str
) -> None:
    memory = engine.memory(user.user_id)
    source, target = [await memory.nodes.provision(NewNode(user.user_id, name)) for name in ("Source", "Target")]
    record = (await memory.records.remember_text("Catch", "A walleye.", node_id=source.node_id)).records[0].record_id

    def lost(name: str) -> None:
        if name == step:
            raise StoreUnavailable("graph store")

    path, key = f"{home_path}/nodes/{source.node_id}/records/{record}/move", {"Idempotency-Key": "move-1"}
    async with open_engine(engine.settings, on_step=lost, warming=False) as losing:
        transport = httpx.ASGITransport(new_door(losing.settings, engine=losing), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as broken:
            first = await broken.post(path, json={"to_node_id": str(target.node_id)}, headers=key)
            assert first.status_code == 503
    answers = [await door.post(path, json={"to_node_id": str(target.node_id)}, headers=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201], answers[0].text
    assert answers[0].json() == answers[1].json()
    assert (answers[0].json()["node_id"], answers[0].json()["revision"]) == (str(target.node_id), 2)
    assert [entry.record_id for entry in (await memory.nodes.shell(target.node_id)).manifest] == [record]
    other = await door.post(path, json={"to_node_id": str(target.node_id)}, headers={"Idempotency-Key": "move-2"})
    assert other.status_code == 404


@pytest.mark.parametrize("kind", ["node", "record", "edge"])
async def test_a_change_whose_answer_was_lost_gives_it_when_it_is_sent_again(
    door: httpx.AsyncClient, home_path: str, engine: Engine, user: User, kind: str
) -> None:
    memory = engine.memory(user.user_id)
    node = await memory.nodes.provision(NewNode(user.user_id, "Leases"))
    record = (
        (await memory.records.remember_text("Lease", "It ends in June.", node_id=node.node_id)).records[0].record_id
    )
    edge = (await memory.edges.make(user.user_id, node.node_id, "KNOWS")).edge_id
    path, body = {
        "node": (f"nodes/{node.node_id}", {"summary": "All leases."}),
        "record": (f"nodes/{node.node_id}/records/{record}", {"title": "The lease"}),
        "edge": (f"edges/{edge}", {"properties": {"since": "2020"}}),
    }[kind]
    headers = {"Idempotency-Key": "change-1", "If-Match": '"1"'}

    def lost(name: str) -> None:
        if name == STEPS[-1]:
            raise StoreUnavailable("graph store")

    async with open_engine(engine.settings, on_step=lost, warming=False) as losing:
        transport = httpx.ASGITransport(new_door(losing.settings, engine=losing), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as broken:
            assert (await broken.patch(f"{home_path}/{path}", json=body, headers=headers)).status_code == 503
    answers = [await door.patch(f"{home_path}/{path}", json=body, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
    assert answers[0].json() == answers[1].json() and answers[0].json()["revision"] == 2
    assert answers[0].json()["changed"] is True
    stale = await door.patch(f"{home_path}/{path}", json=body, headers=headers | {"Idempotency-Key": "change-2"})
    assert stale.status_code == 412


@pytest.mark.parametrize("key", ["", "k" * 201, "with space", "ümlaut"])
async def test_a_key_is_1_to_200_visible_ascii_characters(door: httpx.AsyncClient, home_path: str, key: str) -> None:
    headers = {"Idempotency-Key": key.encode("latin-1")}
    response = await door.post(f"{home_path}/nodes", json={"name": "A"}, headers=headers)
    assert response.status_code == 422
    assert response.json()["errors"][0]["location"] == "header.Idempotency-Key"


async def test_the_longest_key_of_a_persona_is_kept_apart_from_the_users(
    open_door: OpenDoor, own_house: House, engine: Engine
) -> None:
    memory = engine.memory(own_house.user.user_id)
    grant = NewGrant(own_house.nodes["Cases"], "persona", own_house.nodes["Lawyer"], mode="read_write")
    await memory.grants.give(grant)
    path, body = f"{own_house.home}/records", {"text": "The judge is ill.", "node_id": str(own_house.nodes["Cases"])}
    keys = [letter + "k" * 198 + letter for letter in "ab"]
    stored = set()
    for kind, key in product(("persona", "user"), keys):
        door = open_door(own_house.secrets[kind])
        answers = [await door.post(path, json=body, headers={"Idempotency-Key": key}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [201, 201], answers[0].text
        assert ["idempotency-replayed" in answer.headers for answer in answers] == [False, True]
        stored.add(answers[0].json()["records"][0]["record_id"])
    assert len(stored) == 4


async def test_what_a_server_wrote_before_it_was_killed_is_not_written_again(
    door: httpx.AsyncClient, home_path: str, engine: Engine, user: User
) -> None:
    """It is killed before it keeps the answer: the key is free again, and the repeat is carried out."""

    async def twice(path: str, body: object) -> list[dict[str, object]]:
        answers = []
        for _ in range(2):
            answer = await door.post(f"{home_path}/{path}", json=body, headers={"Idempotency-Key": path})
            assert answer.is_success and "idempotency-replayed" not in answer.headers, answer.text
            answers.append(answer.json())
            async with engine.postgres.as_service() as connection:
                forgotten = "UPDATE engine.idempotency SET answer = NULL, claimed_until = NULL WHERE user_id = %s"
                await connection.execute(forgotten, [user.user_id])
        return answers

    first, second = await twice("events", {"kind": "meeting", "content": "with Dave"})
    assert first == second
    assert len(await engine.memory(user.user_id).events.list()) == 1
    turns = [{"speaker": "Bob", "text": "Again."}, {"speaker": "Bob", "text": "Again."}]
    first, second = await twice("conversations/c1/turns", {"turns": turns})
    assert (first["added"], second["added"], second["turns"]) == (2, 2, 2)
