"""A row-level policy that is taken away is noticed by the leak fuzzer, and none is missing here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import pytest
from psycopg import sql

from engine.lab.leaks.forest import grow
from engine.lab.leaks.model import World
from engine.neurigraph import Engine
from tests.access.mutations import (
    ONE_GRAPH,
    as_service,
    in_every_node,
    noticed,
    policies_of_nodes_restored,
    rewrite,
    statement_text,
)

pytestmark = pytest.mark.usefixtures("guards")

PART = {
    "metadata_records": "records",
    "memory_items": "items",
    "file_manifest": "files",
    "delta_log": None,
}
SCOPED = ("metadata_records", "memory_items")
"""The tables that know scopes; a file follows its record."""
PAST_CHANGED = [(table, "changeable") for table in SCOPED]
"""A state that may not be read may not be changed either."""
NODE_POLICIES = [
    (table, policy, half)
    for table in PART
    for policy in ("readable", "writable", "changeable")
    for half in ("whole", "private", "scoped", "past", "part")
    if not (table == "delta_log" and (policy == "changeable" or (policy, half) == ("writable", "private")))
    and (half != "scoped" or (table in SCOPED and policy != "changeable"))
    and (
        half != "past"
        or (table in (*SCOPED, "file_manifest") and policy == "readable")
        or (table, policy) in PAST_CHANGED
    )
    and (half != "part" or (table, policy) == ("file_manifest", "readable"))
]
AIM = {"readable": "rows of a node", "writable": "insert into a node", "changeable": "update of a node"}


STATE = "EXISTS (SELECT FROM {schema}.metadata_records AS r WHERE r.record_id = file_manifest.record_id"
WITHOUT = {
    ("past", False): "(privacy <> 'private' OR (SELECT engine.owns({node})))",
    ("past", True): f"((SELECT engine.owns({{node}})) OR NOT part AND {STATE}))",
    ("part", True): f"((SELECT engine.owns({{node}})) OR {STATE} AND r.file_pointer = file_manifest.storage_path))",
}
"""What is left of a policy without the past, or without what guards files at several nodes; by whether it is about files."""


@asynccontextmanager
async def open_policy(engine: Engine, world: World, table: str, policy: str, half: str) -> AsyncIterator[None]:
    """Takes a policy away on every node, or the part of it that guards what is private, only what is scoped, the past, or files
    that lie at several nodes."""
    clause = "WITH CHECK" if policy == "writable" else "USING"
    mode = "read" if policy == "readable" else "write"
    rule = "true" if half == "whole" else "(SELECT engine.can({mode}, {node}, {part}))"
    if half == "scoped":
        rule += " AND (scope <> 'user' OR privacy <> 'private' OR (SELECT engine.owns({node})))"
    if half in ("past", "part"):
        rule += f" AND {WITHOUT[half, table == 'file_manifest']}"
    statement = f"ALTER POLICY {policy} ON {{schema}}.{table} {clause} ({rule})"
    async with policies_of_nodes_restored(engine, world):
        async with engine.postgres.as_service() as connection:
            for place in world.places.values():
                literals = {"mode": mode, "node": str(place.node_id), "part": PART[table]}
                named = {name: sql.Literal(value) for name, value in literals.items()}
                await connection.execute(sql.SQL(statement).format(schema=sql.Identifier(place.schema_name), **named))
        yield


@pytest.mark.ledger("X01")
@pytest.mark.parametrize(("table", "policy", "half"), NODE_POLICIES)
async def test_a_policy_of_a_node_taken_away_is_noticed(
    engine: Engine, world: World, table: str, policy: str, half: str
) -> None:
    aim = "insert of what is scoped" if (policy, half) == ("writable", "scoped") else AIM[policy]
    async with open_policy(engine, world, table, policy, half):
        assert await noticed(engine, world, aim)


@pytest.mark.ledger("X01", "L05")
@pytest.mark.parametrize("table", SCOPED)
async def test_that_what_is_scoped_need_not_be_private_is_noticed(engine: Engine, world: World, table: str) -> None:
    await in_every_node(engine, world, f"ALTER TABLE {{schema}}.{table} DROP CONSTRAINT scoped_is_private")
    try:
        assert await noticed(engine, world, "insert of what is scoped")
    finally:
        check = "ADD CONSTRAINT scoped_is_private CHECK (scope = 'user' OR privacy = 'private')"
        await in_every_node(engine, world, f"ALTER TABLE {{schema}}.{table} {check}")


@pytest.mark.ledger("X01", "L05")
async def test_a_scope_that_the_graph_takes_for_public_is_noticed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = statement_text("record/apply").replace("row.privacy", "'org'")
    rewrite(monkeypatch, "record/apply", text)
    world = await grow(engine, Random(10), ONE_GRAPH)
    assert await noticed(engine, world, "shell")


# policies of the shared tables ---------------------------------------------------------------------------

SHARED_POLICIES = {
    "nodes readable USING": "shared rows",
    "users own USING": "shared rows",
    "outbox own USING": "shared rows",
    "outbox commits WITH CHECK": "commit",
    "sources own USING": "shared rows, update of shared rows",
    "sources own WITH CHECK": "insert of a shared row",
    "idempotency own USING": "shared rows, update of shared rows",
    "idempotency own WITH CHECK": "insert of a shared row",
    "hierarchy_log own USING": "shared rows",
    "hierarchy_log own WITH CHECK": "insert of a shared row",
    "grants own USING": "shared rows, listing",
    "access_log own USING": "shared rows, log",
    "compression_state_log own USING": "shared rows",
    "node_slices own USING": "shared rows",
    "model_answers own USING": "shared rows",
    "model_answers own WITH CHECK": "insert of a shared row",
    "conversations own USING": "shared rows, update of shared rows",
    "conversations own WITH CHECK": "insert of a shared row",
    "conversations opened WITH CHECK": "insert of a shared row",
    "conversation_turns own USING": "shared rows, update of shared rows",
    "conversation_turns own WITH CHECK": "insert of a shared row",
    "ingest_sessions own USING": "shared rows",
    "ingest_sources own USING": "shared rows",
    "failure_log own USING": "shared rows",
    "documents own USING": "shared rows",
    "documents stored WITH CHECK": "insert of a shared row",
    "document_versions own USING": "shared rows",
    "document_versions stored WITH CHECK": "insert of a shared row",
    "raw_resources own USING": "shared rows",
    "raw_resources stored WITH CHECK": "insert of a shared row",
    "event_log own USING": "shared rows",
    "event_log written WITH CHECK": "insert of a shared row",
    "facts readable USING": "shared rows",
    "fact_doubts readable USING": "shared rows",
    "fact_attributes readable USING": "shared rows",
    "term_counts readable USING": "rows of a node",
    "term_counts writable WITH CHECK": "insert into a node",
    "term_counts changeable USING": "update of a node",
    "assignments own USING": "shared rows",
    "derived_builds own USING": "shared rows",
    "expiries own USING": "shared rows",
    "expiries own WITH CHECK": "insert of a shared row",
    "fact_clusters own USING": "shared rows",
    "insights own USING": "shared rows",
    "entity_meanings own USING": "shared rows",
    "known_entities own USING": "shared rows",
    "known_relations own USING": "shared rows",
    "assignments decided WITH CHECK": "insert of a shared row",
    "replays own USING": "shared rows",
    "replays own WITH CHECK": "insert of a shared row",
    "replayed_records own USING": "shared rows",
    "replayed_records own WITH CHECK": "insert of a shared row",
}


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("name", SHARED_POLICIES)
async def test_a_policy_of_a_shared_table_taken_away_is_noticed(engine: Engine, world: World, name: str) -> None:
    table, policy, clause = name.split(" ", 2)
    column = "qual" if clause == "USING" else "with_check"
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT qual, with_check FROM pg_policies WHERE schemaname = 'engine' AND tablename = %s AND policyname = %s",
            [table, policy],
        )
        rule = (await cursor.fetchone())[column]
    try:
        await as_service(engine, f"ALTER POLICY {policy} ON engine.{table} {clause} (true)")
        assert await noticed(engine, world, SHARED_POLICIES[name])
    finally:
        await as_service(engine, f"ALTER POLICY {policy} ON engine.{table} {clause} ({rule})")


COUNTS = {
    "readable": ("USING", "node_id IN (SELECT w.node_id FROM engine.nodes_within('read', 'items') AS w)"),
    "changeable": ("USING", "node_id IN (SELECT w.node_id FROM engine.nodes_within('write', 'items') AS w)"),
    "writable": (
        "WITH CHECK",
        "(user_id, node_id) IN (SELECT w.user_id, w.node_id FROM engine.nodes_within('write', 'items') AS w)",
    ),
}
"""The policies of word counts, without the part that guards what is private."""


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("policy", COUNTS)
async def test_counts_of_what_is_private_shown_to_readers_are_noticed(
    engine: Engine, world: World, policy: str
) -> None:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT coalesce(qual, with_check) AS rule FROM pg_policies WHERE tablename = 'term_counts' AND policyname = %s",
            [policy],
        )
        rule = (await cursor.fetchone())["rule"]
    clause, opened = COUNTS[policy]
    try:
        await as_service(engine, f"ALTER POLICY {policy} ON engine.term_counts {clause} ({opened})")
        assert await noticed(engine, world, AIM[policy])
    finally:
        await as_service(engine, f"ALTER POLICY {policy} ON engine.term_counts {clause} ({rule})")


async def test_no_policy_of_the_request_role_is_missing_here(engine: Engine, world: World) -> None:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT tablename, policyname FROM pg_policies WHERE schemaname = %s AND policyname <> 'service'",
            [next(iter(world.places.values())).schema_name],
        )
        of_node = {(row["tablename"], row["policyname"]) for row in await cursor.fetchall()}
        cursor = await connection.execute(
            "SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'engine' AND policyname <> 'service'"
        )
        shared = {(row["tablename"], row["policyname"]) for row in await cursor.fetchall()}
    expected = {(table, policy) for table, policy, _ in NODE_POLICIES}
    assert of_node == expected
    of_roles = {("sql_roles", "own")}  # of the roles of analysts, which no read of the engine asks: see test_sql_roles
    permits = {("erasures", "permit")}  # of the role of erasures alone: see test_erasures
    assert shared == {tuple(name.split()[:2]) for name in SHARED_POLICIES} | of_roles | permits
