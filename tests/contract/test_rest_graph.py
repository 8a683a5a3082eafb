"""The graph at the REST door: users by id, ETags, files in manifests, archived nodes, and every list page by page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from api.cursors import encoded
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.domain.occasion import NewEvent
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.contract.conftest import House, OpenDoor

TITLE = "Vertrag: “Zur Post” / 家族"


@pytest.fixture
async def node(memory: Memory, user: User) -> UUID:
    """A node with a child and a text."""
    made = await memory.nodes.provision(NewNode(user.user_id, "Work"))
    await memory.nodes.provision(NewNode(made.node_id, "Cases"))
    await memory.records.remember_text(TITLE, "The lease ends in June.", source_id="lease", node_id=made.node_id)
    return made.node_id


async def test_a_user_is_found_by_id_by_itself_and_by_administrators(house: House, open_door: OpenDoor) -> None:
    path = f"/v1/users/{house.user.user_id}"
    for kind, status in (("user", 200), ("administrator", 200), ("persona", 404), ("third_party", 404)):
        answer = await open_door(house.secrets[kind]).get(path)
        assert answer.status_code == status, kind
    found = (await open_door().get(path)).json()
    assert found == {
        "user_id": str(house.user.user_id), "handle": house.user.handle, "display_name": "Bob", "created": False, "archived": False,
    }  # fmt: skip
    foreign = await open_door(house.secrets["user"]).get(f"/v1/users/{house.neighbour.user_id}")
    missing = await open_door(house.secrets["user"]).get("/v1/users/00000000-0000-4000-8000-000000000000")
    assert foreign.status_code == missing.status_code == 404 and foreign.json()["type"] == missing.json()["type"]


@pytest.mark.ledger("U09")
async def test_a_credential_says_whose_it_is(house: House, open_door: OpenDoor) -> None:
    for kind in ("user", "persona", "third_party", "administrator"):
        answer = (await open_door(house.secrets[kind]).get("/v1/users/me")).json()
        assert answer["kind"] == kind and (answer["user"] or {}).get("handle") == (
            house.user.handle if kind == "user" else None
        )
    assert (await open_door().get("/v1/users/me")).json() == {"kind": "operator", "user": None}


@pytest.mark.ledger("U09")
async def test_the_timeline_says_on_which_days_records_happened(
    door: httpx.AsyncClient, open_door: OpenDoor, house: House, home_path: str, node: UUID
) -> None:
    for day, hour in (("2024-05-04", "23:30:00-05:00"), ("2024-05-05", "08:00:00Z"), ("2023-01-01", "00:00:00Z")):
        turn = {"speaker": "Bob", "text": f"The walleye of {day}.", "at": f"{day}T{hour}"}
        body = {"conversation": {"id": day, "turns": [turn], "started_at": turn["at"]}, "node_id": str(node)}
        assert (await door.post(f"{home_path}/records", json=body)).status_code == 201
    turns = [{"speaker": "Bob", "text": "Nobody knows when we caught the pike."}]
    undated = {"conversation": {"id": "pike", "turns": turns}, "node_id": str(node)}
    ndjson = {"Content-Type": "application/x-ndjson"}
    assert (await door.post(f"{home_path}/import", content=json.dumps(undated), headers=ndjson)).status_code == 200
    answer = await door.get(f"{home_path}/timeline")
    days = [(one["node_id"], one["day"], one["records"]) for one in answer.json()]
    assert days[:3] == [(str(node), None, 1), (str(node), "2023-01-01", 1), (str(node), "2024-05-05", 2)]  # in UTC
    first = await door.get(f"{home_path}/timeline?limit=2")
    assert len(first.json()) == 2 and (await door.get(first.links["next"]["url"])).json()[0]["day"] == "2024-05-05"
    for kind in ("persona", "third_party", "administrator"):
        assert (await open_door(house.secrets[kind]).get(f"{house.home}/timeline")).status_code == 404, kind


async def test_a_shell_is_sent_again_only_when_it_changed(door: httpx.AsyncClient, home_path: str, node: UUID) -> None:
    path = f"{home_path}/nodes/{node}"
    first = await door.get(path)
    tag = first.headers["etag"]
    for known in (tag, f'"other", W/{tag}', "*"):
        again = await door.get(path, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    changed = await door.patch(path, json={"summary": "Leases"}, headers={"If-Match": tag})
    assert changed.status_code == 200 and changed.headers["etag"] == '"2"'
    assert (await door.patch(path, json={"summary": "None"}, headers={"If-Match": tag})).status_code == 412
    fresh = await door.get(path, headers={"If-None-Match": tag})
    assert fresh.status_code == 200 and fresh.headers["etag"].startswith('"2-')
    await door.post(f"{home_path}/nodes", json={"name": "More", "parent_id": str(node)})
    assert (await door.get(path, headers={"If-None-Match": fresh.headers["etag"]})).status_code == 200  # a child more


async def test_a_manifest_leads_to_the_file_under_its_own_name(
    door: httpx.AsyncClient, home_path: str, node: UUID
) -> None:
    [line] = (await door.get(f"{home_path}/nodes/{node}")).json()["manifest"]
    [document] = (await door.get(f"{home_path}/documents")).json()
    [resource] = (await door.get(f"{home_path}/resources")).json()
    assert line["file_id"] == document["file_id"]
    paths = (
        f"nodes/{node}/files/{line['file_id']}",
        f"documents/{document['document_id']}/versions/1/content",
        f"resources/{resource['resource_id']}/content",
    )
    for path in paths:
        file = await door.get(f"{home_path}/{path}")
        assert file.content == b"The lease ends in June.", path
        assert file.headers["content-type"] == "text/plain; charset=utf-8"
        assert file.headers["x-content-type-options"] == "nosniff"
        name = file.headers["content-disposition"]
        assert name.isascii() and name.startswith("attachment; ")
        assert name.endswith("filename*=UTF-8''Vertrag%20%E2%80%9CZur%20Post%E2%80%9D%20%E5%AE%B6%E6%97%8F.txt")


async def test_a_node_is_archived_and_taken_back(door: httpx.AsyncClient, home_path: str, node: UUID) -> None:
    path, question = f"{home_path}/nodes/{node}", {"query": "When does the lease end?"}
    assert (await door.post(f"{home_path}/search", json=question)).json()["hits"]
    archived = await door.patch(path, json={"archived": True, "reason": "Sold."})
    assert archived.status_code == 200
    assert (await door.post(f"{home_path}/search", json=question)).json()["hits"] == []
    before = {"as_of": "2001-01-01T00:00:00Z"} | question
    assert (await door.post(f"{home_path}/search", json=before)).status_code == 200
    refused = await door.post(f"{home_path}/records", json={"text": "More", "source_id": "m", "node_id": str(node)})
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:neurigraph:problem:archived")
    assert (await door.get(path)).json()["archived"] is True
    [delta] = (await door.get(f"{path}/history")).json()
    assert (delta["fields"], delta["reason"]) == ({"archived": {"before": False, "after": True}}, "Sold.")
    assert (await door.patch(path, json={"archived": False, "name": "Both"})).status_code == 422
    assert (await door.patch(path, json={"archived": False})).json()["revision"] == 3
    assert (await door.post(f"{home_path}/search", json=question)).json()["hits"]


@pytest.fixture
async def lists(
    engine: Engine, door: httpx.AsyncClient, memory: Memory, user: User, node: UUID, home_path: str
) -> AsyncIterator[dict[str, str]]:
    """Lists with three entries or more, and by what an entry is known."""
    integration = await engine.workspace.integrations.create(f"mailbox of {user.handle}")
    names = [f"Case {number}" for number in range(3)]
    nodes = [(await memory.nodes.provision(NewNode(node, name, aliases=("Same",)))).node_id for name in names]
    for number, one in enumerate(nodes):
        await memory.grants.give(NewGrant(one, "third_party", integration.integration_id))
        await memory.records.remember_text(
            f"Text {number}", f"Text number {number}.", source_id=f"t{number}", node_id=node
        )
        await memory.edges.make(node, one, "holds")
        await memory.events.write(NewEvent("walk", f"To case {number}"))
        await door.patch(f"{home_path}/nodes/{node}", json={"summary": f"Number {number}"})
    yield {
        f"{home_path}/nodes/{node}/children": "node_id",
        f"{home_path}/nodes/{node}/metadata": "record_id",
        f"{home_path}/nodes/{node}/history": "delta_id",
        f"{home_path}/nodes/{nodes[0]}/audience": "subject_id",
        f"{home_path}/anchors?name=Same": "node_id",
        f"{home_path}/edges": "edge_id",
        f"{home_path}/grants": "grant_id",
        f"{home_path}/access-log": "entry_id",
        f"{home_path}/assignments": "entry_id",
        f"{home_path}/events": "event_id",
        f"{home_path}/documents": "document_id",
        f"{home_path}/resources": "resource_id",
        f"{home_path}/ingests": "session_id",
        f"{home_path}/difference?from=2001-01-01T00:00:00Z&to=2099-01-01T00:00:00Z": "subject_id",
        "/v1/jobs": "name",
    }


def entries(answer: httpx.Response) -> list[dict[str, Any]]:
    """What a list holds, also where it stands in an object."""
    body = answer.json()
    return body if isinstance(body, list) else body.get("records", body.get("differences"))


async def test_commits_are_read_page_by_page_while_they_are_settled(
    engine: Engine, door: httpx.AsyncClient, user: User, home_path: str
) -> None:
    """The last commit of a page may be gone when the next page is asked for."""
    ids = [uuid4() for _ in range(5)]
    async with engine.postgres.as_service() as connection:
        for number, one in enumerate(ids):
            await connection.execute(
                "INSERT INTO engine.outbox (commit_id, user_id, kind, payload, state, created_at, attempts)"
                " VALUES (%s, %s, 'edge_revised', '{\"revision\": {\"edge_type\": \"near\"}}', 'set_aside', now() - interval '9 days' + %s * interval '1 s', 9)",
                [one, user.user_id, number],
            )
    try:
        for path in (f"{home_path}/commits", "/v1/commits"):
            plain = await door.get(path, params={"after": str(ids[0]), "limit": 2})
            assert [one["commit_id"] for one in plain.json()] == [str(one) for one in ids[1:3]], path
        first = await door.get(f"{home_path}/commits?limit=2")
        assert [one["commit_id"] for one in first.json()] == [str(one) for one in ids[:2]]
        async with engine.postgres.as_service() as connection:
            await connection.execute("UPDATE engine.outbox SET state = 'discarded' WHERE commit_id = %s", [ids[1]])
            await connection.execute("DELETE FROM engine.outbox WHERE commit_id = %s", [ids[1]])
        seen, url = [], first.links["next"]["url"]
        while url:
            answer = await door.get(url)
            seen += [one["commit_id"] for one in answer.json()]
            url = answer.links.get("next", {}).get("url", "")
        assert seen == [str(one) for one in ids[2:]]
        refused = await door.get(f"{home_path}/commits", params={"cursor": encoded(["x"] * 9)})
        assert refused.status_code == 422
    finally:
        async with engine.postgres.as_service() as connection:
            await connection.execute("DELETE FROM engine.outbox WHERE commit_id = ANY (%s)", [ids])


@pytest.mark.ledger("U02")
async def test_every_list_is_read_page_by_page(door: httpx.AsyncClient, lists: dict[str, str]) -> None:
    for path, key in lists.items():
        whole = [one[key] for one in entries(await door.get(path))]
        assert len(whole) >= 2, path
        seen, url = [], f"{path}{'&' if '?' in path else '?'}limit=2"
        while url:
            answer = await door.get(url)
            page = [one[key] for one in entries(answer)]
            assert answer.status_code == 200 and len(page) <= 2, path
            seen += page
            url = answer.links.get("next", {}).get("url", "")
            assert bool(url) == ("next-cursor" in answer.headers), path
        assert seen == whole, path
    for path in lists:
        for cursor in ("bm9uZQ", encoded(["x"] * 9), encoded(["\x00"]), encoded([2**63])):
            refused = await door.get(path, params={"cursor": cursor, **dict(httpx.URL(path).params)})
            assert refused.status_code == 422 and refused.json()["type"].endswith("invalid-input"), (path, cursor)
