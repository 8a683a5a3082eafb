"""Retrievals count: items, records and shells that were returned get their access times, in batches off the answer's path."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.clock import Moment
from engine.domain.context import ContextRequest
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.read_limits import ReadLimits
from engine.domain.search import SearchRequest
from engine.errors import NotFound
from engine.hierarchy.shells import Shells
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.retrieval.touches import Touches
from tests.hierarchy.test_graph_commands import Shell

ACCESSES = sql.SQL(
    "SELECT content, access_count, last_accessed_at FROM {schema}.memory_items"
    " UNION ALL SELECT 'record', 0, last_accessed_at FROM {schema}.metadata_records"
)
TURNS = (Turn("Bob", "The walleye weighed eleven pounds."), Turn("Bob", "The invoice of the workshop was paid."))


async def rows(engine: Engine, schema: str) -> dict[str, tuple[int, Any]]:
    """Count and time of each item by its text, and the record's time under its own name."""
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(ACCESSES.format(schema=sql.Identifier(schema)))
        return {row["content"]: (row["access_count"], row["last_accessed_at"]) for row in await cursor.fetchall()}


@pytest.mark.ledger("N35", "M02")
async def test_a_search_touches_what_it_returned_and_nothing_else(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing", keywords=("walleye",)))
    await memory.records.remember(Conversation("c1", TURNS), node_id=node.node_id)
    began = datetime.now(UTC)
    for _ in range(2):
        answer = await memory.search(SearchRequest("What did the walleye weigh?", limit=1))
        assert answer.hits[0].content == TURNS[0].text
    assert (await rows(engine, node.schema_name))[TURNS[0].text] == (0, None)  # not on the answer's path
    await engine.parts[Touches].write()
    after = await rows(engine, node.schema_name)
    assert after[TURNS[0].text][0] == 2 and after[TURNS[0].text][1] > began
    assert after[TURNS[1].text] == (0, None)
    assert after["record"][1] > began
    assert (await memory.nodes.shell(node.node_id)).last_accessed_at > began


@pytest.mark.ledger("A14")
async def test_facts_are_counted_like_turns(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing", keywords=("walleye",)))
    await memory.records.remember(Conversation("c1", TURNS), node_id=node.node_id)
    asked = SearchRequest("What did the walleye weigh?", kinds=("fact",), widen="always")
    [fact] = (await memory.search(asked)).hits
    await engine.parts[Touches].write()
    counted_now = await rows(engine, node.schema_name)
    assert counted_now[fact.content][0] == 1 and counted_now[TURNS[0].text][0] == 0


@pytest.mark.ledger("N35", "N24")
async def test_counting_costs_an_answer_no_trip(engine: Engine, memory: Memory) -> None:
    await memory.records.remember(Conversation("c1", TURNS))
    await memory.search(SearchRequest("walleye"))
    async with counted(engine) as trips:
        await memory.search(SearchRequest("walleye"))
    assert (trips.neo4j, trips.postgres) == (1, 2)


@pytest.mark.ledger("N35", "N32")
async def test_touch_counts_what_the_caller_names_and_may_read(engine: Engine, memory: Memory, user: User) -> None:
    other = await engine.workspace.users.create(f"u{uuid4().hex[:12]}")
    await memory.records.remember(Conversation("c1", TURNS))
    hit = (await memory.search(SearchRequest("walleye", limit=1))).hits[0]
    await engine.parts[Touches].write()
    await memory.nodes.touch(hit.node_id, [hit.item_id, hit.record_id, hit.item_id])
    with pytest.raises(NotFound):
        await memory.nodes.touch(hit.node_id, [hit.item_id, uuid4()])
    with pytest.raises(NotFound):
        await engine.memory(other.user_id).nodes.touch(hit.node_id, [hit.item_id])
    with pytest.raises(NotFound):
        await memory.nodes.touch(uuid4())
    await asyncio.gather(*(engine.parts[Touches].write() for _ in range(3)))
    schema = await engine.parts[Shells].schema_of(memory.principal, user.user_id)
    assert (await rows(engine, schema))[TURNS[0].text][0] == 2


@pytest.mark.ledger("N35")
async def test_a_node_without_its_tables_costs_only_its_own_counts(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing"))
    await memory.records.remember(Conversation("c1", TURNS), node_id=node.node_id)
    hit = (await memory.search(SearchRequest("walleye", nodes=(node.node_id,), limit=1))).hits[0]
    engine.parts[Touches].note(uuid4(), items=[uuid4()])
    await engine.parts[Touches].write()
    assert (await rows(engine, node.schema_name))[hit.content][0] == 1


async def reads_of(engine: Engine, memory: Memory, entity: UUID) -> int | None:
    """How often the entity was read, as its owner sees it; that look is written with the next ones."""
    await engine.parts[Touches].write()
    return (await memory.entities.get(entity)).access_count


async def entity_of(memory: Memory, name: str) -> UUID:
    [found] = [one for one in await memory.entities.list(limit=100) if one.name == name]
    return found.entity_id


@pytest.mark.ledger("N35", "X08")
async def test_a_hit_that_the_tokens_cut_is_not_touched(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing", keywords=("walleye",)))
    await memory.records.remember(Conversation("c1", TURNS), node_id=node.node_id)
    asked = SearchRequest("What did the walleye weigh?", nodes=(node.node_id,), kinds=("turn",))
    most = engine.embedder.count_tokens(TURNS[0].text)
    answer = await memory.search(asked, ReadLimits(max_tokens=most))
    assert [hit.content for hit in answer.hits] == [TURNS[0].text]
    await engine.parts[Touches].write()
    after = await rows(engine, node.schema_name)
    assert (after[TURNS[0].text][0], after[TURNS[1].text][0]) == (1, 0)


@pytest.mark.ledger("N35", "X14")
async def test_a_context_touches_its_pieces_and_none_that_did_not_fit(
    engine: Engine, memory: Memory, user: User
) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Family"))
    ellen = ("Ellen Harlan",)
    [fact] = await memory.facts.write(WrittenFact("Ellen Harlan lives in Duluth.", ellen), node_id=node.node_id)
    await memory.records.remember(
        Conversation("c1", tuple(Turn("Bob", f"Number {n}: the walleye of Duluth is a fish of the lake.") for n in range(30))),
        node_id=node.node_id,
    )  # fmt: skip
    context = await memory.context(ContextRequest("Where does Ellen Harlan live in Duluth?", tokens=180))
    assert fact.fact_id in {piece.item_id for piece in context.pieces} and context.left_out
    await engine.parts[Touches].write()
    counts = {text: count for text, (count, _) in (await rows(engine, node.schema_name)).items() if count}
    assert counts == {piece.text: 1 for piece in context.pieces if piece.item_id is not None}


@pytest.mark.ledger("N35", "A06")
async def test_an_entity_is_counted_where_it_is_shown(engine: Engine, memory: Memory, user: User) -> None:
    await memory.records.remember(
        Conversation("c", (Turn("Bob", "Ellen Harlan is married to Dave Kowalski since 2003."),))
    )
    ellen, dave = await entity_of(memory, "Ellen Harlan"), await entity_of(memory, "Dave Kowalski")
    assert await reads_of(engine, memory, ellen) == 0, "a list is no read"
    began = datetime.now(UTC)
    await memory.profiles.entity(ellen)
    assert await reads_of(engine, memory, ellen) == 2, "the look before, and the profile"
    context = await memory.context(ContextRequest("Whom is Ellen Harlan married to?"))
    assert ellen in {piece.entity_id for piece in context.pieces}
    assert await reads_of(engine, memory, ellen) == 4
    entity = await memory.entities.get(ellen)
    assert entity.last_accessed_at is not None and entity.last_accessed_at > began
    assert (await memory.entities.get(ellen, Moment(known_at=datetime.now(UTC)))).access_count is None
    await memory.entities.relations(dave)
    assert await reads_of(engine, memory, dave) == 0, "what a question does not name is told of the other alone"
    merged = await memory.entities.merge(ellen, dave)
    assert await reads_of(engine, memory, ellen) == 8, "those of both"
    await memory.entities.undo_merge(merged.merge_id)
    assert await reads_of(engine, memory, dave) == 1


@pytest.mark.ledger("N35", "X11")
async def test_an_entity_of_the_question_over_which_a_hit_was_reached_is_counted(
    engine: Engine, memory: Memory
) -> None:
    text = "Brightwater Press is a publisher of sea charts. It was founded by Alma Reyes in 1931."
    await memory.records.remember_text("Brightwater Press", text)
    for name in ("Otto Brandt", "Inga Solberg", "Piet Janssen", "Clara Novak"):
        await memory.records.remember_text(name, f"{name} was a baker. {name.split()[0]} kept a diary.")
    press = await entity_of(memory, "Brightwater Press")
    answer = await memory.search(SearchRequest("Who founded Brightwater Press?", kinds=("chunk",), widen="always"))
    assert press in {hit.reached.entity_id for hit in answer.hits if hit.reached}
    assert await reads_of(engine, memory, press) == 1


@pytest.mark.ledger("N35", "M02", "X01")
async def test_what_was_read_and_when_is_shown_to_the_owner_alone(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Dave", "persona"))
    text = "Ellen Harlan is married to Dave Kowalski since 2003."
    report = await memory.records.remember(Conversation("c", (Turn("Bob", text),)), node_id=node.node_id)
    [hit] = (await memory.search(SearchRequest("Ellen Harlan", kinds=("turn",), widen="always"))).hits
    record, ellen = report.records[0].record_id, await entity_of(memory, "Ellen Harlan")
    integration = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(node.node_id, "third_party", integration.integration_id))
    persona = engine.memory_as(Principal("persona", node.node_id, memory.principal.user_id))
    app = engine.memory_as(Principal("third_party", integration.integration_id, memory.principal.user_id))

    async def told(reader: Memory) -> list[Any]:
        item = await reader.history.state("item", hit.item_id, node_id=node.node_id)
        entity = await reader.entities.get(ellen)
        stored = await reader.history.state("record", record, node_id=node.node_id)
        listed = (await reader.nodes.metadata(node.node_id)).records[0]
        shell = await reader.nodes.shell(node.node_id)
        reads: list[Any] = [item.access_count, entity.access_count]
        return reads + [one.last_accessed_at for one in (item, entity, stored, listed, shell)]

    await told(memory)
    await engine.parts[Touches].write()
    for other in (persona, app):
        before = await told(other)
        assert before == [None] * 7
    await engine.parts[Touches].write()
    shown = await told(memory)
    assert shown[:2] == [4, 3] and None not in shown, "the reads of all, those of others included"


@pytest.mark.ledger("N35")
async def test_opening_one_counts_and_a_page_does_not(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing"))
    [fact] = await memory.facts.write(WrittenFact("Dave lives in Duluth.", ("Dave",)), node_id=node.node_id)
    item, record = fact.fact_id, fact.record_id

    async def last() -> tuple[Any, ...]:
        await engine.parts[Touches].write()
        of_items = await rows(engine, node.schema_name)
        [shell] = await engine.neo4j.read(
            "MATCH (n:Node {node_id: $id}) RETURN n.last_accessed_at AS at", id=str(node.node_id)
        )
        return of_items[fact.text], of_items["record"], shell["at"]

    before = await last()
    await memory.nodes.metadata(node.node_id)
    await memory.nodes.children(user.user_id)
    await memory.nodes.tree()
    await memory.facts.list()
    await memory.entities.list()
    assert await last() == before
    with pytest.raises(NotFound):
        await memory.history.state("item", uuid4(), node_id=node.node_id)
    state = await memory.history.state("record", record, node_id=node.node_id, moment=Moment(known_at=datetime(2001, 1, 1, tzinfo=UTC)))  # fmt: skip
    assert state.fields is None and await last() == before, "nothing was there to be read"
    await memory.history.state("record", record, node_id=node.node_id)
    of_record = await last()
    assert of_record[0] == before[0] and of_record[1][1] > before[1][1] and of_record[2] > before[2]
    await memory.history.state("item", item, node_id=node.node_id)
    await memory.facts.chain(item)
    assert (await last())[0][0] == before[0][0] + 2
    shown = await last()
    await memory.nodes.shell(node.node_id)
    assert (await last())[2] > shown[2]


@pytest.mark.ledger("M02", "U05")
async def test_the_shell_says_how_often_an_item_and_an_entity_were_read(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    await memory.records.remember(Conversation("c", (Turn("Bob", "Ellen Harlan is married to Dave Kowalski."),)))
    [hit] = (await memory.search(SearchRequest("Ellen", kinds=("turn",)))).hits
    await memory.profiles.entity(await entity_of(memory, "Ellen Harlan"))
    await engine.parts[Touches].write()
    item = ("state", "item", str(hit.item_id), "--node", "/")
    assert "read 1 time, last read: 20" in await shell.prints(*item)
    assert "read 1 time, last read: 20" in await shell.prints("entity", "show", "Ellen Harlan")
    await engine.parts[Touches].write()
    assert (await shell.answers(*item))["access_count"] == 2
