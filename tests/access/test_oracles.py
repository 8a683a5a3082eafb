"""Writes past the public API tell nothing of hidden rows and name their author truly; and the audit would notice if they did."""

from __future__ import annotations

import pytest
from psycopg import sql

from engine.lab.leaks.fuzzer import Run
from engine.lab.leaks.model import World
from engine.neurigraph import Engine
from tests.access.mutations import as_service, in_every_node, policies_of_nodes_restored

pytestmark = pytest.mark.usefixtures("guards")

KINDS = ("oracle of a node", "oracle of what was stored", "oracle of a graph")
WRITES = ("insert into a node", "insert of a shared row", *KINDS)


async def found(engine: Engine, world: World, kind: str, count: int = 1_200) -> str:
    """The first leak that operations of this kind find, or nothing."""
    run = Run(engine, world, seed=5, kinds=[kind], patience=1, at_once=4)
    await run.go(count, changing=False)
    return "".join(f"{leak.operation} by {leak.asker}: {leak.wrong}" for leak in run.leaks)


@pytest.mark.ledger("N31", "X01")
@pytest.mark.parametrize("kind", WRITES)
async def test_a_write_past_the_api_tells_nothing(engine: Engine, world: World, kind: str) -> None:
    assert await found(engine, world, kind) == ""


# the proof that it would be noticed ----------------------------------------------------------------------

CAN = "(SELECT engine.can('write', {node}::uuid, {part}))"
OWN = "(SELECT engine.owns({node}::uuid))"
KNOWN = f"({OWN} OR EXISTS (SELECT FROM {{schema}}.metadata_records AS r WHERE r.record_id = delta_log.subject_id))"
IN_NODES = {
    "an item needs a record that is seen": (
        "memory_items", f"{CAN} AND (privacy <> 'private' OR {OWN})", "items", "oracle of a node",
    ),
    "a delta needs a subject that is seen": (
        "delta_log", f"{CAN} AND authored_by = (SELECT engine.principal_name())", None, "oracle of a node",
    ),
    "a delta names its author": ("delta_log", f"{CAN} AND {KNOWN}", None, "insert into a node"),
}  # fmt: skip
ID_TABLES = ("metadata_records", "memory_items", "file_manifest")


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("name", IN_NODES)
async def test_a_condition_of_a_nodes_policy_taken_away_is_noticed(engine: Engine, world: World, name: str) -> None:
    table, rule, part, kind = IN_NODES[name]
    async with policies_of_nodes_restored(engine, world):
        async with engine.postgres.as_service() as connection:
            for place in world.places.values():
                values = {"node": sql.Literal(str(place.node_id)), "part": sql.Literal(part)}
                statement = f"ALTER POLICY writable ON {{schema}}.{table} WITH CHECK ({rule})"
                await connection.execute(sql.SQL(statement).format(schema=sql.Identifier(place.schema_name), **values))
        assert await found(engine, world, kind)
    assert not await found(engine, world, kind, 100)


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("table", ID_TABLES)
async def test_that_ids_may_change_is_noticed(engine: Engine, world: World, table: str) -> None:
    async with policies_of_nodes_restored(engine, world):
        await in_every_node(engine, world, f"DROP TRIGGER keep_ids ON {{schema}}.{table}")
        assert await found(engine, world, "oracle of a node")


SHARED = {
    "documents stored": ("AND engine.node_holds(node_id, document_id, NULL::uuid)", "oracle of what was stored"),
    "raw_resources stored": ("AND engine.node_holds(node_id, record_id, resource_id)", "oracle of what was stored"),
    "raw_resources stored author": (
        "AND (authored_by = ( SELECT engine.principal_name() AS principal_name))",
        "insert of a shared row",
    ),
    "event_log written": (
        "AND (authored_by = ( SELECT engine.principal_name() AS principal_name))",
        "insert of a shared row",
    ),
    "assignments decided": (
        "AND (author = ( SELECT engine.principal_name() AS principal_name))",
        "insert of a shared row",
    ),
    "document_versions stored author": (
        "AND (authored_by = ( SELECT engine.principal_name() AS principal_name))",
        "insert of a shared row",
    ),
    "document_versions stored": ("AND (EXISTS ( SELECT", "oracle of what was stored"),
    "hierarchy_log own": ("AND engine.owns(node_id)", "oracle of a graph"),
    "replayed_records own": ("AND (EXISTS ( SELECT", "oracle of a graph"),
    "conversations opened": ("AND ((node_id IS NULL) OR engine.can('write'::text, node_id))", "oracle of a graph"),
    "conversations opened kind": (
        "(principal_kind = ( SELECT engine.principal_kind() AS principal_kind)) AND",
        "insert of a shared row",
    ),
}
"""Policies of shared tables, the condition taken out of each (an EXISTS: all of it), and what then notices."""


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("name", SHARED)
async def test_a_condition_of_a_shared_policy_taken_away_is_noticed(engine: Engine, world: World, name: str) -> None:
    table, policy = name.split(" ")[:2]
    condition, kind = SHARED[name]
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT with_check AS rule FROM pg_policies WHERE tablename = %s AND policyname = %s AND schemaname = 'engine'",
            [table, policy],
        )
        rule = (await cursor.fetchone())["rule"]
    assert condition in rule, rule
    without = rule[: rule.index(condition)] + ")" if "EXISTS" in condition else rule.replace(condition, "")
    if name == "conversations opened kind":
        without = "((node_id IS NULL) OR engine.can('write'::text, node_id))"
    try:
        await as_service(engine, f"ALTER POLICY {policy} ON engine.{table} WITH CHECK ({without})")
        assert await found(engine, world, kind)
    finally:
        await as_service(engine, f"ALTER POLICY {policy} ON engine.{table} WITH CHECK ({rule})")
