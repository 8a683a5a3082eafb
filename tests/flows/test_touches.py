"""Retrievals count: items, records and shells that were returned get their access times, in batches off the answer's path."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from psycopg import sql

from engine.benchmarks.trips import counted
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine

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
    await engine.parts.touches.write()
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
    await engine.parts.touches.write()
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
    await engine.parts.touches.write()
    await memory.nodes.touch(hit.node_id, [hit.item_id, hit.record_id, hit.item_id])
    with pytest.raises(NotFound):
        await memory.nodes.touch(hit.node_id, [hit.item_id, uuid4()])
    with pytest.raises(NotFound):
        await engine.memory(other.user_id).nodes.touch(hit.node_id, [hit.item_id])
    with pytest.raises(NotFound):
        await memory.nodes.touch(uuid4())
    await asyncio.gather(*(engine.parts.touches.write() for _ in range(3)))
    schema = await engine.parts.shells.schema_of(memory.principal, user.user_id)
    assert (await rows(engine, schema))[TURNS[0].text][0] == 2


@pytest.mark.ledger("N35")
async def test_a_node_without_its_tables_costs_only_its_own_counts(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing"))
    await memory.records.remember(Conversation("c1", TURNS), node_id=node.node_id)
    hit = (await memory.search(SearchRequest("walleye", nodes=(node.node_id,), limit=1))).hits[0]
    engine.parts.touches.note(uuid4(), items=[uuid4()])
    await engine.parts.touches.write()
    assert (await rows(engine, node.schema_name))[hit.content][0] == 1
