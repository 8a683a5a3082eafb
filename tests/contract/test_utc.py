"""Times are shown in UTC at all doors, whatever the time zone of the machine and of the speaker."""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import httpx
import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.clean_environment import CLEAN
from tests.contract.test_mcp import called, over_stdio
from tests.processes import run_module

WISCONSIN = timezone(timedelta(hours=-6))
EVENING = datetime(2024, 3, 9, 19, 10, tzinfo=WISCONSIN)
"""In UTC the next day."""
DAY, TIME = "2024-03-10", "2024-03-10T01:10:00"


@pytest.fixture(params=["America/Los_Angeles", "Pacific/Auckland"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The time zone of the machine."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.ledger("U02", "U04", "U05")
async def test_a_day_is_the_same_at_all_doors(
    engine: Engine, user: User, memory: Memory, door: httpx.AsyncClient, zone: str, tmp_path: Path
) -> None:
    said = "Ellen Harlan owned Birch Street until she sold Birch Street. Ellen Harlan sold Birch Street."
    turns = (Turn("Bob", "Ellen Harlan owns Birch Street.", EVENING - timedelta(days=9)), Turn("Bob", said, EVENING))
    for number, turn in enumerate(turns):
        talk = Conversation(f"c{number}", (turn,), "Sold", turn.at)
        await memory.records.remember(talk, node_id=user.user_id)
    home = f"/v1/users/{user.user_id}"

    def printed(*arguments: str) -> str:
        place = ("--home", str(engine.settings.home), "--cache", str(engine.settings.cache))
        env = CLEAN | {"NEURIGRAPH_WORKSPACE": "tests", "TZ": zone}
        done = run_module("engine.cli", *place, *arguments, "--user", user.handle, folder=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    [ellen] = (await door.get(f"{home}/entities", params={"name": "Ellen"})).json()
    entity = f"{home}/entities/{ellen['entity_id']}"
    rest = (await door.get(entity)).json()
    assert {one["at"] for one in rest["latest"]} >= {f"{TIME}Z"}
    [relation] = (await door.get(f"{entity}/relations", params={"ended": True})).json()
    assert relation["until"] == DAY
    [fact] = (await door.get(f"{entity}/facts", params={"ended": True})).json()
    assert fact["valid_to"] == f"{DAY}T00:00:00Z"
    why = (await door.get(f"{home}/relations/{relation['relation_id']}/why")).json()
    assert f"{TIME}Z" in {one["at"] for one in why["evidence"]}
    hits = (await door.post(f"{home}/search", json={"query": "Birch Street sold"})).json()["hits"]
    assert f"{TIME}Z" in {hit["occurred_at"] for hit in hits}

    assert DAY in printed("entity", "relations", "Ellen Harlan", "--ended")
    for command in (["entity", "why", relation["relation_id"]], ["entity", "show", "Ellen Harlan"], ["entity", "list"]):
        shown = printed(*command)
        assert DAY in shown and "2024-03-09" not in shown, (command, shown)
    shown = json.loads(printed("entity", "why", relation["relation_id"], "--json"))
    assert f"{TIME}+00:00" in {one["at"] for one in shown["evidence"]}
    assert "2024-03-09" not in printed("ask", "Who sold Birch Street?")
    assert "2024-03-09" not in printed("entity", "profile", "Ellen Harlan")
    between = ("--param", "entity=Ellen Harlan", "--param", "other=Birch Street")
    assert DAY in printed("cypher", "ended_relations") and DAY in printed("cypher", "why", *between)

    async with over_stdio(engine, "--user", user.handle, TZ=zone) as session:
        one = await called(session, "get_entity", entity_id=ellen["entity_id"], ended=True)
        assert [one["until"] for one in one["relations"]] == [DAY]
        assert [fact["valid_to"] for fact in one["facts"]] == [f"{DAY}T00:00:00Z"]
        assert (await called(session, "get_entity", entity_id=ellen["entity_id"]))["ended_left_out"] == 2
        explained = await called(session, "explain", relation_id=relation["relation_id"])
        assert f"{TIME}Z" in {one["at"] for one in explained["evidence"]}
        found = await called(session, "search_memories", query="Birch Street sold")
        assert f"{TIME}Z" in {hit["occurred_at"] for hit in found["hits"]}
