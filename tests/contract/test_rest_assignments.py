"""Where records lie and why, over REST, and moving them."""

from __future__ import annotations

from uuid import uuid4

import httpx
import pytest

from tests.contract.conftest import House, OpenDoor


@pytest.mark.ledger("N07", "N32")
async def test_decisions_are_listed_and_a_record_is_moved(door: httpx.AsyncClient, home_path: str) -> None:
    names = [f"{name} {uuid4().hex[:6]}" for name in ("Shed", "Yard")]
    shed, yard = [(await door.post(f"{home_path}/nodes", json={"name": name})).json()["node_id"] for name in names]
    stored = (await door.post(f"{home_path}/records", json={"text": "The saw is blunt.", "node_id": shed})).json()
    record = stored["records"][0]["record_id"]
    assert stored["records"][0]["confidence"] == 1 and stored["records"][0]["node_created"] is False
    [line] = (await door.get(f"{home_path}/assignments", params={"record_id": record})).json()
    assert (line["node_id"], line["decided_by"], line["moved_from"]) == (shed, "hand", None)
    move, key = f"{home_path}/nodes/{shed}/records/{record}/move", {"Idempotency-Key": uuid4().hex}
    moved = await door.post(move, json={"to_node_id": yard, "reason": "outside"}, headers=key)
    assert (moved.status_code, moved.json()["revision"], moved.json()["moved_from"]) == (201, 2, shed), moved.text
    again = await door.post(move, json={"to_node_id": yard, "reason": "outside"}, headers=key)
    assert again.json() == moved.json() and again.headers["idempotency-replayed"] == "true"
    assert (await door.post(move, json={"to_node_id": yard})).status_code == 404  # it lies there no more
    lines = (await door.get(f"{home_path}/assignments", params={"record_id": record})).json()
    assert [one["node_id"] for one in lines] == [yard, shed] and lines[0]["reasons"]["reason"] == "outside"
    assert [
        one["record_id"] for one in (await door.get(f"{home_path}/assignments", params={"node_id": yard})).json()
    ] == [record]
    there = (await door.get(f"{home_path}/nodes/{yard}/metadata")).json()["records"]
    assert [one["record_id"] for one in there] == [record]
    back = f"{home_path}/nodes/{yard}/records/{record}/move"
    assert (await door.post(back, json={"to_node_id": yard})).status_code == 422
    assert (await door.get(f"{home_path}/assignments", params={"below": 2})).status_code == 422


@pytest.mark.ledger("N31")
@pytest.mark.parametrize("kind", ["persona", "third_party", "administrator"])
async def test_decisions_are_the_users_alone(open_door: OpenDoor, house: House, kind: str) -> None:
    other = open_door(house.secrets[kind])
    assert (await other.get(f"/v1/users/{house.user.user_id}/assignments")).status_code == 404
