"""The whole story over REST, and every kind of refusal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from api.app import create_app
from engine.errors import SettingsError
from engine.neurigraph import Engine

TURNS = [
    {"speaker": "Bob", "text": "Dave married my sister Ellen in 2003.", "at": "2025-03-01T18:00:00-06:00", "id": "t1"},
    {"speaker": "Iris", "text": "Is he the one with the boat?"},
    {"speaker": "Bob", "text": "Yes, the boat on Loon Lake is his."},
]
PROBLEM = "application/problem+json"


@pytest.fixture
async def client(engine: Engine) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(create_app(engine=engine), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as opened:
        yield opened


@pytest.fixture
async def bob(client: httpx.AsyncClient) -> str:
    created = await client.post("/v1/users", json={"handle": f"r{uuid4().hex[:12]}", "display_name": "Bob"})
    assert created.status_code == 201
    return created.json()["user_id"]


def assert_problem(response: httpx.Response, status: int) -> dict:
    assert (response.status_code, response.headers["content-type"]) == (status, PROBLEM)
    body = response.json()
    assert body["status"] == status and body["title"] and body["detail"] and body["type"].startswith("urn:")
    return body


@pytest.mark.ledger("N32", "U02")
async def test_from_a_user_to_an_opened_file(client: httpx.AsyncClient, bob: str) -> None:
    base = f"/v1/users/{bob}"
    family = (await client.post(f"{base}/nodes", json={"name": "Family", "keywords": ["sister"]})).json()
    dave = await client.post(f"{base}/nodes", json={"name": "Dave", "parent_id": family["node_id"], "node_type": "persona"})
    again = await client.post(f"{base}/nodes", json={"name": "dave", "parent_id": family["node_id"], "node_type": "persona"})
    assert (dave.status_code, again.status_code, again.json()["node_id"]) == (201, 200, dave.json()["node_id"])
    node = dave.json()["node_id"]
    written = await client.post(f"{base}/records", json={"conversation": {"id": "c1", "turns": TURNS}, "node_id": node})
    assert (written.status_code, written.json()["turns"]) == (201, 3)
    record = written.json()["records"][0]
    assert (await client.post(f"{base}/records", json={"conversation": {"id": "c1", "turns": TURNS}})).status_code == 200
    answer = (await client.post(f"{base}/search", json={"query": "Who has a boat?", "limit": 3})).json()
    assert answer["hits"][0]["content"] == TURNS[2]["text"] and answer["hits"][0]["path"] == ["Bob", "Family", "Dave"]
    shell = (await client.get(f"{base}/nodes/{node}")).json()
    assert (shell["state"], shell["records"], shell["manifest"][0]["record_id"]) == ("dormant", 1, record["record_id"])
    metadata = (await client.get(f"{base}/nodes/{node}/metadata")).json()["records"][0]
    assert metadata["compression_state"] == "dormant"
    file = await client.get(f"{base}/nodes/{node}/files/{record['file_id']}")
    assert file.status_code == 200 and TURNS[0]["text"] in file.text
    assert int(file.headers["content-length"]) == metadata["size_bytes"] == len(file.content)
    assert "filename*=UTF-8''" in file.headers["content-disposition"]
    children = (await client.get(f"{base}/nodes/{family['node_id']}/children")).json()
    assert [child["state"] for child in children] == ["active"]
    assert [a["path"] for a in (await client.get(f"{base}/anchors", params={"name": "DAVE"})).json()] == [["Bob", "Family", "Dave"]]
    edge = await client.post(f"{base}/edges", json={"source_id": node, "target_id": bob, "edge_type": "brother_in_law"})
    assert edge.status_code == 201
    assert [e["edge_type"] for e in (await client.get(f"{base}/edges")).json()] == ["brother_in_law"]
    past = await client.get(f"{base}/nodes/{node}", params={"known_at": "2020-01-01T00:00:00"})
    assert_problem(past, 404)


@pytest.mark.ledger("U02")
async def test_a_repeated_key_gives_the_same_answer_and_another_request_under_it_is_refused(
    client: httpx.AsyncClient, bob: str
) -> None:
    headers = {"Idempotency-Key": str(uuid4())}
    body = {"text": "The walleye of Loon Lake.", "title": "Note"}
    first = await client.post(f"/v1/users/{bob}/records", json=body, headers=headers)
    second = await client.post(f"/v1/users/{bob}/records", json=body, headers=headers)
    assert (first.status_code, second.status_code, first.json()) == (201, 201, second.json())
    assert "Idempotency-Replayed" not in first.headers and second.headers["Idempotency-Replayed"] == "true"
    other = await client.post(f"/v1/users/{bob}/records", json=body | {"title": "Other"}, headers=headers)
    assert "idempotency" in assert_problem(other, 422)["type"]
    shell = (await client.get(f"/v1/users/{bob}/nodes/{bob}")).json()
    assert shell["records"] == 1


async def test_sixteen_at_once_under_one_key_store_once(client: httpx.AsyncClient, bob: str) -> None:
    body = {"conversation": {"id": "c", "turns": TURNS}}
    answers = await asyncio.gather(
        *(client.post(f"/v1/users/{bob}/records", json=body, headers={"Idempotency-Key": "same"}) for _ in range(16))
    )
    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    assert (await client.get(f"/v1/users/{bob}/nodes/{bob}")).json()["items"] == 3


@pytest.mark.parametrize(
    ("content", "media_type", "status", "says"),
    [
        (b'{"handle": "x",\n  oops}', "application/json", 400, "line 2, column 3"),
        (b'{"handle": "\xff"}', "application/json", 400, "UTF-8"),
        (b'{"handle": "a\\u0000b"}', "application/json", 422, "NUL"),
        (b'{"handle": "a\\ud800"}', "application/json", 422, "surrogate"),
        (b'{"handle": 7}', "application/json", 422, "handle"),
        (b'{"handle": "x", "misspelt": 1}', "application/json", 422, "misspelt"),
        (b"handle=x", "application/x-www-form-urlencoded", 415, "JSON"),
        (b"", "application/json", 400, "JSON"),
        (b'{"handle": ""}', "application/json", 422, "handle"),
        (b'{"handle": "' + b"x" * 300 + b'"}', "application/json", 422, "200"),
    ],
)
async def test_bad_bodies(client: httpx.AsyncClient, content: bytes, media_type: str, status: int, says: str) -> None:
    response = await client.post("/v1/users", content=content, headers={"Content-Type": media_type})
    assert says.lower() in str(assert_problem(response, status)).lower()


async def test_unknown_things_are_problems(client: httpx.AsyncClient, engine: Engine, bob: str) -> None:
    stranger = (await engine.create_user(f"s{uuid4().hex[:12]}")).user_id
    told = set()
    for node in (uuid4(), stranger):
        for path in ("", "/children", "/metadata", f"/files/{uuid4()}"):
            body = assert_problem(await client.get(f"/v1/users/{bob}/nodes/{node}{path}"), 404)
            told.add((body["title"], body["detail"]))
        assert_problem(await client.post(f"/v1/users/{bob}/nodes", json={"name": "x", "parent_id": str(node)}), 404)
    assert len(told) == 1  # missing and foreign look the same
    assert_problem(await client.get("/v1/users/by-handle/nobody"), 404)
    assert_problem(await client.get("/v1/nothing"), 404)
    assert_problem(await client.get(f"/v1/users/{bob}/nodes/not-an-id"), 422)
    assert_problem(await client.get(f"/v1/users/{bob}/nodes/{bob}/metadata", params={"cursor": "zzz"}), 422)
    refused = await client.delete("/v1/users")
    assert_problem(refused, 405)
    assert refused.headers["allow"] == "GET, POST"
    assert_problem(await client.post(f"/v1/users/{bob}/records", json={}), 422)
    assert_problem(await client.post(f"/v1/users/{uuid4()}/records", json={"text": "x"}), 404)


async def test_too_deep_a_node_is_refused(client: httpx.AsyncClient, engine: Engine, bob: str) -> None:
    parent = bob
    for layer in range(5):
        parent = (await client.post(f"/v1/users/{bob}/nodes", json={"name": str(layer), "parent_id": parent})).json()["node_id"]
    body = assert_problem(await client.post(f"/v1/users/{bob}/nodes", json={"name": "6", "parent_id": parent}), 422)
    assert "depth" in body["type"]


async def test_too_large_a_body_is_refused_whether_announced_or_not(engine: Engine, bob: str) -> None:
    small = create_app(engine.settings.model_copy(update={"max_text_bytes": 2000}), engine=engine)

    async def stream() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b" " * 500

    async with httpx.AsyncClient(transport=httpx.ASGITransport(small), base_url="http://localhost") as client:
        headers = {"Content-Type": "application/json"}
        assert_problem(await client.post(f"/v1/users/{bob}/records", content=b" " * 5000, headers=headers), 413)
        assert_problem(await client.post(f"/v1/users/{bob}/records", content=stream(), headers=headers), 413)


async def test_a_configured_token_is_asked_for_and_a_network_door_needs_one(engine: Engine) -> None:
    locked = engine.settings.model_copy(update={"api_token": SecretStr("open sesame"), "host": "0.0.0.0"})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(locked, engine=engine)), base_url="http://memory.example") as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic open sesame"}):
            assert "WWW-Authenticate" in (response := await client.get("/v1/users", headers=headers)).headers
            assert_problem(response, 401)
        assert (await client.get("/v1/users", headers={"Authorization": "Bearer open sesame"})).status_code == 200
        assert (await client.get("/v1/health/live")).status_code == 200
    with pytest.raises(SettingsError):
        create_app(engine.settings.model_copy(update={"host": "0.0.0.0"}))
    remote = httpx.ASGITransport(create_app(engine=engine), client=("203.0.113.9", 1))
    async with httpx.AsyncClient(transport=remote, base_url="http://localhost") as client:
        assert_problem(await client.get("/v1/users"), 403)


async def test_health_and_headers(client: httpx.AsyncClient) -> None:
    ready = await client.get("/v1/health/ready")
    assert (ready.status_code, ready.json()["ready"], len(ready.json()["stores"])) == (200, True, 3)
    assert ready.headers["x-content-type-options"] == "nosniff" and ready.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in (await client.get("/v1/users", headers={"Origin": "http://evil.example"})).headers
