"""Documents, raw resources and events at the REST door."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import httpx
import pytest

from engine.domain.node import User

MISSING = "00000000-0000-4000-8000-000000000000"


async def stored(door: httpx.AsyncClient, home: str, user: User, text: str, **more: Any) -> dict[str, Any]:
    body = {"title": "Paper", "text": text, "source_id": "paper", "node_id": str(user.user_id)} | more
    response = await door.post(f"{home}/records", json=body)
    assert response.status_code in (200, 201), response.text
    return response.json() | {"status": response.status_code}


@pytest.mark.ledger("F02", "F03")
async def test_versions_are_made_listed_and_read(door: httpx.AsyncClient, home_path: str, user: User) -> None:
    old = "# Boat\n\nThe hull leaks.\n\n# Lease\n\nIt ends in May.\n"
    new = old.replace("May", "June")
    first = await stored(door, home_path, user, old)
    again = await stored(door, home_path, user, old)
    second = await stored(door, home_path, user, new)
    assert (first["status"], again["status"], second["status"]) == (201, 200, 201)
    change = second["documents"][0]
    assert (change["version"], change["kept"], change["added"], change["superseded"]) == (2, 1, 1, 1)
    listed = (await door.get(f"{home_path}/documents")).json()
    assert [(one["title"], one["version"], one["file_id"]) for one in listed] == [("Paper", 2, change["file_id"])]
    path = f"{home_path}/documents/{listed[0]['document_id']}/versions"
    versions = (await door.get(path)).json()
    assert [(one["version"], one["previous"]) for one in versions] == [(1, None), (2, 1)]
    assert [(await door.get(f"{path}/{number}/content")).text for number in (1, 2)] == [old, new]
    chunks = (await door.get(f"{path}/2/chunks")).json()
    assert [(one["index"], one["section"], one["content"]) for one in chunks] == [
        (0, "Boat", "The hull leaks."), (1, "Lease", "It ends in June."),
    ]  # fmt: skip
    before = (await door.get(f"{path}/1/chunks", params={"after": 0})).json()
    assert [(one["content"], one["superseded"]) for one in before] == [("It ends in May.", True)]
    assert all(one["token_count"] > 0 and len(one["content_hash"]) == 64 and one["keywords"] for one in chunks)
    assert (await door.get(f"{path}/3/content")).status_code == 404
    assert (await door.get(f"{path}/0/content")).status_code == 422
    assert (await door.get(f"{home_path}/documents/{MISSING}/versions")).status_code == 404
    then = {"query": "when does it end", "known_at": versions[0]["known_at"]}
    hits = (await door.post(f"{home_path}/search", json=then)).json()["hits"]
    assert "It ends in May." in [hit["content"] for hit in hits]
    assert {hit["file_id"] for hit in hits} == {versions[0]["file_id"]}


@pytest.mark.ledger("M01")
async def test_what_came_in_is_listed_and_read(door: httpx.AsyncClient, home_path: str, user: User) -> None:
    await stored(door, home_path, user, '{"ref": "main"}', content_type="webhook")
    await stored(door, home_path, user, "A note.", source_id="note")
    listed = (await door.get(f"{home_path}/resources")).json()
    assert [(one["content_type"], one["source_id"]) for one in listed] == [
        ("document", "text:note"), ("webhook", "text:paper"),
    ]  # fmt: skip
    content = await door.get(f"{home_path}/resources/{listed[1]['resource_id']}/content")
    assert content.content == b'{"ref": "main"}'
    last = f"{listed[0]['received_at']},{listed[0]['resource_id']}"
    page = await door.get(f"{home_path}/resources", params={"before": last})
    assert page.json() == listed[1:]
    assert (await door.get(f"{home_path}/resources", params={"content_type": "webhook"})).json() == listed[1:]
    assert (await door.get(f"{home_path}/resources/{MISSING}/content")).status_code == 404
    assert (await door.get(f"{home_path}/resources", params={"before": f"2025-13-01,{MISSING}"})).status_code == 422


@pytest.mark.ledger("A02")
async def test_events_are_written_once_and_read(door: httpx.AsyncClient, home_path: str) -> None:
    body = {"kind": "call", "content": "Dave called.", "emotion": "joy", "intensity": 0.7, "energy": 0.25,
            "occurred_at": "2025-03-01T18:00:00+01:00"}  # fmt: skip
    written = await door.post(f"{home_path}/events", json=body, headers={"Idempotency-Key": "e1"})
    again = await door.post(f"{home_path}/events", json=body, headers={"Idempotency-Key": "e1"})
    assert (written.status_code, again.json()) == (201, written.json())
    assert UUID(written.json()["event_id"])
    assert (await door.get(f"{home_path}/events")).json() == [written.json()]
    for wanted, count in (
        ({"from": "2025-03-01T17:00:00Z", "to": "2025-03-01T17:00:01Z"}, 1), ({"to": "2025-03-01T17:00:00Z"}, 0),
        ({"known_at": "2025-03-02"}, 0), ({"kind": "call"}, 1), ({"kind": "meeting"}, 0),
    ):  # fmt: skip
        assert len((await door.get(f"{home_path}/events", params=wanted)).json()) == count
    for wrong in ({"intensity": 1.5}, {"energy": -1}, {"emotion": None}, {"node_id": "x"}):
        assert (await door.post(f"{home_path}/events", json=body | wrong)).status_code == 422
    assert (await door.post(f"{home_path}/events", json=body | {"node_id": MISSING})).status_code == 404
    assert (await door.get(f"/v1/users/{MISSING}/events")).status_code == 404
