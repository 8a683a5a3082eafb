"""Token bits lie beside every vector that is written, and are made for items of before; vectors stay as they are."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from psycopg import sql

from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.flows import test_embedding_versions as versions
from tests.flows.test_embedding_versions import FAST, MINILM, canary
from tests.flows.test_upgrades import outdated

own, engine, memory = versions.own, versions.engine, versions.memory  # of a home of their own (home=)
NO_TOKENS = ("UPDATE {schema}.memory_items SET tokens = NULL, tokens_b = NULL",)


async def rows(engine: Engine, node: UUID) -> list[dict[str, Any]]:
    """The rows of the items of a node, but for those that hold a whole input."""
    async with engine.postgres.as_service() as connection:
        [schema] = await connection.fetch(
            "SELECT schema_name FROM engine.nodes WHERE node_id = %(id)s", {"id": node}, row=str
        )
        statement = "SELECT * FROM {}.memory_items WHERE category <> 'whole' ORDER BY item_id"
        cursor = await connection.execute(sql.SQL(statement).format(sql.Identifier(schema)))
        return await cursor.fetchall()


async def missing(engine: Engine, memory: Memory) -> dict[str, int]:
    """Items without tokens in the slots that have a vector, over all nodes of the user."""
    found = {"a": 0, "b": 0}
    for node in await memory.nodes.writable():
        for row in await rows(engine, node.node_id):
            found["a"] += row["embedding"] is not None and row["tokens"] is None
            found["b"] += row["embedding_b"] is not None and row["tokens_b"] is None
    return found


async def as_it_was(engine: Engine, memory: Memory) -> None:
    """All nodes with the tables of a release that knew no tokens, upgraded."""
    for node in await memory.nodes.writable():
        shell = await memory.nodes.shell(node.node_id)
        await outdated(engine, [shell], 8, NO_TOKENS)
    await engine.upgrades.run()


@pytest.mark.ledger("F10", "N24")
async def test_tokens_lie_beside_every_vector(engine: Engine, memory: Memory) -> None:
    """Of an ingest, a document and its next version, a change by hand, a move, and a canary's."""
    root = memory.principal.user_id
    await memory.records.remember_text("Notes", "The hull leaks.", source_id="notes", node_id=root)
    await memory.records.remember_text("Notes", "The hull is dry again.", source_id="notes", node_id=root)
    hit = (await memory.search(SearchRequest("walleye", widen="always"))).hits[0]
    await memory.history.change(Change("item", hit.item_id, {"content": "The zander bites at noon."}, hit.node_id))
    await memory.records.move(hit.record_id, hit.node_id, root)
    assert await missing(engine, memory) == {"a": 0, "b": 0}
    moved = await rows(engine, root)
    assert all(len(row["tokens"]) % 48 == 0 for row in moved) and any(len(row["tokens"]) > 48 for row in moved)
    await canary(engine)
    assert await missing(engine, memory) == {"a": 0, "b": 0}
    [one] = [row for row in await rows(engine, root) if row["content"] == "The zander bites at noon."]
    assert one["embedding_b_version"] == MINILM and one["tokens"] != one["tokens_b"]


@pytest.mark.ledger("F10")
async def test_items_of_before_get_their_tokens_and_keep_their_vectors(engine: Engine, memory: Memory) -> None:
    places = await memory.nodes.writable()
    before = [row for node in places for row in await rows(engine, node.node_id)]
    await as_it_was(engine, memory)
    lacking = (await missing(engine, memory))["a"]
    assert lacking == len(before) > 90
    report = await engine.derivations.of_job("pending-embeddings")
    assert report["tokens_tokens"] == lacking and (report.get("vectors_filled", 0), report["tokens_waiting"]) == (0, 0)
    after = [row for node in places for row in await rows(engine, node.node_id)]
    for old, new in zip(before, after, strict=True):
        assert str(old["embedding"]) == str(new["embedding"]) and len(old["tokens"]) == len(new["tokens"])
    # not all alike: the scale of the quantized encoder depends on the other texts of a batch
    pairs = [(old["tokens"], new["tokens"]) for old, new in zip(before, after, strict=True)]
    other = sum((one ^ two).bit_count() for old, new in pairs for one, two in zip(old, new, strict=True))
    assert other < 0.15 * 8 * sum(len(old) for old, _ in pairs)
    assert (await engine.derivations.run("tokens")).get("tokens", 0) == 0
    assert await engine.doctor.examine() == []


@pytest.mark.ledger("F11")
async def test_a_version_that_is_searched_again_gets_what_it_lacks(engine: Engine, memory: Memory) -> None:
    name = await canary(engine)
    await as_it_was(engine, memory)
    await engine.workspace.embeddings.promote(name)
    assert (await missing(engine, memory))["b"] > 0
    await engine.derivations.of_job("pending-embeddings")
    assert (await missing(engine, memory))["b"] == 0 < (await missing(engine, memory))["a"]
    await engine.workspace.embeddings.roll_back()
    await engine.derivations.of_job("pending-embeddings")
    assert await missing(engine, memory) == {"a": 0, "b": 0}
    await memory.records.remember(
        Conversation("late", (Turn("Bob", "A late heron."),)), node_id=memory.principal.user_id
    )
    await engine.workspace.embeddings.build(name, pace=FAST)
    assert await missing(engine, memory) == {"a": 0, "b": 0}
