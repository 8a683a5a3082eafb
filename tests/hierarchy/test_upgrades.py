"""The tables of nodes of an earlier release are upgraded when an engine starts, in pages that may be ended and run twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import LiteralString
from uuid import uuid4

import pytest
from psycopg import sql

from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, ProvisionedNode
from engine.domain.search import SearchRequest
from engine.errors import InvalidInput, MigrationError
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users

BACK_TO_8 = (
    "ALTER TABLE {schema}.memory_items DROP COLUMN entities, DROP COLUMN about, DROP COLUMN tokens, DROP COLUMN tokens_b",
    "CREATE OR REPLACE TRIGGER forget_meaning BEFORE UPDATE ON {schema}.memory_items FOR EACH ROW"
    " WHEN (OLD.content IS DISTINCT FROM NEW.content) EXECUTE FUNCTION engine.forget_meaning()",
)
BACK_TO_2 = (
    *BACK_TO_8,
    "ALTER POLICY readable ON {schema}.metadata_records USING (true)",  # theirs knew neither slices nor moves
    "ALTER POLICY changeable ON {schema}.metadata_records USING (true)",
    "ALTER POLICY readable ON {schema}.memory_items USING (true)",
    "ALTER POLICY changeable ON {schema}.memory_items USING (true)",
    "ALTER POLICY readable ON {schema}.file_manifest USING (true)",
    "ALTER POLICY changeable ON {schema}.file_manifest USING (true)",
    "ALTER TABLE {schema}.metadata_records DROP COLUMN moved_at",
    "ALTER TABLE {schema}.memory_items DROP COLUMN moved_at",
    "ALTER TABLE {schema}.file_manifest DROP COLUMN part",
    "ALTER TABLE {schema}.metadata_records DROP COLUMN scope, DROP COLUMN scope_id, DROP COLUMN source",
    "ALTER TABLE {schema}.memory_items DROP COLUMN scope, DROP COLUMN scope_id, DROP COLUMN source",
    "ALTER TABLE {schema}.metadata_records DROP COLUMN revision, DROP COLUMN version_of",
    "ALTER TABLE {schema}.memory_items DROP COLUMN revision, DROP COLUMN version_of",
    "DROP TRIGGER append_only ON {schema}.delta_log",
    "DROP TRIGGER append_only_whole ON {schema}.delta_log",
    "ALTER TABLE {schema}.delta_log DROP COLUMN revision, ADD PRIMARY KEY (delta_id)",
)


async def outdated(
    engine: Engine, nodes: Sequence[ProvisionedNode], version: int = 2, changes: Sequence[LiteralString] = BACK_TO_2
) -> None:
    """Gives nodes the tables of an older template."""
    async with engine.postgres.as_service() as connection:
        for node in nodes:
            for text in changes:
                await connection.execute(sql.SQL(text).format(schema=sql.Identifier(node.schema_name)))
        statement = "UPDATE engine.nodes SET template_version = %s WHERE node_id = ANY (%s)"
        await connection.execute(statement, [version, [node.node_id for node in nodes]])


async def before_ranking(engine: Engine, nodes: Sequence[ProvisionedNode]) -> None:
    """Gives nodes the tables of template 8: their items have neither entities nor tokens."""
    await outdated(engine, nodes, 8, BACK_TO_8)


async def with_relations(engine: Engine, node: ProvisionedNode) -> None:
    """Gives a node the tables of template 7: edges are relations in its log."""
    async with engine.postgres.as_service() as connection:
        for text in (
            "ALTER TABLE {schema}.delta_log DISABLE TRIGGER append_only, DROP CONSTRAINT delta_log_subject_kind_check",
            "UPDATE {schema}.delta_log SET subject_kind = 'relation' WHERE subject_kind = 'edge'",
            "ALTER TABLE {schema}.delta_log ENABLE TRIGGER append_only, ADD CONSTRAINT delta_log_subject_kind_check"
            " CHECK (subject_kind IN ('record', 'item', 'node', 'file', 'relation'))",
        ):
            await connection.execute(sql.SQL(text).format(schema=sql.Identifier(node.schema_name)))
        await connection.execute("UPDATE engine.nodes SET template_version = 7 WHERE node_id = %s", [node.node_id])


async def versions(engine: Engine, nodes: Sequence[ProvisionedNode]) -> set[bool]:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT template_version = engine.template_version() AS new FROM engine.nodes WHERE node_id = ANY (%s)",
            [[node.node_id for node in nodes]],
        )
        return {row["new"] for row in await cursor.fetchall()}


async def made(memory: Memory, count: int) -> list[ProvisionedNode]:
    root = memory.principal.user_id
    nodes = [await memory.nodes.provision(NewNode(root, f"Bay {number} {uuid4().hex[:4]}")) for number in range(count)]
    for number, node in enumerate(nodes):
        turn = Turn("Bob", f"The heron number {number} nests at the bay.")
        await memory.records.remember(Conversation(f"old {number}", (turn,)), node_id=node.node_id)
    return nodes


@pytest.mark.parametrize(
    ("spoilt", "mended", "problem"),
    [
        (
            "ALTER TABLE {schema}.memory_items RENAME COLUMN tags TO labels",
            "ALTER TABLE {schema}.memory_items RENAME COLUMN labels TO tags",
            "its tables are not those of the template",
        ),
        (
            "ALTER TABLE {schema}.file_manifest RENAME TO manifest",
            "ALTER TABLE {schema}.manifest RENAME TO file_manifest",
            "its tables are not those of the template",
        ),
        ("ALTER SCHEMA {schema} RENAME TO astray", "ALTER SCHEMA astray RENAME TO {schema}", "its schema is missing"),
    ],
    ids=["column", "table", "schema"],
)
async def test_the_doctor_notices_what_is_not_as_the_template(
    engine: Engine, memory: Memory, spoilt: str, mended: str, problem: str
) -> None:
    [node] = await made(memory, 1)

    async def change(statement: str) -> None:
        async with engine.postgres.as_service() as connection:
            await connection.execute(sql.SQL(statement).format(schema=sql.Identifier(node.schema_name)))

    async def problems() -> list[str]:
        findings = await engine.doctor.examine()
        return [one.problem for one in findings if one.subject == f"node {node.schema_name}"]

    assert await problems() == []
    await change(spoilt)
    try:
        assert [one for one in await problems() if problem in one]
    finally:
        await change(mended)
    assert await problems() == []


async def test_a_start_upgrades_the_tables_of_all_nodes(engine: Engine, memory: Memory, settings: Settings) -> None:
    old, new = await made(memory, 2)
    await outdated(engine, [old])
    async with open_engine(settings, warming=False):
        assert await versions(engine, [old, new]) == {True}
    both = SearchRequest("heron bay", nodes=(old.node_id, new.node_id))
    hits = (await memory.search(both)).hits
    assert len(hits) == 2 and {hit.node_id for hit in hits} == {old.node_id, new.node_id}
    later = Conversation("later", (Turn("Bob", "A heron flew over the old bay."),))
    await memory.records.remember(later, node_id=old.node_id)
    assert len((await memory.search(both)).hits) == 3
    item = next(hit for hit in hits if hit.node_id == old.node_id)
    change = Change("item", item.item_id, {"content": "The stork nests at the bay."}, old.node_id)
    assert (await memory.history.change(change)).revision == 2
    assert len((await memory.nodes.metadata(old.node_id)).records) == 2


async def test_an_upgrade_goes_in_pages_and_two_share_the_work(engine: Engine, memory: Memory) -> None:
    nodes = await made(memory, 12)
    await outdated(engine, nodes)
    reports = await asyncio.gather(*(engine.upgrades.run(page=2) for _ in range(2)))
    assert sum(report.upgraded for report in reports) == 12
    assert await engine.upgrades.older() == 0 and await versions(engine, nodes) == {True}
    schemas = {node.schema_name for node in nodes}
    assert [one for one in await engine.doctor.examine() if one.subject.removeprefix("node ") in schemas] == []
    hits = (await memory.search(SearchRequest("heron bay", limit=50, widen="always"))).hits
    assert len(hits) == 12


async def test_a_node_that_another_process_uses_keeps_the_engine_from_starting(engine: Engine, memory: Memory) -> None:
    busy, free = await made(memory, 2)
    await outdated(engine, [busy, free])
    async with engine.postgres.service.connection() as other, other.transaction():
        statement = sql.SQL("LOCK TABLE {}.memory_items IN ACCESS SHARE MODE").format(sql.Identifier(busy.schema_name))
        await other.execute(statement)
        with pytest.raises(MigrationError, match="Another process uses 1 node of an older release"):
            await engine.upgrades.run(patience=0)
        assert await versions(engine, [free]) == {True} and await versions(engine, [busy]) == {False}
    assert (await engine.upgrades.run()).upgraded == 1


async def test_a_node_that_cannot_be_upgraded_is_damaged_and_others_are_served(
    engine: Engine, memory: Memory, settings: Settings
) -> None:
    whole, torn = await made(memory, 2)
    await outdated(engine, [whole, torn])
    async with engine.postgres.as_service() as connection:
        lost = sql.SQL("ALTER TABLE {}.file_manifest RENAME TO manifest").format(sql.Identifier(torn.schema_name))
        await connection.execute(lost)
    async with open_engine(settings, warming=False):
        assert await versions(engine, [whole]) == {True} and await versions(engine, [torn]) == {False}
    answer = await memory.search(SearchRequest("heron bay", widen="always"))
    assert {hit.node_id for hit in answer.hits} == {whole.node_id}
    assert [one.node_id for one in answer.left_out] == [torn.node_id]
    [found] = [one for one in await engine.doctor.examine() if one.subject == f"node {torn.schema_name}"]
    assert "of an older version" in found.problem and "next start" in found.remedy
    async with engine.postgres.as_service() as connection:
        back = sql.SQL("ALTER TABLE {}.manifest RENAME TO file_manifest").format(sql.Identifier(torn.schema_name))
        await connection.execute(back)
    assert (await engine.upgrades.run()).upgraded == 1
    assert len((await memory.search(SearchRequest("heron bay", widen="always"))).hits) == 2


@pytest.mark.parametrize("ended", [False, True])
async def test_edges_of_an_old_node_have_their_history_by_the_new_word(
    engine: Engine, memory: Memory, ended: bool
) -> None:
    bay, lake = await made(memory, 2)
    before = datetime.now(UTC)
    edge = (await memory.edges.make(bay.node_id, lake.node_id, "flows to", {"since": "2001"})).edge_id
    await memory.history.change(Change("edge", edge, {"properties": {"since": "2002"}}))
    await with_relations(engine, bay)
    await engine.upgrades.run()
    changes = (await memory.history.difference(before, datetime.now(UTC))).differences
    assert [one.operation for one in changes if (one.subject_kind, one.subject_id) == ("edge", edge)] == ["created"]
    assert (await memory.history.state("edge", edge)).fields == {"properties": {"since": "2002"}}
    if ended:
        assert (await memory.history.change(Change("edge", edge, {"ended": True}))).revision == 3
    deltas = await memory.history.deltas("edge", edge)
    assert {one.subject_kind for one in deltas} == {"edge"}
    assert [one.operation for one in deltas] == ["created", "changed", *["ended"] * ended]


async def test_the_old_word_is_refused_by_name(memory: Memory) -> None:
    for ask in (
        memory.history.change(Change("relation", uuid4(), {"ended": True})),
        memory.history.state("relation", uuid4()),
        memory.history.deltas("relation", uuid4()),
    ):
        with pytest.raises(InvalidInput, match="nodes and edges"):
            await ask
