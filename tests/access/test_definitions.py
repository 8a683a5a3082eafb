"""What a database is made of: the file that says it is what the migrations make, and each thing that is lost is found and made again."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator

import pytest
from psycopg import sql

from engine.embedded import Stack
from engine.lifecycle.definition_check import KIND, DefinitionCheck
from engine.neurigraph import Engine
from engine.stores import definitions, graph_definitions
from engine.stores.migrations import functions, lost_functions, migrate_postgres, migrations
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher
from engine.wiring.addresses import request_url
from tests.access.databases import elsewhere, new_database, new_user, opened
from tests.access.losses import CHANGES, LOSSES, UNMENDED, losing, of_kind

REWRITE = "NEURIGRAPH_REWRITE_DEFINITIONS"
"""Set it to write the file anew: after a migration of Postgres."""


@pytest.fixture
async def scratch(engine: Engine, stack: Stack) -> AsyncIterator[Postgres]:
    """A new database as the migrations make it."""
    async with new_database(stack, "neurigraph_owner") as name:
        url, request = (elsewhere(one, name) for one in (stack.postgres_url, request_url(stack.postgres_url)))
        async with opened(url, request) as postgres:
            await migrate_postgres(postgres, migrations("postgres"))
            yield postgres


async def test_the_file_is_what_the_migrations_make(scratch: Postgres) -> None:
    async with scratch.as_service() as connection:
        made = definitions.as_json(await definitions.there(connection))
    if os.environ.get(REWRITE):
        definitions.FILE.write_text(made, encoding="utf-8")
    assert definitions.FILE.read_text(encoding="utf-8") == made, f"run this test once with {REWRITE}=1"


async def test_the_indexes_of_the_graph_are_those_that_its_migrations_name(engine: Engine) -> None:
    there = await engine.neo4j.read(cypher("schema/definitions"))
    wanted = {(one.name, one.kind, one.of, one.properties, one.unique) for one in graph_definitions.expected()}
    made = {
        (row["name"], row["kind"], tuple(row["of"]), tuple(row["properties"]), row["unique"])  # type: ignore[index]
        for row in there
    }
    assert made - {one for one in made if one[0] == "migration_version"} == wanted and len(wanted) > 25
    assert await graph_definitions.faults(engine.neo4j) == []


async def inflict(postgres: Postgres, statements: Iterator[sql.Composed]) -> None:
    async with postgres.as_service() as connection:
        for statement in statements:
            await connection.execute(statement)


async def whole(postgres: Postgres) -> set[tuple[str, ...]]:
    async with postgres.as_service() as connection:
        return {one.compared for one in await definitions.there(connection)}


async def test_every_definition_of_the_shared_tables_is_missed_and_made_again(
    engine: Engine, scratch: Postgres
) -> None:
    assert {one.kind for one in definitions.expected()} == LOSSES.keys() | UNMENDED
    user, before = await new_user(scratch), await whole(scratch)
    check = DefinitionCheck(scratch, engine.neo4j)
    assert [one for one in await check.findings() if one.kind] == []
    for kind, statement in (*LOSSES.items(), *CHANGES.items()):
        lost = of_kind(kind)
        await inflict(scratch, (losing(statement, one) for one in lost))
        found = [one for one in await check.findings() if one.kind]
        said = " ".join(one.problem for one in found)
        assert [one.title for one in lost if f"{one.title} is missing" not in said] == []
        assert {(one.severity, one.kind, "doctor --fix" in one.remedy) for one in found} == {("error", KIND, True)}
        assert await check.mend() == []
        assert await whole(scratch) == before, kind
    rows = await scratch.fetch_as_service(sql.SQL("SELECT user_id::text AS u FROM engine.users"), row=str)
    assert rows == [str(user)]


async def test_a_lost_table_or_column_takes_a_backup(engine: Engine, scratch: Postgres) -> None:
    await scratch.change_as_service(
        sql.SQL("DROP TABLE engine.job_totals; ALTER TABLE engine.damage DROP COLUMN noted_at")
    )
    check = DefinitionCheck(scratch, engine.neo4j)
    found = [
        (one.problem.partition(" is missing")[0], one.kind, one.remedy)
        for one in await check.findings()
        if "embed" not in one.subject
    ]
    backup = "restore Postgres from a backup"
    assert found == [
        ("the column noted_at of engine.damage", "", backup),
        ("the table of engine.job_totals", "", backup),
    ]
    assert await check.mend() == []


async def test_every_function_is_missed_and_made_again_at_the_next_start(engine: Engine, scratch: Postgres) -> None:
    """With what hangs on it: a policy that calls it, a trigger that runs it. A column that is computed by one would be gone with it."""
    before, names = await whole(scratch), sorted(one.name for one in functions() if one.name != "commit/change_kinds")
    drop = "SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) AS f FROM pg_proc WHERE pronamespace = 'engine'::regnamespace"
    async with scratch.as_service() as connection:
        for statement in await connection.fetch(sql.SQL(drop + " AND proname <> 'change_kinds'"), row=str):
            await connection.execute(statement.encode())
    assert sorted(await lost_functions(scratch)) == names
    assert sorted(await migrate_postgres(scratch, migrations("postgres"))) == names
    assert await lost_functions(scratch) == [] != await definitions.repeat(scratch)
    assert await DefinitionCheck(scratch, engine.neo4j).mend() == [] and await whole(scratch) == before
    for damage in (
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA engine TO PUBLIC",
        "REVOKE EXECUTE ON FUNCTION engine.principal_user FROM neurigraph_request",
        "CREATE OR REPLACE FUNCTION engine.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    ):
        await scratch.change_as_service(sql.SQL(damage))
        assert await lost_functions(scratch) != []
        await migrate_postgres(scratch, migrations("postgres"))
        assert await lost_functions(scratch) == []


async def test_every_function_that_was_changed_is_seen_and_made_again(engine: Engine, scratch: Postgres) -> None:
    """Also where its file has no quoted body, of which Postgres keeps no text: another body, other rights, another volatility."""
    names, check = sorted(one.name for one in functions()), DefinitionCheck(scratch, engine.neo4j)
    there = "SELECT pg_get_functiondef(p.oid) AS f FROM pg_proc AS p WHERE p.pronamespace = 'engine'::regnamespace"
    made = await scratch.fetch_as_service(sql.SQL(there), row=str)
    heads = [re.split(r"\n(?=AS \$|RETURN |BEGIN ATOMIC)", one)[0] for one in made]
    other = [re.sub(r" (STABLE|IMMUTABLE)| SECURITY DEFINER", "", one) for one in made]
    for changed in ([f"{one}\nAS 'SELECT NULL'" for one in heads], other):
        async with scratch.as_service() as connection:
            await connection.execute("SET LOCAL check_function_bodies = off")
            for one in changed:
                await connection.execute(one.encode())
        wanted = sorted({one.partition("(")[0] for one, was in zip(changed, made, strict=True) if one != was})
        lost = sorted(await lost_functions(scratch))
        assert [one.rpartition("/")[2] for one in names if one in lost] and len(lost) == len(wanted) > 100
        said = " ".join(one.problem for one in await check.findings())
        assert [one for one in lost if f"the function {one} is missing, or another" not in said] == []
        assert sorted(await migrate_postgres(scratch, migrations("postgres"))) == lost
        assert await lost_functions(scratch) == []
        assert sorted(await scratch.fetch_as_service(sql.SQL(there), row=str)) == sorted(made)
