"""The statements of a search use their indexes: with a thousand items at a node, with a hundred thousand counts of other users.

What Postgres did is read from its own statistics of indexes and tables, because the statements stand in functions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import monotonic
from uuid import uuid4

import pytest
from psycopg import sql

from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, ProvisionedNode
from engine.domain.search import SearchRequest
from engine.lifecycle.large_nodes import LargeNodes
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.retrieval.pipeline import Search

pytestmark = pytest.mark.ledger("X02")

COPIES = (
    "INSERT INTO {schema}.memory_items (item_id, record_id, kind, session, position, speaker, content, content_hash, embedding,"
    " embedding_version, terms, word_count)"
    " SELECT gen_random_uuid(), i.record_id, i.kind, i.session, i.position + 2 * g, i.speaker, i.content, i.content_hash, i.embedding,"
    " i.embedding_version, i.terms, i.word_count FROM {schema}.memory_items AS i, generate_series(1, {copies}) AS g WHERE i.kind = 'turn'"
)
USED = (
    "SELECT indexrelname AS name, idx_scan AS scans FROM pg_stat_user_indexes WHERE schemaname = %(place)s"
    " UNION ALL SELECT relname || ' as a whole', seq_scan FROM pg_stat_user_tables WHERE schemaname = %(place)s"
)

PUBLISHED = 12
"""Seconds after which idle connections have published what they counted: Postgres has them do so after 10."""


async def node_with_items(engine: Engine, memory: Memory, copies: int) -> ProvisionedNode:
    """A node with twice so many turns, by copies of two that were stored; analysed."""
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, f"Bay {uuid4().hex[:4]}"))
    turns = (Turn("Bob", "The heron nests at the bay."), Turn("Iris", "A tern dived at the pier."))
    await memory.records.remember(Conversation("c", turns), node_id=node.node_id)
    schema = sql.Identifier(node.schema_name)
    async with engine.postgres.as_service() as connection:
        await connection.execute(sql.SQL(COPIES).format(schema=schema, copies=sql.Literal(copies - 1)))
        await connection.execute(sql.SQL("ANALYZE {}.memory_items").format(schema))
    return node


async def used(engine: Engine, place: str) -> dict[str, int]:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(sql.SQL(USED), {"place": place})
        return {row["name"]: row["scans"] or 0 for row in await cursor.fetchall()}


async def used_since(engine: Engine, place: str, before: Mapping[str, int], *wanted: str) -> dict[str, int]:
    """How often each was used since then, once the wanted ones were: Postgres publishes its statistics after a while."""
    end = monotonic() + 60
    while True:
        now = await used(engine, place)
        since = {name: scans - before.get(name, 0) for name, scans in now.items()}
        if all(since[name] for name in wanted) or monotonic() > end:
            return since
        await asyncio.sleep(0.2)


async def test_words_of_one_user_are_counted_by_the_key_among_those_of_many(engine: Engine, memory: Memory) -> None:
    node = await node_with_items(engine, memory, 1)
    user, other = memory.principal.user_id, uuid4()
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "INSERT INTO engine.term_counts (user_id, term, node_id, unit, documents)"
            " SELECT %s, g %% 20000, md5((g / 20000)::text)::uuid, 'turn', 1 FROM generate_series(0, 99999) AS g",
            [other],
        )
        await connection.execute("ANALYZE engine.term_counts")
    try:
        before = await used(engine, "engine")
        await memory.search(SearchRequest("Where does the heron nest?", nodes=(user, node.node_id)))
        since = await used_since(engine, "engine", before, "term_counts_pkey")
    finally:
        async with engine.postgres.as_service() as connection:
            await connection.execute("DELETE FROM engine.term_counts WHERE user_id = %s", [other])
    assert since["term_counts_pkey"] > 0 and since["term_counts as a whole"] == 0


async def test_contents_of_what_is_shown_are_found_by_their_key(engine: Engine, memory: Memory) -> None:
    node = await node_with_items(engine, memory, 500)
    await asyncio.sleep(PUBLISHED)  # what storing read is not counted with the search
    before = await used(engine, node.schema_name)
    request = SearchRequest("heron", nodes=(node.node_id,))
    await engine.parts[Search].search_with(memory.principal, request, engine.active.current)  # which notes no access
    since = await used_since(engine, node.schema_name, before, "memory_items_pkey", "memory_items as a whole")
    assert since["memory_items_pkey"] > 0
    assert since["memory_items as a whole"] == 1, "the scan reads all items once"


async def test_a_large_node_is_read_by_its_indexes_alone(engine: Engine, memory: Memory) -> None:
    node = await node_with_items(engine, memory, 500)
    await LargeNodes(engine.postgres, 1000).run()
    before = await used(engine, node.schema_name)
    answer = await memory.search(SearchRequest("heron", nodes=(node.node_id,)))
    assert any("searched by indexes" in note for note in answer.notes)
    wanted = [f"memory_items_{name}" for name in ("meaning_a", "terms", "sessions", "pkey")]
    since = await used_since(engine, node.schema_name, before, *wanted)
    assert min(since[name] for name in wanted) > 0
    await LargeNodes(engine.postgres, 10_000_000).run()


@pytest.mark.ledger("N23")
async def test_what_was_changed_before_is_changed_by_an_index_in_a_large_node(engine: Engine, memory: Memory) -> None:
    node = await node_with_items(engine, memory, 500)
    await LargeNodes(engine.postgres, 1000).run()
    item = (await memory.search(SearchRequest("heron", nodes=(node.node_id,)))).hits[0].item_id
    before = await used(engine, node.schema_name)
    for text in ("The heron nests at the pier.", "The heron nests at the weir."):
        await memory.history.change(Change("item", item, {"content": text}, node.node_id))
    since = await used_since(engine, node.schema_name, before, "memory_items_versions")
    assert since["memory_items_versions"] > 0
    await LargeNodes(engine.postgres, 10_000_000).run()
