"""Facts in doubt: both stay and are marked, the user decides, and takes that back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

from engine.domain.context import ContextRequest
from engine.domain.fact import Fact, FactFilter, WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.domain.search import Hit, SearchRequest
from engine.errors import Conflict, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell

pytestmark = pytest.mark.usefixtures("few_nodes")
BEGAN = datetime(2021, 5, 1, tzinfo=UTC)
OSLO, BERGEN = "Ellen lives in Oslo.", "Ellen lives in Bergen."


async def write(memory: Memory, text: str, **where: Any) -> Fact:
    return (await memory.facts.write(WrittenFact(text, at=where.pop("at", BEGAN)), **where))[0]


async def in_doubt(
    engine: Engine, memory: Memory, kind: Literal["maybe", "contradicts"] = "maybe"
) -> tuple[Fact, Fact]:
    """Two homes from one day on, of which neither is newer; as rules leave them that are not sure of a replacement."""
    oslo, bergen = await write(memory, OSLO), await write(memory, BERGEN)
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE engine.fact_doubts SET kind = %s WHERE newer = %s AND older = %s",
            [kind, bergen.fact_id, oslo.fact_id],
        )
    return oslo, bergen


async def hits(memory: Memory, question: str = "Where does Ellen live?") -> list[Hit]:
    found = await memory.search(SearchRequest(question, limit=10, kinds=("fact",), widen="always"))
    return list(found.hits)


async def live(memory: Memory) -> set[str]:
    return {fact.text for fact in await memory.facts.list()}


@pytest.mark.ledger("A04")
async def test_both_stay_and_the_older_one_is_marked(engine: Engine, memory: Memory) -> None:
    oslo, bergen = await in_doubt(engine, memory)
    listed = {one.text: one for one in await memory.facts.list(FactFilter(doubtful=True))}
    assert listed[OSLO].maybe_replaced_by == [bergen.fact_id] and listed[BERGEN].may_replace == [oslo.fact_id]
    assert await memory.facts.list(FactFilter(contradicting=True)) == ()
    found = await hits(memory)
    assert [(hit.content, hit.doubt and hit.doubt.text) for hit in found] == [(BERGEN, None), (OSLO, BERGEN)]
    context = await memory.context(ContextRequest("Where does Ellen live?", tokens=400))
    assert f"maybe replaced by: {BERGEN}" in context.text
    assert context.text.index(f"] {BERGEN}") < context.text.index(f"] {OSLO}")
    [entity] = await memory.entities.list(name="ellen")
    told = [(one.text, one.doubt and one.doubt.told) for one in await memory.entities.facts(entity.entity_id)][:2]
    assert told == [(BERGEN, None), (OSLO, f"maybe replaced by: {BERGEN}")]
    [pair] = await memory.facts.doubts()
    assert (pair.kind, pair.newer.text, pair.older.text) == ("maybe", BERGEN, OSLO)
    assert await memory.facts.doubts(after=pair.place) == ()


@pytest.mark.ledger("A04")
async def test_what_contradicts_is_marked_on_both(engine: Engine, memory: Memory) -> None:
    await in_doubt(engine, memory, "contradicts")
    marks = {hit.content: hit.doubt.told for hit in await hits(memory) if hit.doubt}
    assert marks == {OSLO: f"contradicted by: {BERGEN}", BERGEN: f"contradicted by: {OSLO}"}
    assert len(await memory.facts.list(FactFilter(contradicting=True))) == 2


@pytest.mark.ledger("A04")
async def test_the_user_decides_that_it_was_replaced_and_takes_that_back(engine: Engine, memory: Memory) -> None:
    oslo, bergen = await in_doubt(engine, memory)
    with pytest.raises(Conflict, match=str(oslo.fact_id)):
        await memory.facts.decide(bergen.fact_id, "replaced")
    newer, older = await memory.facts.decide(oslo.fact_id, "replaced")
    assert (newer.supersedes, older.status, older.ended_by) == (oslo.fact_id, "superseded", bergen.fact_id)
    assert await live(memory) == {BERGEN} and [hit.content for hit in await hits(memory)] == [BERGEN]
    assert await memory.facts.doubts() == ()
    with pytest.raises(Conflict):
        await memory.facts.decide(oslo.fact_id, "both")
    [again] = await memory.facts.decide(oslo.fact_id, None)
    assert (again.fact_id, again.status, again.valid_to) == (oslo.fact_id, "live", None)
    assert {hit.content for hit in await hits(memory)} == {OSLO, BERGEN}
    assert len(await memory.facts.doubts()) == 1
    assert [len(await memory.facts.chain(one.fact_id)) for one in (oslo, bergen)] == [1, 1]
    assert [one for one in await engine.doctor.examine(read_files=100) if one.node_id == oslo.node_id] == []


@pytest.mark.ledger("A04")
async def test_both_hold_is_kept_and_taken_back(engine: Engine, memory: Memory, user: User) -> None:
    oslo, bergen = await in_doubt(engine, memory)
    await memory.facts.decide(bergen.fact_id, "both")
    assert await memory.facts.doubts() == () and [hit.doubt for hit in await hits(memory)] == [None, None]
    await write(memory, OSLO, at=BEGAN + timedelta(days=30))  # said again: the decision stays
    assert await memory.facts.doubts() == ()
    await memory.facts.decide(oslo.fact_id, None)
    assert len(await memory.facts.doubts()) == 1
    with pytest.raises(Conflict):
        await memory.facts.decide(oslo.fact_id, None)
    with pytest.raises(NotFound):
        await memory.facts.decide(user.user_id, "both")


@pytest.mark.ledger("A04")
async def test_a_withdrawn_fact_leaves_no_mark_until_it_is_back(engine: Engine, memory: Memory) -> None:
    oslo, bergen = await in_doubt(engine, memory)
    done = await memory.retractions.retract(RetractionSubject("record", str(bergen.record_id)))
    assert await memory.facts.doubts() == () and [hit.doubt for hit in await hits(memory)] == [None]
    await memory.retractions.undo(done.retraction_id)
    assert [pair.older.fact_id for pair in await memory.facts.doubts()] == [oslo.fact_id]
    await memory.facts.decide(oslo.fact_id, "replaced")
    done = await memory.retractions.retract(RetractionSubject("record", str(bergen.record_id)))
    assert await live(memory) == {OSLO}
    await memory.retractions.undo(done.retraction_id)
    assert await live(memory) == {BERGEN}


@pytest.mark.ledger("A04")
async def test_what_takes_the_place_of_a_withdrawn_fact_has_its_mark(engine: Engine, memory: Memory) -> None:
    oslo, bergen = await in_doubt(engine, memory)
    await write(memory, BERGEN, at=BEGAN + timedelta(days=1))  # says the same: a confirmation
    done = await memory.retractions.retract(RetractionSubject("record", str(bergen.record_id)))
    [pair] = await memory.facts.doubts()
    assert pair.older.fact_id == oslo.fact_id and pair.newer.fact_id != bergen.fact_id
    await memory.facts.decide(oslo.fact_id, "both")
    await memory.retractions.undo(done.retraction_id)
    assert await memory.facts.doubts() == ()
    await memory.facts.decide(bergen.fact_id, None)
    assert [one.newer.fact_id for one in await memory.facts.doubts()] == [bergen.fact_id]


@pytest.mark.ledger("A04")
async def test_the_graph_has_the_pair_as_long_as_it_is_in_doubt(engine: Engine, memory: Memory) -> None:
    oslo, bergen = await write(memory, OSLO), await write(memory, BERGEN)

    async def between() -> list[str]:
        found = await engine.neo4j.read(
            "MATCH (:Fact {fact_id: $newer})-[r:CONTRADICTS|MAY_REPLACE|SUPERSEDES]->(:Fact {fact_id: $older}) RETURN type(r) AS name",
            row=str,
            newer=str(bergen.fact_id),
            older=str(oslo.fact_id),
        )
        return list(found)

    assert await between() == ["CONTRADICTS"]
    await memory.facts.decide(oslo.fact_id, "replaced")
    assert await between() == ["SUPERSEDES"]
    await memory.facts.decide(oslo.fact_id, None)
    assert await between() == ["CONTRADICTS"]
    await memory.facts.decide(oslo.fact_id, "both")
    assert await between() == []


@pytest.mark.ledger("A04", "N29")
async def test_a_mark_tells_nobody_of_a_fact_that_they_may_not_read(engine: Engine, memory: Memory, user: User) -> None:
    shared = await memory.nodes.provision(NewNode(user.user_id, "Shared"))
    hidden = await memory.nodes.provision(NewNode(user.user_id, "Hidden"))
    await write(memory, OSLO, node_id=shared.node_id)
    await write(memory, BERGEN, node_id=hidden.node_id)
    reader = await engine.workspace.integrations.create(f"r {user.user_id.hex[:12]}")
    principal = Principal("third_party", reader.integration_id, user.user_id)
    await memory.grants.give(NewGrant(shared.node_id, "third_party", reader.integration_id))
    other = engine.memory_as(principal)
    assert [(hit.content, hit.doubt) for hit in await hits(other)] == [(OSLO, None)]
    await memory.grants.give(NewGrant(hidden.node_id, "third_party", reader.integration_id))
    assert {hit.content for hit in await hits(other) if hit.doubt} == {OSLO, BERGEN}
    with pytest.raises(NotFound):
        await other.facts.doubts()


@pytest.mark.ledger("A04", "U05", "N32")
async def test_decisions_over_rest_and_in_the_shell(engine: Engine, memory: Memory, user: User, tmp_path: Path) -> None:
    oslo, bergen = await in_doubt(engine, memory)
    shell = Shell(engine, tmp_path, user.handle)
    assert len((await shell.answers("fact", "doubts"))["doubts"]) == 1
    assert len((await shell.answers("fact", "list", "--doubtful"))["facts"]) == 2
    assert "--both" in await shell.refuses("fact", "decide", str(oslo.fact_id))
    await shell.prints("fact", "decide", str(oslo.fact_id), "--both")
    assert (await shell.answers("fact", "doubts"))["doubts"] == []
    await shell.prints("fact", "decide", str(oslo.fact_id), "--undo")
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/users/{user.user_id}/facts"
        page = await door.get(f"{path}/doubts", params={"limit": 1})
        [pair] = page.json()
        assert (pair["kind"], pair["newer"]["text"], pair["older"]["text"]) == ("maybe", BERGEN, OSLO)
        assert (await door.get(page.links["next"]["url"])).json() == []
        assert (await door.get(f"{path}/doubts", params={"cursor": "WyIifQ"})).status_code == 422
        assert len((await door.get(path, params={"doubtful": True})).json()) == 2
        wrong = await door.post(f"{path}/{bergen.fact_id}/decide", json={"decision": "replaced"})
        assert wrong.status_code == 409 and str(oslo.fact_id) in wrong.json()["detail"]
        done = await door.post(f"{path}/{oslo.fact_id}/decide", json={"decision": "replaced"})
        assert [one["status"] for one in done.json()["facts"]] == ["live", "superseded"]
        assert (await door.post(f"{path}/{user.user_id}/decide", json={"decision": "both"})).status_code == 404
