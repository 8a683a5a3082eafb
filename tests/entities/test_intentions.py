"""Intentions: kept where the setting says so, listed and closed through Python, REST and the shell."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell
from tests.readings import read_again

pytestmark = pytest.mark.usefixtures("few_nodes")
SAID = (
    Turn("Bob", "I want to sell the boat by 12 June 2024. It leaks.", datetime(2024, 5, 1, tzinfo=UTC)),
    Turn("Ellen Harlan", "We plan to move to Galway. Do you want to come?", datetime(2024, 5, 1, tzinfo=UTC)),
)


@pytest.fixture
async def intending(engine: Engine, settings: Settings) -> AsyncIterator[Engine]:
    """An engine on the same stores that keeps intentions."""
    async with open_engine(settings.model_copy(update={"intentions": True}), warming=False) as opened:
        yield opened


@pytest.fixture
def keeping(intending: Engine, user: User) -> Memory:
    return intending.memory(user.user_id)


async def say(memory: Memory, *turns: Turn) -> None:
    await memory.records.remember(Conversation(str(uuid4()), turns), node_id=memory.principal.user_id)


@pytest.mark.ledger("A13")
async def test_intentions_are_kept_with_who_has_them_and_where_they_are_stated(
    intending: Engine, keeping: Memory
) -> None:
    await say(keeping, *SAID)
    boat, galway = await keeping.intentions.list(state="open")
    assert (boat.text, boat.entity_name, boat.due) == (SAID[0].text.partition(" It")[0], "Bob Harlan", "2024-06-12")
    assert (galway.text, galway.entity_name, galway.due) == ("We plan to move to Galway.", "Ellen Harlan", None)
    start, end = map(int, boat.span.split("-"))
    assert SAID[0].text[start:end] == boat.text and boat.said_at == datetime(2024, 5, 1, tzinfo=UTC)
    assert await keeping.intentions.list(entity_id=galway.entity_id) == (galway,)
    done = await keeping.intentions.decide(boat.intention_id, "done", "sold")
    assert (done.state, done.reason) == ("done", "sold") and done.state_at is not None
    assert await keeping.intentions.list(state="open") == (galway,)
    assert (await keeping.intentions.decide(galway.intention_id, "dropped")).state == "dropped"
    assert (await keeping.intentions.decide(galway.intention_id, "open")).state == "open"
    lost = "MATCH (r:Record {user_id: $id}) REMOVE r.mentions_reader, r.relations_reader"
    await intending.neo4j.write(lost, id=str(keeping.principal.user_id))
    await read_again(intending, keeping.principal.user_id)
    assert {one.text: one.state for one in await keeping.intentions.list()} == {boat.text: "done", galway.text: "open"}
    assert [one for one in await intending.doctor.examine() if one.node_id == keeping.principal.user_id] == []


@pytest.mark.ledger("A13")
async def test_without_the_setting_there_are_none(memory: Memory) -> None:
    await say(memory, *SAID)
    assert await memory.intentions.list() == ()


@pytest.mark.ledger("A13")
async def test_a_fact_states_an_intention_of_its_subject(keeping: Memory) -> None:
    await say(keeping, Turn("Bob", "Dave Kowalski called.", datetime(2024, 5, 1, tzinfo=UTC)))
    await keeping.facts.write(WrittenFact("Dave Kowalski plans to retire."))
    await keeping.facts.write(WrittenFact("I want to learn Polish."))
    found = {one.text: one.entity_name for one in await keeping.intentions.list()}
    assert found["Dave Kowalski plans to retire."] == "Dave Kowalski"
    assert found["I want to learn Polish."] == (await keeping.nodes.shell(keeping.principal.user_id)).name


@pytest.mark.ledger("A13", "X06")
async def test_an_intention_goes_and_comes_back_with_its_record(keeping: Memory) -> None:
    await say(keeping, *SAID)
    boat, _ = await keeping.intentions.list()
    await keeping.intentions.decide(boat.intention_id, "done")
    made = await keeping.retractions.retract(RetractionSubject("record", str(boat.record_id)))
    assert await keeping.intentions.list() == ()
    await keeping.retractions.undo(made.retraction_id)
    assert {one.text: one.state for one in await keeping.intentions.list()}[boat.text] == "done"


@pytest.mark.ledger("A13", "X06")
async def test_an_intention_goes_and_comes_back_with_its_fact(keeping: Memory) -> None:
    await say(keeping, Turn("Bob", "Dave Kowalski called.", datetime(2024, 5, 1, tzinfo=UTC)))
    await keeping.facts.write(WrittenFact("Dave Kowalski plans to retire."))
    [retiring] = await keeping.intentions.list()
    made = await keeping.retractions.retract(RetractionSubject("fact", str(retiring.item_id)))
    assert await keeping.intentions.list() == ()
    await keeping.retractions.undo(made.retraction_id)
    assert await keeping.intentions.list() == (retiring,)


@pytest.mark.ledger("A13", "N31")
async def test_intentions_are_the_users_alone(intending: Engine, keeping: Memory) -> None:
    await say(keeping, *SAID)
    [boat, _] = await keeping.intentions.list()
    persona = await keeping.nodes.provision(NewNode(keeping.principal.user_id, "Lawyer", node_type="persona"))
    other = intending.memory((await intending.workspace.users.create(f"o{uuid4().hex[:12]}")).user_id)
    for reader in (
        intending.memory_as(Principal("persona", persona.node_id, keeping.principal.user_id)),
        intending.memory_as(Principal("third_party", uuid4(), keeping.principal.user_id)),
    ):
        with pytest.raises(NotFound):
            await reader.intentions.list()
        with pytest.raises(NotFound):
            await reader.intentions.decide(boat.intention_id, "done")
    assert await other.intentions.list() == ()
    with pytest.raises(NotFound):
        await other.intentions.decide(boat.intention_id, "done")


@pytest.mark.ledger("A13", "U02", "U05")
async def test_the_doors(intending: Engine, user: User, keeping: Memory, tmp_path: Path) -> None:
    await say(keeping, *SAID)
    transport = httpx.ASGITransport(new_door(intending.settings, engine=intending), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/users/{user.user_id}/intentions"
        boat, galway = (await door.get(path)).json()
        answer = await door.put(f"{path}/{boat['intention_id']}/state", json={"state": "done", "reason": "sold"})
        assert (answer.status_code, answer.json()["state"]) == (200, "done")
        assert [one["text"] for one in (await door.get(path, params={"state": "open"})).json()] == [galway["text"]]
        assert (await door.put(f"{path}/{uuid4()}/state", json={"state": "done"})).status_code == 404
        assert (await door.put(f"{path}/{boat['intention_id']}/state", json={"state": "lost"})).status_code == 422
    shell = Shell(intending, tmp_path, user.handle)
    assert "Galway" in await shell.prints("intention", "list")
    assert "sell" in await shell.prints("intention", "list", "--all", "--of", "Bob")
    assert "dropped: We plan" in await shell.prints("intention", "drop", galway["intention_id"])
    assert (await shell.answers("intention", "reopen", galway["intention_id"]))["state"] == "open"
    assert (await shell.answers("intention", "done", boat["intention_id"]))["state"] == "done"
