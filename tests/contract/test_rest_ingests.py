"""Ingests and failures over REST: many sources at once, sessions to read and to follow, failures to settle."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from engine.domain.history import History, HistoryFile
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.contract.conftest import House, OpenDoor


def sources() -> dict:
    turns = [{"speaker": "Bob", "text": f"Walleye number {turn}."} for turn in range(3)]
    conversations = [{"id": f"c{number}", "turns": turns} for number in range(3)]
    text = {"text": "The lease ends in June.", "title": "Lease", "source_id": "lease"}
    return {"conversations": conversations, "texts": [text]}


@pytest.mark.ledger("L04", "U02")
async def test_many_sources_in_one_session(door: httpx.AsyncClient, home_path: str) -> None:
    path, key = f"{home_path}/ingests", {"Idempotency-Key": f"k{uuid4().hex}"}
    made = await door.post(path, json=sources(), headers=key)
    assert made.status_code == 201
    report = made.json()
    assert (report["turns"], report["files"], len(report["records"])) == (9, 1, 4)
    assert (report["embeddings_pending"], report["left_out"], report["skipped"]) == (0, [], [])
    found = (await door.get(path, params={"key": key["Idempotency-Key"]})).json()
    assert [one["session_id"] for one in found] == [report["session_id"]]
    session = (await door.get(f"{path}/{report['session_id']}")).json()
    assert session == found[0] and (session["state"], session["sources_in"], session["records"]) == ("done", 4, 4)
    listed = (await door.get(f"{path}/{report['session_id']}/sources")).json()
    assert {(one["source_id"], one["outcome"]) for one in listed} == {
        ("c0", "stored"), ("c1", "stored"), ("c2", "stored"), ("text:lease", "stored")
    }  # fmt: skip
    assert {record for one in listed for record in one["records"]} == {one["record_id"] for one in report["records"]}
    again = await door.post(path, json=sources(), headers=key)
    assert again.json() == report and again.headers["Idempotency-Replayed"] == "true"
    assert (await door.post(path, json={})).status_code == 422


@pytest.mark.ledger("L04", "U02")
async def test_a_session_is_followed_as_events_until_it_ends(
    door: httpx.AsyncClient, memory: Memory, home_path: str
) -> None:
    path, key = f"{home_path}/ingests", f"k{uuid4().hex}"
    turns = [{"speaker": "Bob", "text": f"Walleye number {turn} of Loon Lake."} for turn in range(128)]
    body = {"conversations": [{"id": f"c{number}", "turns": turns} for number in range(4)]}
    writing = asyncio.create_task(door.post(path, json=body, headers={"Idempotency-Key": key}))
    deadline = time.monotonic() + 60
    while not (found := (await door.get(path, params={"key": key})).json()):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    followed = await door.get(f"{path}/{found[0]['session_id']}/events", params={"wait": 60})
    assert followed.headers["content-type"].startswith("text/event-stream")
    states = [json.loads(line[6:]) for line in followed.text.splitlines() if line.startswith("data: ")]
    assert states[-1]["state"] == "done" and states[-1]["turns"] == 4 * 128
    assert [one["turns"] for one in states] == sorted(one["turns"] for one in states)
    assert (await writing).status_code == 201


@pytest.mark.ledger("X08")
async def test_a_write_says_what_its_limits_left_out(door: httpx.AsyncClient, home_path: str) -> None:
    body = {"text": "The lease ends in June.", "limits": {"tokens": 1}}
    report = (await door.post(f"{home_path}/records", json=body)).json()
    assert report["embeddings_pending"] == 1
    assert report["left_out"] == [
        {"what": "embeddings", "items": 1, "reason": "This operation may give 1 tokens to models."}
    ]
    ran = await door.get("/v1/jobs/pending-embeddings")
    assert ran.status_code == 200 and ran.json()["schedule"]


@pytest.mark.ledger("N16", "U02")
async def test_failures_are_listed_replayed_and_dismissed(
    door: httpx.AsyncClient, memory: Memory, home_path: str, tmp_path: Path
) -> None:
    notes, path = tmp_path / "notes.txt", f"{home_path}/failures"
    notes.write_bytes(b"\xff")
    files = tuple(HistoryFile(name, notes, "text/plain") for name in ("one", "two"))
    await memory.ingests.history(History("bob", "Bob", (), files))
    two, one = sorted((await door.get(path, params={"state": "open"})).json(), key=lambda entry: entry["subject"])[::-1]
    assert (one["subject"], one["stage"], one["cause"]) == ("file:one", "read", "InvalidText")
    assert (await door.post(f"{path}/{one['failure_id']}/replay")).status_code == 422
    notes.write_text("The lease ends in June.")
    assert (await door.post(f"{path}/{one['failure_id']}/replay")).json()["state"] == "replayed"
    dismissed = await door.post(f"{path}/{two['failure_id']}/dismiss", params={"note": "Not needed."})
    assert (dismissed.json()["state"], dismissed.json()["note"]) == ("dismissed", "Not needed.")
    assert (await door.post(f"{path}/{two['failure_id']}/replay")).status_code == 409
    assert (await door.post(f"{path}/{uuid4()}/replay")).status_code == 404
    assert (await door.get(path, params={"state": "open"})).json() == [] and len((await door.get(path)).json()) == 2
    assert (await door.get("/v1/failures")).status_code == 200


async def test_sessions_and_failures_are_for_the_user_alone(open_door: OpenDoor, engine: Engine, house: House) -> None:
    for kind in ("persona", "third_party", "administrator"):
        client = open_door(house.secrets[kind])
        for path in ("ingests", "failures"):
            assert (await client.get(f"{house.home}/{path}")).status_code == 404, (kind, path)
        assert (await client.post(f"{house.home}/ingests", json=sources())).status_code == 404
        assert (await client.get("/v1/failures")).status_code == (200 if kind == "administrator" else 404)
    own = open_door(house.secrets["user"])
    assert (await own.get(f"{house.home}/ingests")).json()
