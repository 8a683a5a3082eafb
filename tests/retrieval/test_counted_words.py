"""Words are counted in one table for all nodes: moved there with the upgrade of an older node, and made anew with a lost table."""

from __future__ import annotations

from uuid import uuid4

import pytest
from psycopg import sql

from engine.domain.delta import ENDED, Change
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, ProvisionedNode
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = pytest.mark.usefixtures("few_nodes")  # mending looks at all users

Counts = dict[tuple[str, int], int]


async def node_of(memory: Memory) -> ProvisionedNode:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, f"Marsh {uuid4().hex[:4]}"))
    turns = (Turn("Bob", "The heron nests at the marsh."), Turn("Iris", "A bittern called at dusk."))
    await memory.records.remember(Conversation(f"c {uuid4().hex[:4]}", turns), node_id=node.node_id)
    return node


async def counts(engine: Engine, node: ProvisionedNode) -> Counts:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT unit, term, documents FROM engine.term_counts WHERE node_id = %s AND documents > 0", [node.node_id]
        )
        return {(row["unit"], row["term"]): row["documents"] for row in await cursor.fetchall()}


async def counted_by_itself(engine: Engine, node: ProvisionedNode) -> None:
    """Gives a node a table of counts of its own, as nodes had up to version 9 of the template."""
    async with engine.postgres.as_service() as connection:
        for text in (
            "CREATE TABLE {schema}.term_counts (unit text, term integer, documents integer NOT NULL, PRIMARY KEY (unit, term))",
            "INSERT INTO {schema}.term_counts SELECT unit, term, documents FROM engine.term_counts WHERE node_id = {node}",
            "GRANT SELECT ON {schema}.term_counts TO neurigraph_request",
            "DELETE FROM engine.term_counts WHERE node_id = {node}",
            "UPDATE engine.nodes SET template_version = 9 WHERE node_id = {node}",
        ):
            names = {"schema": sql.Identifier(node.schema_name), "node": sql.Literal(str(node.node_id))}
            await connection.execute(sql.SQL(text).format(**names))


async def scores(memory: Memory) -> list[tuple[str, float]]:
    answer = await memory.search(SearchRequest("heron and bittern at the marsh", widen="always"))
    return [(hit.content, round(hit.score, 5)) for hit in answer.hits]


@pytest.mark.ledger("X02")
async def test_the_counts_of_an_older_node_are_moved_to_the_table_of_all(engine: Engine, memory: Memory) -> None:
    old, other = await node_of(memory), await node_of(memory)
    before, found = await counts(engine, old), await scores(memory)
    await counted_by_itself(engine, old)
    assert await counts(engine, old) == {} and found != []
    await engine.upgrades.run()
    assert await counts(engine, old) == before
    assert await scores(memory) == found
    assert await counts(engine, other) == before  # the same texts


async def test_counts_are_made_anew_with_a_lost_table(engine: Engine, memory: Memory) -> None:
    node = await node_of(memory)
    before = await counts(engine, node)
    async with engine.postgres.as_service() as connection:
        await connection.execute("DELETE FROM engine.term_counts WHERE node_id = %s AND term > 0", [node.node_id])
        lost = sql.SQL("DROP TABLE {}.file_manifest").format(sql.Identifier(node.schema_name))
        await connection.execute(lost)
    report = await engine.mending.run(accept_loss=True)
    assert report.mended["schemas of nodes"] == 1
    assert await counts(engine, node) == before


async def counted_anew(engine: Engine, node: ProvisionedNode) -> Counts:
    """What the rows of a node that hold now count."""
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute("SELECT * FROM engine.record_counts(%s, NULL)", [node.schema_name])
        return {(row["unit"], row["term"]): row["documents"] for row in await cursor.fetchall()}


async def test_words_of_an_item_that_is_changed_back_or_ends_are_counted_as_they_are(
    engine: Engine, memory: Memory
) -> None:
    node = await node_of(memory)
    before = await counts(engine, node)
    answer = await memory.search(SearchRequest("heron", nodes=(node.node_id,), kinds=("turn",)))
    heron = answer.hits[0]
    for fields in ({"content": "A stork."}, {"content": heron.content}, {ENDED: True}, {ENDED: False}):
        change = Change("item", heron.item_id, fields, node.node_id, correction=ENDED in fields)
        await memory.history.change(change)
        assert await counts(engine, node) == await counted_anew(engine, node), fields
    assert await counts(engine, node) == before


@pytest.mark.ledger("X06")
async def test_words_of_a_withdrawn_fact_are_not_counted_until_it_comes_back(engine: Engine, memory: Memory) -> None:
    node = await node_of(memory)
    [fact] = await memory.facts.write(WrittenFact("Dave lives in Ulm.", ("Dave",)), node_id=node.node_id)
    stated = await counts(engine, node)
    done = await memory.retractions.retract(RetractionSubject("record", str(fact.record_id)))
    assert await counts(engine, node) == await counted_anew(engine, node)
    assert stated != await counts(engine, node)
    await memory.retractions.undo(done.retraction_id)
    assert await counts(engine, node) == stated
