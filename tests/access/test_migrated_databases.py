"""A database that older releases made and today's upgraded is, by the catalog, the one that today's files make."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from psycopg import AsyncConnection, sql
from psycopg.errors import InsufficientPrivilege
from psycopg.types.json import Jsonb

from engine.commit.changes import from_row
from engine.embedded import Stack
from engine.errors import MigrationError, StoreTimeout
from engine.hierarchy.tables import Upgrades
from engine.neurigraph import Engine
from engine.stores.migrations import LONGEST, Migration, functions, migrate_postgres, migrations
from engine.stores.postgres import Postgres
from engine.wiring.addresses import request_url
from tests.access.databases import elsewhere, new_database, new_user, opened

Connection = AsyncConnection[dict[str, Any]]
CATALOG = {  # a dump that was loaded has other parentheses in the conditions of triggers
    "columns": "SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstorage,"
    " a.attidentity, pg_get_expr(d.adbin, d.adrelid))"
    " FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
    " LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relkind IN ('r', 'v') AND c.relnamespace = {schema}",
    "constraints": "SELECT c.relname || ' ' || pg_get_constraintdef(k.oid) FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid"
    " WHERE c.relnamespace = {schema}",
    "indexes": "SELECT regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX \\S+ ON', 'INDEX ON') FROM pg_index AS i"
    " JOIN pg_class AS c ON c.oid = i.indrelid WHERE c.relkind = 'r' AND c.relnamespace = {schema}",
    "triggers": "SELECT translate(pg_get_triggerdef(t.oid), '()', '') FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid"
    " WHERE NOT t.tgisinternal AND c.relnamespace = {schema}",
    "policies": "SELECT concat_ws(' ', tablename, policyname, cmd, roles, qual, with_check) FROM pg_policies"
    " WHERE schemaname::regnamespace = {schema}",
    "rights": "SELECT concat_ws(' ', c.relname, c.relrowsecurity, c.relforcerowsecurity, a.privilege_type, a.grantee::regrole)"
    " FROM pg_class AS c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS a WHERE c.relkind = 'r' AND c.relnamespace = {schema}",
    "functions": "SELECT pg_get_functiondef(p.oid) || ' ' || coalesce(p.proacl::text, 'PUBLIC') FROM pg_proc AS p"
    " WHERE p.prokind = 'f' AND p.pronamespace = {schema}",
}
DUMPS = Path(__file__).with_name("older_releases")
"""What releases left, by the number of their last migration: a user with a root node and a record in it, by `pg_dump
--no-owner --inserts`, without extensions and settings."""
OLDER = sorted(int(path.name[1:5]) for path in DUMPS.iterdir())


async def catalog(connection: Connection, schema: str, node: UUID | None = None) -> set[tuple[str, str]]:
    """What the schema holds, each as text; the node's id and the schema's name are taken out."""
    found = set()
    for kind, query in CATALOG.items():
        statement = sql.SQL(query.replace("{schema}", "%(schema)s::regnamespace"))
        cursor = await connection.execute(statement, {"schema": schema})
        for row in await cursor.fetchall():
            text = str(next(iter(row.values()))).replace(schema, "SCHEMA").replace(str(node), "NODE")
            found.add((kind, text))
    return found


async def as_of_release(postgres: Postgres, last: int) -> UUID:
    """The database that a release left; its user."""
    async with postgres.as_service() as connection:
        await connection.execute("SET LOCAL check_function_bodies = off")
        await connection.execute(gzip.decompress((DUMPS / f"V{last:04}.sql.gz").read_bytes()))
        row = await (await connection.execute("SELECT user_id FROM engine.users")).fetchone()
        assert row is not None
        return row["user_id"]


EDGE = uuid5(NAMESPACE_OID, "an edge")


async def with_an_edge(postgres: Postgres, user: UUID) -> None:
    """What releases before migration 38 wrote of an edge: its chain, a finished commit and a pending one."""
    change = {"user_id": str(user), "edge_id": str(EDGE), "revision": 2}
    async with postgres.as_service() as connection:
        for revision, operation in enumerate(("created", "changed"), 1):
            await connection.execute(
                sql.SQL(
                    "INSERT INTO {}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, authored_by, revision)"
                    " VALUES (gen_random_uuid(), 'relation', %s, '-infinity', %s, 'user', %s)"
                ).format(sql.Identifier(f"s{user.hex}")),
                [EDGE, Jsonb({"operation": operation}), revision],
            )
        for done_at, payload in (
            ("now", {"revision": change}),
            (None, {"changes": [{"kind": "relation", "revision": change}]}),
        ):
            await connection.execute(
                "INSERT INTO engine.outbox (commit_id, user_id, kind, payload, state, done_at)"
                " VALUES (gen_random_uuid(), %s, 'relation', %s, %s, %s::timestamptz)",
                [user, Jsonb(payload), "done" if done_at else "pending", done_at],
            )


async def the_edge_is_one(postgres: Postgres, user: UUID) -> None:
    """After the upgrade its chain and its commits have the new name, and no name else was changed."""
    async with postgres.as_service() as connection:
        log = sql.SQL(
            "SELECT subject_kind, subject_id, revision, payload ->> 'operation' AS operation FROM {}.delta_log ORDER BY revision"
        )
        rows = await (await connection.execute(log.format(sql.Identifier(f"s{user.hex}")))).fetchall()
        assert [tuple(row.values()) for row in rows] == [("edge", EDGE, 1, "created"), ("edge", EDGE, 2, "changed")]
        for text in ("UPDATE {}.delta_log SET revision = 3", "DELETE FROM {}.delta_log"):
            with pytest.raises(InsufficientPrivilege, match="append-only"):
                async with connection.transaction():
                    await connection.execute(sql.SQL(text).format(sql.Identifier(f"s{user.hex}")))
        commits = await connection.execute("SELECT kind, kinds, payload FROM engine.outbox WHERE kind <> 'node'")
        for commit in await commits.fetchall():
            [change] = from_row(commit["kind"], commit["payload"])
            assert (commit["kind"], commit["kinds"], change["kind"]) == (
                "edge_revised",
                ["edge_revised"],
                "edge_revised",
            )
            assert change["revision"]["edge_id"] == str(EDGE)
        assert commits.rowcount == 2


async def of_today(postgres: Postgres) -> UUID:
    """A new database with a user and a record, as the dumps have them; the user."""
    await migrate_postgres(postgres, migrations("postgres"))
    user = await new_user(postgres)
    async with postgres.as_service() as connection:
        await connection.execute(
            sql.SQL(
                "INSERT INTO {}.metadata_records (record_id, state, commit_id, summary, content_type, trigger_type, source_id, embedding_pending)"
                " VALUES (gen_random_uuid(), 'live', gen_random_uuid(), 'Ann sails.', 'other', 'event_boundary', 'log', true)"
            ).format(sql.Identifier(f"s{user.hex}"))
        )
    return user


async def upgraded(stack: Stack, release: int | None) -> set[tuple[str, str]]:
    """The catalog of a database of that release after its upgrade, or of one that is new, with a user and a record."""
    async with new_database(stack, "neurigraph_owner") as name:
        url, request = (elsewhere(one, name) for one in (stack.postgres_url, request_url(stack.postgres_url)))
        async with opened(url, request) as postgres:
            user = await (as_of_release(postgres, release) if release else of_today(postgres))
            schema = f"s{user.hex}"
            if release:
                await with_an_edge(postgres, user)
            await migrate_postgres(postgres, migrations("postgres"))
            assert (await Upgrades(postgres).run()).damaged == 0
            async with postgres.as_service() as connection:
                row = await (
                    await connection.execute(
                        sql.SQL("SELECT summary FROM {}.metadata_records").format(sql.Identifier(schema))
                    )
                ).fetchone()
                assert row == {"summary": "Ann sails."}
                parts = [await catalog(connection, one, user) for one in ("engine", "template", schema)]
            if release:
                await the_edge_is_one(postgres, user)
    return set[tuple[str, str]]().union(*parts)


@pytest.fixture(scope="module")
async def todays(engine: Engine, stack: Stack) -> set[tuple[str, str]]:
    return await upgraded(stack, None)


@pytest.mark.parametrize("release", OLDER)
async def test_an_upgraded_database_is_a_new_one(
    engine: Engine, stack: Stack, todays: set[tuple[str, str]], release: int
) -> None:
    """With data: the user, its node with tables of then, a record and an edge are there; all that the catalog knows is alike."""
    found = await upgraded(stack, release)
    assert {kind for kind, _ in todays} == CATALOG.keys() and len(todays) > 600
    assert sorted(found - todays) == [] and sorted(todays - found) == []


def test_migrations_hold_no_functions() -> None:
    """They have files of their own, which are applied again when they change."""
    assert [
        one.name
        for one in migrations("postgres")
        if re.search(r"\bFUNCTION\s+engine\.\w+\s*\([^)]*\)\s*RETURNS", one.text)
    ] == []


async def test_every_function_is_the_one_of_its_file(engine: Engine) -> None:
    """None is without a file, and applying all again changes nothing."""
    async with engine.postgres.service.connection() as connection, connection.transaction(force_rollback=True):
        cursor = await connection.execute(
            "SELECT DISTINCT proname AS name FROM pg_proc WHERE pronamespace = 'engine'::regnamespace"
        )
        names = {row["name"] for row in await cursor.fetchall()}
        assert names == {one.name.rpartition("/")[2] for one in functions()}
        before = await catalog(connection, "engine")
        for one in functions():
            await connection.execute(sql.SQL(one.text))
        assert await catalog(connection, "engine") == before


async def test_a_changed_function_is_applied_once_and_an_older_text_is_refused(engine: Engine, stack: Stack) -> None:
    async with new_database(stack, "neurigraph_owner") as name:
        url, request = (elsewhere(one, name) for one in (stack.postgres_url, request_url(stack.postgres_url)))
        async with opened(url, request) as postgres:
            wanted, today = migrations("postgres"), functions()
            await migrate_postgres(postgres, wanted)
            changed = [
                replace(one, text=one.text.replace("'user'", "'User'")) if one.name == "access/principal_user" else one
                for one in today
            ]
            assert changed != today
            assert await migrate_postgres(postgres, wanted, changed) == ["access/principal_user"]
            assert await migrate_postgres(postgres, wanted, changed) == []
            with pytest.raises(MigrationError, match="newer text of the function access/principal_user"):
                await migrate_postgres(postgres, wanted, today)


async def test_a_migration_may_take_longer_than_a_statement_of_a_request(stack: Stack) -> None:
    """Longer than the server's limit, and than the client waits. Later statements of the connection have the limit again."""
    long = "SELECT pg_sleep(2)"
    async with new_database(stack, "neurigraph_owner") as name:
        url, request = (elsewhere(one, name) for one in (stack.postgres_url, request_url(stack.postgres_url)))
        async with opened(url, request, statement_timeout=0.5) as postgres:
            wanted = migrations("postgres")
            asks_its_limit = Migration(
                "V9998__limit.sql",
                "CREATE TABLE limit_seen AS SELECT current_setting('statement_timeout')",
                len(wanted) + 1,
            )
            sleeps = Migration("V9999__sleeps.sql", long, len(wanted) + 2)
            applied = await migrate_postgres(postgres, [*wanted, asks_its_limit, sleeps])
            assert applied[len(wanted) : len(wanted) + 2] == [asks_its_limit.name, sleeps.name]
            async with postgres.as_service() as connection:
                row = await (await connection.execute("SELECT current_setting FROM limit_seen")).fetchone()
                assert row == {"current_setting": "1h"} and LONGEST == 3600
            with pytest.raises(StoreTimeout):
                async with postgres.as_service() as connection:
                    await connection.execute(long)


async def test_a_new_node_has_all_of_the_template_also_after_a_migration_changed_it(stack: Stack) -> None:
    """Its columns, constraints (with their names) and indexes are those that the server itself copies; nothing but references is added."""
    async with new_database(stack, "neurigraph_owner") as name:
        url, request = (elsewhere(one, name) for one in (stack.postgres_url, request_url(stack.postgres_url)))
        async with opened(url, request) as postgres:
            wanted = migrations("postgres")
            await migrate_postgres(postgres, wanted)
            changed = "ALTER TABLE template.memory_items ADD COLUMN mood text NOT NULL DEFAULT 'it''s, calm' CHECK (mood <> ''), ADD UNIQUE (mood)"
            await migrate_postgres(postgres, [*wanted, Migration("V9999__mood.sql", changed, len(wanted) + 1)])
            user = await new_user(postgres)
            async with postgres.as_service() as connection:
                await connection.execute("CREATE SCHEMA copied")
                tables = await connection.execute(
                    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'template'::regnamespace"
                )
                for row in await tables.fetchall():
                    await connection.execute(
                        sql.SQL("CREATE TABLE copied.{0} (LIKE template.{0} INCLUDING ALL)").format(
                            sql.Identifier(row["relname"])
                        )
                    )
                made, copied = [await _shape(connection, schema) for schema in (f"s{user.hex}", "copied")]
    assert {row for row in made - copied if "FOREIGN KEY" not in row[1]} == set() and copied - made == set()
    assert any("it''s, calm" in text for _, text in made) and len(made) > 150


async def _shape(connection: Connection, schema: str) -> set[tuple[str, str]]:
    names = await connection.execute(
        "SELECT concat_ws(' ', c.relname, k.conname, pg_get_constraintdef(k.oid)) AS text FROM pg_constraint AS k"
        " JOIN pg_class AS c ON c.oid = k.conrelid WHERE c.relnamespace = %s::regnamespace",
        [schema],
    )
    found = {("name", row["text"].replace(schema, "SCHEMA")) for row in await names.fetchall()}
    return found | {row for row in await catalog(connection, schema) if row[0] in ("columns", "constraints", "indexes")}
