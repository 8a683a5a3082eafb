"""One damaged node: searches go on without it and say so, everything else there tells of damage, nobody else learns of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

import httpx
import pytest
from psycopg import sql

from engine.domain.context import ContextRequest
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.domain.written import Line
from engine.errors import NotFound, StoreDamaged
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door
from tests.faults.killing import all_agree

ASKED = SearchRequest("walleye", widen="always")
DAMAGE = {
    "schema": ("ALTER SCHEMA {schema} RENAME TO astray", "ALTER SCHEMA astray RENAME TO {schema}"),
    "table": ("ALTER TABLE {schema}.memory_items RENAME TO lost", "ALTER TABLE {schema}.lost RENAME TO memory_items"),
    "column": (
        "ALTER TABLE {schema}.memory_items RENAME COLUMN speaker TO who",
        "ALTER TABLE {schema}.memory_items RENAME COLUMN who TO speaker",
    ),
    "rights": (
        "REVOKE SELECT ON {schema}.metadata_records FROM neurigraph_request",
        "GRANT SELECT ON {schema}.metadata_records TO neurigraph_request",
    ),
    "usage": (
        "REVOKE USAGE ON SCHEMA {schema} FROM neurigraph_request",
        "GRANT USAGE ON SCHEMA {schema} TO neurigraph_request",
    ),
    "row": (
        "UPDATE {schema}.memory_items SET embedding = '[1,2,3]', tags = ARRAY[embedding::text]",
        "UPDATE {schema}.memory_items SET embedding = tags[1]::vector, tags = '{{}}'",
    ),
}


@dataclass(frozen=True)
class Ground:
    """A user with a node that is to be damaged, a healthy one, and a persona beside them that may read neither."""

    engine: Engine
    user: User
    memory: Memory
    bad: UUID
    schema: str
    good: UUID
    persona: UUID

    async def change(self, statement: str) -> None:
        async with self.engine.postgres.as_service() as connection:
            await connection.execute(sql.SQL(statement).format(schema=sql.Identifier(self.schema)))

    @asynccontextmanager
    async def damaged(self, damage: str) -> AsyncIterator[None]:
        spoilt, mended = DAMAGE[damage]
        await self.change(spoilt)
        try:
            yield
        finally:
            await self.change(mended)


@pytest.fixture(scope="module")
async def ground(engine: Engine) -> Ground:
    user = await engine.workspace.users.create(f"u{uuid4().hex[:12]}")
    memory = engine.memory(user.user_id)
    bad = await memory.nodes.provision(NewNode(user.user_id, "Lake"))
    good = (await memory.nodes.provision(NewNode(user.user_id, "Bay"))).node_id
    persona = (await memory.nodes.provision(NewNode(user.user_id, "Guide", "persona"))).node_id
    for node, text in ((bad.node_id, "at the lake"), (good, "in the bay"), (persona, "with the guide")):
        await memory.records.remember(Conversation(text, (Turn("Bob", f"The walleye bite {text}."),)), node_id=node)
    return Ground(engine, user, memory, bad.node_id, bad.schema_name, good, persona)


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_search_goes_on_over_the_healthy_nodes(ground: Ground, damage: str) -> None:
    assert len((await ground.memory.search(ASKED)).hits) == 3
    async with ground.damaged(damage):
        answer = await ground.memory.search(ASKED)
        assert {hit.node_id for hit in answer.hits} == {ground.good, ground.persona}
        [left_out] = answer.left_out
        assert left_out.node_id == ground.bad and left_out.reason.startswith(("its ", "the "))
        assert any("left out" in note for note in answer.notes)
        only = await ground.memory.search(SearchRequest("walleye", nodes=(ground.bad,)))
        assert (only.hits, [one.node_id for one in only.left_out]) == ((), [ground.bad])
        assert (await ground.memory.search(SearchRequest("walleye", nodes=(ground.good,)))).left_out == ()
        # an asker who may not read the node learns nothing of it
        persona = ground.engine.memory_as(Principal("persona", ground.persona, ground.user.user_id))
        theirs = await persona.search(ASKED)
        assert ([hit.node_id for hit in theirs.hits], theirs.left_out) == ([ground.persona], ())
        assert (await ground.engine.degraded()).damaged_nodes >= 1
        found = [one for one in await ground.engine.doctor.examine() if one.node_id == ground.bad]
        assert [one.severity for one in found] == ["error"] and found[0].remedy
    answer = await ground.memory.search(ASKED)
    assert (len(answer.hits), answer.left_out) == (3, ())
    await all_agree(ground.engine)
    assert not await ground.engine.degraded()


async def test_a_reader_with_a_grant_is_told(ground: Ground) -> None:
    grant = await ground.memory.grants.give(NewGrant(ground.bad, "persona", ground.persona))
    persona = ground.engine.memory_as(Principal("persona", ground.persona, ground.user.user_id))
    async with ground.damaged("table"):
        answer = await persona.search(ASKED)
        assert [one.node_id for one in answer.left_out] == [ground.bad]
        assert {hit.node_id for hit in answer.hits} == {ground.persona}
    await ground.memory.grants.revoke(grant.grant_id)


@pytest.mark.parametrize("damage", ["schema", "table"])
async def test_relations_and_context_go_on_with_what_healthy_nodes_state(engine: Engine, damage: str) -> None:
    user = await engine.workspace.users.create(f"u{uuid4().hex[:12]}")
    memory = engine.memory(user.user_id)
    lake, bay = [await memory.nodes.provision(NewNode(user.user_id, name)) for name in ("Lake", "Bay")]
    for node, text in ((lake, "Ellen Lund is a friend of Otto Brandt."), (bay, "Ellen Lund is a friend of Mona Osei.")):
        await memory.records.remember(Conversation(text, (Turn("Bob", text),)), node_id=node.node_id)
    ground = Ground(engine, user, memory, lake.node_id, lake.schema_name, bay.node_id, user.user_id)
    question = "Who is a friend of Ellen Lund?"
    async with ground.damaged(damage):
        texts = [one.text for one in (await memory.search(SearchRequest(question, relations=True))).relations]
        assert "Ellen Lund is a friend of Mona Osei." in texts and "Ellen Lund is a friend of Otto Brandt." not in texts
        context = await memory.context(ContextRequest(question))
        assert "Mona Osei" in context.text


OPERATIONS = {
    "metadata": lambda memory, node: memory.nodes.metadata(node),
    "file": lambda memory, node: memory.files.read(node, uuid4()),
    "file state": lambda memory, node: memory.files.state(node, uuid4()),
    "wake": lambda memory, node: memory.files.wake(node, uuid4()),
    "store": lambda memory, node: memory.records.remember_text(f"t{uuid4().hex}", "The walleye sleep.", node_id=node),
    "change": lambda memory, node: memory.history.change(Change("record", uuid4(), {"title": "T"}, node)),
    "history": lambda memory, node: memory.history.deltas("record", uuid4(), node_id=node),
}


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_all_else_at_the_node_tells_of_damage_and_hidden_stays_hidden(ground: Ground, operation: str) -> None:
    ask = OPERATIONS[operation]
    async with ground.damaged("schema"):
        with pytest.raises(StoreDamaged) as caught:
            await ask(ground.memory, ground.bad)
        assert caught.value.node_id == ground.bad and str(ground.bad) in caught.value.detail
        assert ground.schema not in caught.value.detail and "relation" not in caught.value.detail
        persona = ground.engine.memory_as(Principal("persona", ground.persona, ground.user.user_id))
        refusals = []
        for node in (ground.bad, uuid4()):
            with pytest.raises(NotFound) as refused:
                await ask(persona, node)
            refusals.append((type(refused.value), refused.value.detail))
        assert refusals[0] == refusals[1]


async def test_over_rest_damage_is_a_500_that_names_the_node(ground: Ground) -> None:
    app = new_door(ground.engine.settings, engine=ground.engine)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("127.0.0.1", 50000))
    home = f"/v1/users/{ground.user.user_id}"
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door, ground.damaged("schema"):
        found = (await door.post(f"{home}/search", json={"query": "walleye", "widen": "always"})).json()
        assert [one["node_id"] for one in found["left_out"]] == [str(ground.bad)] and len(found["hits"]) == 2
        answer = await door.get(f"{home}/nodes/{ground.bad}/metadata")
        assert (answer.status_code, answer.json()["type"]) == (500, "urn:neurigraph:problem:store-damaged")
        assert answer.json()["node_id"] == str(ground.bad) and ground.schema not in answer.text
        ready = await door.get("/v1/health/ready")
        assert (ready.status_code, ready.json()["ready"], ready.json()["degraded"]["damaged_nodes"]) == (200, True, 1)


async def test_a_lost_function_is_damage_of_the_store_and_of_no_node(ground: Ground) -> None:
    await ground.change("ALTER FUNCTION engine.search_contents RENAME TO search_contents_lost")
    try:
        with pytest.raises(StoreDamaged) as caught:
            await ground.memory.search(ASKED)
        assert caught.value.node_id is None
    finally:
        await ground.change("ALTER FUNCTION engine.search_contents_lost RENAME TO search_contents")
    assert len((await ground.memory.search(ASKED)).hits) >= 3


@pytest.mark.parametrize("damage", ["schema", "table"])
async def test_an_import_goes_on_at_the_healthy_nodes(ground: Ground, damage: str) -> None:
    name = uuid4().hex

    def line(number: int, node_id: UUID) -> Line:
        body = {"text": f"A perch of {name} number {number}.", "source_id": f"{name}{number}", "node_id": str(node_id)}
        return Line(number, json.dumps(body).encode())

    lines = [line(1, ground.good), line(2, ground.bad), line(3, ground.good)]
    async with ground.damaged(damage):
        reports = await ground.memory.ingests.lines(lines)
        assert [report.outcome for report in reports] == ["stored", "failed", "stored"], reports
        assert reports[1].cause == StoreDamaged.__name__
    again = await ground.memory.ingests.lines(lines)
    assert [report.outcome for report in again] == ["skipped", "stored", "skipped"], again


async def test_facts_elsewhere_are_stated_and_an_export_names_what_it_leaves_out(ground: Ground) -> None:
    about = ("Odalys Fenn",)
    await ground.memory.facts.write(WrittenFact("Odalys Fenn lives in Porto.", about), node_id=ground.bad)
    async with ground.damaged("table"):
        stated = await ground.memory.facts.write(
            WrittenFact("Odalys Fenn plays the cello.", about), node_id=ground.good
        )
        assert stated[0].node_id == ground.good
    before = {line.source_id for line in (await ground.memory.exports.page()).lines if line.body}
    await ground.change("ALTER TABLE {schema}.metadata_records RENAME TO lost")
    try:
        lines = (await ground.memory.exports.page()).lines
    finally:
        await ground.change("ALTER TABLE {schema}.lost RENAME TO metadata_records")
    left_out = {line.source_id for line in lines if not line.body}
    assert "at the lake" in left_out and {line.source_id for line in lines if line.body} == before - left_out != set()
    assert {line.cause for line in lines if not line.body} == {"StoreDamaged"}
