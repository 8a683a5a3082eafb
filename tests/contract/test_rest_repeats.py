"""Writes sent twice under one key."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from engine.domain.node import User


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
    other = await engine.create_user(f"{user.handle}-2")
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
    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    page = (await door.get(f"{home_path}/nodes/{user.user_id}/metadata")).json()
    assert len(page["records"]) == 1


@pytest.mark.parametrize("key", ["", "k" * 201, "with space", "ümlaut"])
async def test_a_key_is_1_to_200_visible_ascii_characters(door: httpx.AsyncClient, home_path: str, key: str) -> None:
    headers = {"Idempotency-Key": key.encode("latin-1")}
    response = await door.post(f"{home_path}/nodes", json={"name": "A"}, headers=headers)
    assert response.status_code == 422
    assert response.json()["errors"][0]["location"] == "header.Idempotency-Key"
