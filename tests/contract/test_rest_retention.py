"""Retention, expiries and legal holds over REST, in the shell and over MCP."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from engine.domain.node import User
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.commands import typed
from tests.contract.test_mcp import called, over_stdio, refused

LATER = (datetime.now(UTC) + timedelta(days=30)).replace(microsecond=0)
BEFORE = "2020-01-01T00:00:00Z"


@pytest.mark.ledger("I08")
async def test_rules_over_rest(door: httpx.AsyncClient, home_path: str) -> None:
    place = f"{home_path}/retention"
    rule = {"older_than_days": 90, "kind": "conversation", "note": "chatter"}
    answer = await door.post(place, json=rule)
    assert answer.status_code == 201, answer.text
    set_now = answer.json()
    assert {name: set_now[name] for name in rule} == rule
    assert [one["rule_id"] for one in (await door.get(place)).json()] == [set_now["rule_id"]]
    [shown] = (await door.get(f"{place}/preview")).json()["previews"]
    assert shown["rule"]["rule_id"] == set_now["rule_id"] and shown["records"] == 0
    for wrong in ({"older_than_days": 90}, {"older_than_days": 0.001, "tag": "a"}, rule | {"everything": "yes"}):
        assert (await door.post(place, json=wrong)).status_code == 422
    assert (await door.delete(f"{place}/{set_now['rule_id']}")).status_code == 200
    assert (await door.delete(f"{place}/{set_now['rule_id']}")).status_code == 404
    assert (await door.get(place)).json() == []


@pytest.mark.ledger("I08")
async def test_a_hold_refuses_a_forgetting_over_rest(door: httpx.AsyncClient, user: User, home_path: str) -> None:
    stored = {"text": "It ends in June.", "source_id": "lease"}
    assert (await door.post(f"{home_path}/records", json=stored)).status_code == 201
    body = {"user_id": str(user.user_id), "kind": "source", "subject": "lease", "reason": "Case 12"}
    assert (await door.post("/v1/holds", json=body | {"reason": " "})).status_code == 422
    answer = await door.post("/v1/holds", json=body)
    assert answer.status_code == 201, answer.text
    hold = answer.json()["hold_id"]
    asked = {"kind": "source", "subject": "lease"}
    answer = await door.post(f"{home_path}/forgettings", json=asked)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:neurigraph:problem:conflict")
    assert "legal hold" in answer.json()["detail"]
    released = await door.post(f"/v1/holds/{hold}/release", json={"reason": "closed"})
    assert released.status_code == 200 and released.json()["subject"] == ""
    assert (await door.post(f"{home_path}/forgettings", json=asked)).status_code == 202


@pytest.mark.ledger("I08")
async def test_an_expiry_is_taken_and_shown_by_each_door(
    door: httpx.AsyncClient, engine: Engine, user: User, memory: Memory, home_path: str, tmp_path: Path
) -> None:
    at = LATER.isoformat()
    body = {"title": "REST", "text": "It ends in June."}
    assert (await door.post(f"{home_path}/records", json=body | {"expires_at": at})).status_code == 201
    assert (await door.post(f"{home_path}/records", json=body | {"expires_at": BEFORE})).status_code == 422
    async with over_stdio(engine, "--user", user.handle) as session:
        await called(session, "add_memory", text="It ends in July.", title="MCP", expires_at=at)
        assert "past" in await refused(session, "add_memory", text="It ends in May.", expires_at=BEFORE)
    write = ("record", "write", "Shell", "--expires")
    done = await typed(engine, tmp_path, user.handle, *write, at, stdin="It ends in August.")
    assert done.returncode == 0, done.stderr
    done = await typed(engine, tmp_path, user.handle, *write, "2020-01-01", stdin="It ends in April.")
    assert done.returncode == 1 and "past" in done.stderr
    shown = {one.title: one.expires_at for node in await memory.nodes.writable()
             for one in (await memory.nodes.metadata(node.node_id)).records}  # fmt: skip
    assert shown == dict.fromkeys(("REST", "MCP", "Shell"), LATER)


@pytest.mark.ledger("I08")
async def test_rules_and_holds_in_the_shell(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    async def run(*arguments: str, code: int = 0) -> str:
        done = await typed(engine, tmp_path, user.handle, *arguments)
        assert done.returncode == code, (done.stdout, done.stderr)
        return done.stdout + done.stderr

    rule = ("retention", "set", "--older-than", "90d", "--kind", "conversation")
    assert "This rule: 0 records of 0" in await run(*rule, "--dry-run")
    assert json.loads(await run("retention", "list", "--json"))["rules"] == []
    made = json.loads(await run(*rule, "--json"))
    assert "conversation" in await run("retention", "list")
    assert "everything" in await run("retention", "set", "--older-than", "90d", code=1)
    assert "Removed" in await run("retention", "remove", made["rule_id"])
    hold = json.loads(await run("hold", "set", "user", "--reason", "Case 12", "--json"))
    await memory.records.remember_text("Lease", "It ends in June.", source_id="lease")
    assert "legal hold" in await run("forget", "source", "lease", "--yes", code=1)
    done = await typed(engine, tmp_path, None, "hold", "release", hold["hold_id"], "--reason", "closed")
    assert done.returncode == 0 and "Released" in done.stdout, done.stderr
