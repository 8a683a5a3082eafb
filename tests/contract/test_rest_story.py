"""A whole life of a memory over REST alone."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest

from engine.domain.node import User

WEDDING = {
    "id": "wedding",
    "title": "The wedding",
    "started_at": "2026-05-01T18:30:00+02:00",
    "turns": [
        {"speaker": "Bob", "text": "Dave married my sister Ellen in May.", "id": "t1"},
        {"speaker": "Assistant", "text": "Congratulations! Where was the party?", "at": "2026-05-01T16:31:00"},
        {"speaker": "Bob", "text": "At the boathouse on Loon Lake, with forty guests and a walleye dinner."},
    ],
}


async def made(door: httpx.AsyncClient, path: str, body: dict[str, Any], status: int = 201) -> dict[str, Any]:
    response = await door.post(path, json=body)
    assert response.status_code == status, response.text
    return response.json()


@pytest.mark.ledger("U02", "N02", "N32", "N35", "F14")
async def test_a_memory_is_made_filled_asked_and_opened_over_rest(door: httpx.AsyncClient) -> None:
    handle = f"Zoë/{uuid4().hex[:8]}"
    bob = await made(door, "/v1/users", {"handle": handle, "display_name": "Bob"})
    assert bob["handle"] == handle
    assert await made(door, "/v1/users", {"handle": handle}, 200) == bob | {"created": False}
    assert (await door.get(f"/v1/users/by-handle/{handle.replace('/', '%2F')}")).json() == bob | {"created": False}
    home = f"/v1/users/{bob['user_id']}"

    family = await made(door, f"{home}/nodes", {"name": "Family", "keywords": ["sister", "wedding"]})
    again = await made(door, f"{home}/nodes", {"name": "Family"}, 200)
    assert again == family | {"created": False}
    dave = await made(door, f"{home}/nodes", {"parent_id": family["node_id"], "name": "Dave", "node_type": "persona"})
    fishing = await made(door, f"{home}/nodes", {"name": "Fishing", "summary": "Walleye on Loon Lake."})
    other_dave = await made(door, f"{home}/nodes", {"parent_id": fishing["node_id"], "name": "Dave"})

    edge = {"source_id": dave["node_id"], "target_id": other_dave["node_id"], "edge_type": "same_person"}
    first = await made(door, f"{home}/edges", edge)
    assert await made(door, f"{home}/edges", edge, 200) == first | {"created": False}
    edges = (await door.get(f"{home}/edges")).json()
    assert [(line["source_name"], line["edge_type"]) for line in edges] == [("Dave", "same_person")]

    anchors = (await door.get(f"{home}/anchors", params={"name": "dave"})).json()
    assert {tuple(anchor["path"]) for anchor in anchors} == {("Bob", "Family", "Dave"), ("Bob", "Fishing", "Dave")}
    children = (await door.get(f"{home}/nodes/{bob['user_id']}/children")).json()
    assert {child["name"] for child in children} == {"Family", "Fishing"}

    report = await made(door, f"{home}/records", {"conversation": WEDDING, "node_id": family["node_id"]})
    assert (report["turns"], report["skipped"], len(report["records"])) == (3, [], 1)
    repeated = await made(door, f"{home}/records", {"conversation": WEDDING, "node_id": family["node_id"]}, 200)
    assert repeated["records"] == [] and repeated["skipped"][0]["reason"] == "Stored already."
    grown = WEDDING | {"turns": [*WEDDING["turns"], {"speaker": "Bob", "text": "The cake had a pike on it."}]}
    assert (await made(door, f"{home}/records", {"conversation": grown}))["turns"] == 1

    await found_and_opened(door, home, family["node_id"])


async def found_and_opened(door: httpx.AsyncClient, home: str, family: str) -> None:
    answer = await door.post(f"{home}/search", json={"query": "Who married Ellen?", "limit": 3})
    assert answer.status_code == 200, answer.text
    hit = answer.json()["hits"][0]
    assert "Dave married my sister Ellen" in hit["content"]
    assert hit["path"] == ["Bob", "Family"] and hit["why"]
    assert answer.json()["timings_ms"]["total"] > 0

    touched = await door.post(f"{home}/nodes/{hit['node_id']}/touch", json={"ids": [hit["item_id"]]})
    assert touched.status_code == 202, touched.text

    page = (await door.get(f"{home}/nodes/{family}/metadata", params={"limit": 1})).json()
    record = next(record for record in page["records"] if record["record_id"])
    shell = (await door.get(f"{home}/nodes/{family}")).json()
    assert record["record_id"] in {entry["record_id"] for entry in shell["manifest"]}

    file = await door.get(f"{home}/nodes/{hit['node_id']}/files/{hit['file_id']}")
    assert file.status_code == 200
    assert "Dave married my sister Ellen" in file.text
    assert file.headers["content-type"].startswith("text/plain")
    assert int(file.headers["content-length"]) == len(file.content)
    assert file.headers["content-disposition"].startswith("attachment; ")
    assert file.headers["content-security-policy"].startswith("default-src 'none'")


async def test_metadata_comes_in_pages_newest_first(door: httpx.AsyncClient, home_path: str, user: User) -> None:
    for number in range(5):
        text = {"title": f"Note {number}", "text": f"Note number {number}.", "node_id": str(user.user_id)}
        await made(door, f"{home_path}/records", text)
    titles, cursor = [], None
    while True:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await door.get(f"{home_path}/nodes/{user.user_id}/metadata", params=query)).json()
        titles += [record["title"] for record in page["records"]]
        if not (cursor := page["cursor"]):
            break
    assert titles == [f"Note {number}" for number in (4, 3, 2, 1, 0)]


async def test_users_come_in_pages_by_handle(door: httpx.AsyncClient) -> None:
    prefix = f"page{uuid4().hex[:8]}"
    for number in range(3):
        await made(door, "/v1/users", {"handle": f"{prefix}-{number}"})
    first = (await door.get("/v1/users", params={"after": prefix, "limit": 2})).json()
    assert [user["handle"] for user in first] == [f"{prefix}-0", f"{prefix}-1"]
    second = (await door.get("/v1/users", params={"after": first[-1]["handle"], "limit": 1})).json()
    assert second[0]["handle"] == f"{prefix}-2"


@pytest.mark.ledger("X03")
async def test_reads_take_two_clocks(door: httpx.AsyncClient, home_path: str, user: User) -> None:
    await made(door, f"{home_path}/nodes", {"name": "Lake"})
    before = {"known_at": "2020-01-01T00:00:00"}
    assert (await door.get(f"{home_path}/anchors", params={"name": "Lake"})).json()
    assert (await door.get(f"{home_path}/anchors", params=before | {"name": "Lake"})).json() == []
    assert (await door.get(f"{home_path}/nodes/{user.user_id}", params=before)).status_code == 404
    await made(door, f"{home_path}/records", {"text": "The lake froze in January.", "title": "Ice"})
    now = await door.post(f"{home_path}/search", json={"query": "When did the lake freeze?"})
    then = await door.post(f"{home_path}/search", json={"query": "When did the lake freeze?"} | before)
    assert now.json()["hits"] and not then.json()["hits"]


@pytest.mark.ledger("L05")
async def test_scopes_and_sources_over_rest(door: httpx.AsyncClient, home_path: str, user: User) -> None:
    place = {"node_id": str(user.user_id)}
    await made(door, f"{home_path}/records", place | {"text": "The walleye of everybody.", "title": "All"})
    thread = {"scope": "thread", "scope_id": "t 1", "source": "manual"}
    await made(door, f"{home_path}/records", place | thread | {"text": "The walleye of the thread.", "title": "T"})
    workflow = {"scope": "workflow", "scope_id": "t 1"}
    await made(door, f"{home_path}/records", place | workflow | {"conversation": WEDDING})

    async def titles(**more: object) -> list[tuple[str, str, str | None, str]]:
        answer = await door.post(f"{home_path}/search", json={"query": "walleye", "widen": "always"} | more)
        assert answer.status_code == 200, answer.text
        hits = answer.json()["hits"]
        return sorted({(hit["record_title"], hit["scope"], hit["scope_id"], hit["source"]) for hit in hits})

    everywhere = ("All", "user", None, "ingested")
    inside = ("T", "thread", "t 1", "manual")
    assert await titles() == [everywhere]
    assert await titles(scopes=[{"scope": "thread", "id": "t 1"}]) == [everywhere, inside]
    assert await titles(scopes=[{"scope": "thread", "id": "t 1"}], sources=["manual"]) == [inside]
    assert ("The wedding", "workflow", "t 1", "ingested") in await titles(scopes=[{"scope": "workflow", "id": "t 1"}])
    page = (await door.get(f"{home_path}/nodes/{user.user_id}/metadata")).json()
    assert {(one["title"], one["scope"], one["scope_id"], one["source"]) for one in page["records"]} == {
        everywhere, inside, ("The wedding", "workflow", "t 1", "ingested"),
    }  # fmt: skip


@pytest.mark.ledger("L05")
@pytest.mark.parametrize(
    "body",
    [
        {"scope": "thread"}, {"scope_id": "t"}, {"scope": "user", "scope_id": "t"}, {"scope": "team", "scope_id": "t"},
        {"scope": "thread", "scope_id": ""}, {"scope": "thread", "scope_id": "x" * 201}, {"source": "guessed"},
    ],
)  # fmt: skip
async def test_a_scope_that_is_none_is_refused_over_rest(
    door: httpx.AsyncClient, home_path: str, body: dict[str, str]
) -> None:
    response = await door.post(f"{home_path}/records", json={"text": "Walleye."} | body)
    assert response.status_code == 422, response.text


@pytest.mark.ledger("U02")
async def test_health_tells_of_every_store(door: httpx.AsyncClient) -> None:
    assert (await door.get("/v1/health/live")).json() == {"alive": True}
    ready = (await door.get("/v1/health/ready")).json()
    assert ready["ready"]
    assert {store["store"] for store in ready["stores"]} == {"postgres", "neo4j", "objects"}
