"""States of files at the REST door: waking, waiting, following, putting to sleep, the log and its reviews."""

from __future__ import annotations

import asyncio
import json
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.node import User
from engine.lifecycle.rehydrate import Rehydration
from engine.memory import Memory
from engine.neurigraph import Engine

TEXT = "The walleye rise at dusk. " * 50
MISSING = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
async def path(home_path: str, memory: Memory, user: User) -> str:
    """A file that sleeps."""
    report = await memory.records.remember_text("Dusk", TEXT, node_id=user.user_id)
    return f"{home_path}/nodes/{user.user_id}/files/{report.records[0].file_id}"


async def claimed(engine: Engine, memory: Memory, path: str) -> tuple[object, UUID]:
    """The file's restoration is under way, by a process that never ends it."""
    node, file = UUID(path.split("/")[-3]), UUID(path.split("/")[-1])
    found = await engine.parts[Rehydration]._located(memory.principal, node, file)
    claim = await engine.states.claim(memory.principal, found, by_hand=False, lost=None, waited=None)
    return found, claim.claim_id


def events_in(text: str) -> list[tuple[str, dict[str, object]]]:
    """Server-sent events: name and data."""
    parts = [dict(line.split(": ", 1) for line in part.split("\n")) for part in text.strip().split("\n\n")]
    return [(part["event"], json.loads(part["data"])) for part in parts]


@pytest.mark.ledger("N19", "N20", "N32", "U02")
async def test_a_file_is_woken_and_put_to_sleep(door: httpx.AsyncClient, path: str) -> None:
    fresh = (await door.get(f"{path}/state")).json()
    assert fresh == {
        "node_id": path.split("/")[-3], "file_id": path.split("/")[-1], "state": "dormant", "since": None, "due_at": None,
        "by_hand": False, "failure": None,
    }  # fmt: skip
    woken = await door.post(f"{path}/wake")
    assert (woken.status_code, woken.json()["state"], woken.json()["by_hand"]) == (200, "active", True)
    assert (await door.get(path)).text == TEXT
    asleep = await door.post(f"{path}/sleep")
    assert (asleep.status_code, asleep.json()["state"]) == (200, "dormant")
    assert (await door.post(f"{path}/sleep")).status_code == 200
    read = await door.get(path, params={"wait": 60})
    assert read.text == TEXT and (await door.get(f"{path}/state")).json()["due_at"]


@pytest.mark.ledger("N21", "U02")
async def test_a_file_that_is_being_restored_is_202_until_it_is_there(
    door: httpx.AsyncClient, engine: Engine, memory: Memory, path: str
) -> None:
    found, claim = await claimed(engine, memory, path)
    for answer in (await door.get(path, params={"wait": 0}), await door.post(f"{path}/wake", params={"wait": 0.05})):
        assert answer.status_code == 202 and int(answer.headers["retry-after"]) >= 1
        assert answer.json()["state"] == "rehydrating"
    refused = await door.post(f"{path}/sleep")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:neurigraph:problem:conflict")
    following = asyncio.create_task(door.get(f"{path}/events", params={"wait": 60}))
    waiting = asyncio.create_task(door.get(path, params={"wait": 60}))
    await asyncio.sleep(0)
    await engine.parts[Rehydration]._copied(found, claim)
    assert await engine.states.restored(found, claim)
    assert (await waiting).text == TEXT
    followed = await following
    assert followed.headers["content-type"].startswith("text/event-stream")
    assert [(name, data["state"]) for name, data in events_in(followed.text)][-1] == ("state", "active")


@pytest.mark.ledger("N21")
async def test_events_end_at_once_where_nothing_is_restored_and_after_the_wait(
    door: httpx.AsyncClient, engine: Engine, memory: Memory, path: str
) -> None:
    assert [data["state"] for _, data in events_in((await door.get(f"{path}/events")).text)] == ["dormant"]
    found, claim = await claimed(engine, memory, path)
    assert [data["state"] for _, data in events_in((await door.get(f"{path}/events?wait=0.2")).text)] == ["rehydrating"]
    following = asyncio.create_task(door.get(f"{path}/events?wait=60"))
    await engine.states.failed(found, claim, "The object is damaged.", review=True)
    last = events_in((await following).text)[-1][1]
    assert (last["state"], last["failure"]) == ("dormant", "The object is damaged.")


@pytest.mark.ledger("N20", "N22")
async def test_the_log_is_read_and_reviewed_by_its_user_alone(
    door: httpx.AsyncClient, engine: Engine, memory: Memory, path: str, home_path: str
) -> None:
    found, claim = await claimed(engine, memory, path)
    await engine.states.failed(found, claim, "The object is damaged.", review=True)
    log = (await door.get(f"{home_path}/file-log")).json()
    assert [(line["from_state"], line["to_state"], line["trigger"]) for line in log] == [
        ("rehydrating", "dormant", "error"), ("dormant", "rehydrating", "retrieval"),
    ]  # fmt: skip
    [wrong] = (await door.get(f"{home_path}/file-log", params={"to_review": True})).json()
    review = f"{home_path}/file-log/{wrong['entry_id']}/review"
    first = await door.post(review, json={"note": "Restored from the backup."})
    assert first.status_code == 200 and (await door.post(review, json={})).json() == first.json()
    assert (await door.get(f"{home_path}/file-log", params={"to_review": True})).json() == []
    newest = (await door.get(f"{home_path}/file-log", params={"limit": 1})).json()[0]
    assert (newest["trigger"], newest["reviews"], newest["detail"]) == (
        "review", wrong["entry_id"], "Restored from the backup.",
    )  # fmt: skip
    older = (await door.get(f"{home_path}/file-log", params={"before": newest["entry_id"], "limit": 1})).json()
    assert older[0]["reviewed_by"] == newest["entry_id"]
    stranger = f"/v1/users/{(await engine.workspace.users.create(f's{uuid4().hex[:12]}')).user_id}"
    for outsider in (stranger, f"/v1/users/{MISSING}"):
        answer = await door.post(f"{outsider}/file-log/{wrong['entry_id']}/review", json={})
        assert answer.status_code == 404
    assert (await door.get(f"{stranger}/file-log")).json() == []


@pytest.mark.ledger("N31")
async def test_states_of_files_of_others_look_as_if_there_were_none(
    door: httpx.AsyncClient, engine: Engine, path: str, home_path: str
) -> None:
    stranger = f"/v1/users/{(await engine.workspace.users.create(f's{uuid4().hex[:12]}')).user_id}"
    other = path.replace(home_path, stranger)
    missing = f"{path.rpartition('/')[0]}/{MISSING}"
    for method, end in (("GET", "/state"), ("GET", "/events"), ("POST", "/wake"), ("POST", "/sleep"), ("GET", "")):
        answers = [await door.request(method, f"{start}{end}") for start in (other, missing)]
        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.json()["detail"] for answer in answers}) == 1
