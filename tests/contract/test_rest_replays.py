"""Replays over REST: begun, built by the job, compared, swapped or discarded."""

from __future__ import annotations

from uuid import uuid4

import httpx
import pytest

from engine.neurigraph import Engine
from tests.contract.conftest import House, OpenDoor


@pytest.mark.ledger("X04")
async def test_a_replay_is_begun_built_by_the_job_and_swapped(
    door: httpx.AsyncClient, engine: Engine, home_path: str
) -> None:
    await door.post(f"{home_path}/records", json={"text": "The saw is blunt."})
    begun = await door.post(f"{home_path}/replays", json={})
    assert (begun.status_code, begun.json()["state"], begun.json()["total"]) == (202, "building", 1)
    one = f"{home_path}/replays/{begun.json()['replay_id']}"
    assert (await door.post(f"{one}/swap", json={})).status_code == 409
    async with engine.working(only="replay-build"):
        ran = await door.post("/v1/jobs/replay-build/run?wait=60", json={})
    assert ran.status_code == 200 and ran.json()["outcome"] == "succeeded", ran.text
    built = (await door.get(one)).json()
    assert (built["state"], built["counts"]["records"], built["counts"]["differing"]) == ("built", 1, 0)
    compared = await door.get(f"{one}/comparison")
    assert compared.json() == {"counts": built["counts"], "changed": 0}
    swapped = await door.post(f"{one}/swap", json={})
    assert (swapped.status_code, swapped.json()["state"]) == (200, "swapped"), swapped.text
    assert (await door.post(f"{one}/discard", json={})).status_code == 409
    second = (await door.post(f"{home_path}/replays", json={})).json()
    gone = await door.post(f"{home_path}/replays/{second['replay_id']}/discard", json={})
    assert gone.json()["state"] == "discarded" and gone.json()["ended_at"]
    page = (await door.get(f"{home_path}/replays", params={"limit": 1})).json()
    assert [line["replay_id"] for line in page] == [second["replay_id"]]
    rest = (await door.get(f"{home_path}/replays", params={"before": page[0]["replay_id"]})).json()
    assert [line["state"] for line in rest] == ["swapped"]
    assert (await door.get(f"{home_path}/replays/{uuid4()}")).status_code == 404


@pytest.mark.ledger("N31")
@pytest.mark.parametrize("kind", ["persona", "third_party", "administrator"])
async def test_replays_are_the_users_alone(open_door: OpenDoor, house: House, kind: str) -> None:
    other = open_door(house.secrets[kind])
    assert (await other.get(f"/v1/users/{house.user.user_id}/replays")).status_code == 404
    assert (await other.post(f"/v1/users/{house.user.user_id}/replays", json={})).status_code == 404
