"""No function of the engine runs code of its caller: by the catalog, and by the attack itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from engine.embedded import Stack
from engine.neurigraph import Engine
from engine.stores.migrations import Migration, migrate_postgres, migrations
from engine.wiring.addresses import request_url
from tests.access.databases import administrator, elsewhere, migrated, new_database, opened

OURS = "p.pronamespace::regnamespace::text IN ('engine', '_queue', 'template', 'neurigraph_erasure')"
UNPINNED = (
    f"SELECT p.oid::regprocedure::text AS name FROM pg_proc AS p WHERE {OURS} AND NOT EXISTS"
    " (SELECT FROM unnest(p.proconfig) AS s WHERE s LIKE 'search_path=%%, pg_temp' AND s NOT LIKE '%%pg_temp%%pg_temp')"
)


@pytest.mark.ledger("N31")
async def test_every_function_looks_into_the_temporary_schema_last(engine: Engine) -> None:
    """Triggers and what the functions call, too; of the queue as well."""
    async with engine.postgres.as_service() as connection:
        assert await (await connection.execute(UNPINNED, {})).fetchall() == []
        counted = await (await connection.execute(f"SELECT count(*) AS n FROM pg_proc AS p WHERE {OURS}")).fetchone()
        assert counted is not None and counted["n"] > 120


async def test_everybody_may_call_none_of_them(engine: Engine) -> None:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT p.oid::regprocedure::text AS name FROM pg_proc AS p,"
            f" aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a WHERE {OURS} AND a.grantee = 0"
        )
        assert await cursor.fetchall() == []


@pytest.fixture(scope="module")
async def scratch(engine: Engine, stack: Stack) -> AsyncIterator[tuple[str, UUID]]:
    """A database of this module's own and a user in it; functions may be spoilt there."""
    async with new_database(stack, "neurigraph_owner") as name:
        yield name, await migrated(stack, elsewhere(stack.postgres_url, name))


async def test_a_function_of_a_later_migration_gets_the_path_too(stack: Stack, scratch: tuple[str, UUID]) -> None:
    url, request = (elsewhere(one, scratch[0]) for one in (stack.postgres_url, request_url(stack.postgres_url)))
    text = "CREATE FUNCTION engine.later(p_id uuid) RETURNS uuid LANGUAGE sql SECURITY DEFINER SET work_mem = '4MB' RETURN p_id;"
    there = migrations("postgres")
    later = Migration(f"V{len(there) + 1:04}__later.sql", text, len(there) + 1)
    async with opened(url, request) as postgres:
        assert await migrate_postgres(postgres, [*there, later]) == [later.name]
        async with postgres.as_service() as connection:
            assert await (await connection.execute(UNPINNED, {})).fetchall() == []


# the attack ----------------------------------------------------------------------------------------------

EVIL = """
CREATE FUNCTION pg_temp.evil() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'neurigraph_request' THEN
        RAISE EXCEPTION 'evil ran as %', current_user USING ERRCODE = 'EV111';
    END IF;
    RETURN true;
END $$
"""
TYPES = ("uuid", "text", "timestamptz", "jsonb", "bytea", "interval", "oid", "record", "vector", "sparsevec")
TABLES = ("pg_proc", "pg_class", "pg_attribute", "pg_namespace", "pg_constraint", "nodes", "grants", "users")
CALLS = (
    "SELECT format('SELECT %s%s(%s)', CASE WHEN p.proretset THEN '* FROM ' ELSE '' END, p.oid::regproc,"
    " (SELECT string_agg(format('NULL::%I.%I', n.nspname, t.typname), ', ' ORDER BY place)"
    "  FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, place) JOIN pg_type AS t ON t.oid = a.type JOIN pg_namespace AS n ON n.oid = t.typnamespace))"
    " FROM pg_proc AS p WHERE p.pronamespace = 'engine'::regnamespace AND p.prorettype <> 'trigger'::regtype"
    " AND has_function_privilege('neurigraph_request', p.oid, 'EXECUTE') ORDER BY 1"
)


async def attacked(stack: Stack, name: str, user: UUID) -> list[str]:
    """What code of the caller's ran as, for every function that the request role may call, with types and tables of its own in their place."""
    async with administrator(stack, name) as connection:
        calls = [str(row[0]) for row in await (await connection.execute(CALLS)).fetchall()]
    ran = []
    url = elsewhere(request_url(stack.postgres_url), name)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(EVIL)
        for one in TYPES:
            if one != "record":
                home = "public" if one in ("vector", "sparsevec") else "pg_catalog"
                statement = "CREATE DOMAIN pg_temp.{name} AS {home}.{name} CHECK (pg_temp.evil())"
                await connection.execute(sql.SQL(statement).format(name=sql.Identifier(one), home=sql.Identifier(home)))
        for one in TABLES:
            statement = "CREATE VIEW pg_temp.{name} AS SELECT pg_temp.evil() AS oid"
            await connection.execute(sql.SQL(statement).format(name=sql.Identifier(one)))
        await connection.execute("SET search_path = pg_temp, public, pg_catalog")
        who = "SELECT pg_catalog.set_config('engine.principal_kind', 'user', false), pg_catalog.set_config('engine.principal_id', %s, false)"
        await connection.execute(who, [str(user)])
        for call in calls:
            try:
                await connection.execute(call)
            except psycopg.Error as error:
                if error.sqlstate == "EV111":
                    ran.append(f"{call}: {error}")
    assert len(calls) > 40
    return ran


@pytest.mark.ledger("N31")
async def test_types_and_tables_of_the_caller_are_not_found_by_any_function(
    stack: Stack, scratch: tuple[str, UUID]
) -> None:
    """Even where the caller may make temporary objects; and the attack works where a function has the path of before."""
    name, user = scratch
    async with administrator(stack, name) as connection:
        await connection.execute(
            sql.SQL("GRANT TEMPORARY ON DATABASE {} TO neurigraph_request").format(sql.Identifier(name))
        )
        assert await attacked(stack, name, user) == []
        await connection.execute("ALTER FUNCTION engine.owns(uuid) SET search_path = pg_catalog")
        assert {text.partition("(")[0] for text in await attacked(stack, name, user)} >= {"SELECT engine.owns"}
        await connection.execute("ALTER FUNCTION engine.owns(uuid) SET search_path = pg_catalog, pg_temp")
        assert await attacked(stack, name, user) == []


@pytest.mark.ledger("N31")
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE DOMAIN pg_temp.uuid AS pg_catalog.uuid", "CREATE TEMP TABLE nodes (node_id uuid)", "CREATE TEMP VIEW nodes AS SELECT 1",
        "CREATE FUNCTION pg_temp.evil() RETURNS boolean LANGUAGE sql RETURN true", "SELECT 1 AS a INTO TEMP mine", "CREATE TEMP SEQUENCE mine",
        "CREATE TYPE pg_temp.mine AS (a int)", "CREATE OPERATOR pg_temp.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = uuid_eq)",
        "CREATE CAST (uuid AS text) WITH INOUT AS IMPLICIT", "CREATE FUNCTION public.evil() RETURNS boolean LANGUAGE sql RETURN true",
        "CREATE FUNCTION engine.evil() RETURNS boolean LANGUAGE sql RETURN true", "CREATE SCHEMA neurigraph_request",
        "SET ROLE neurigraph_owner", "SET ROLE postgres", "SET ROLE neurigraph_erasure", "SET SESSION AUTHORIZATION neurigraph_owner", "SET SESSION AUTHORIZATION postgres",
        "COPY (SELECT 1) TO PROGRAM 'true'", "COPY engine.nodes FROM PROGRAM 'true'", "COPY (SELECT 1) TO '/tmp/neurigraph-mine'",
        "SELECT pg_read_file('postgresql.conf')", "SELECT lo_import('/etc/passwd')", "SELECT pg_ls_dir('.')", "SET session_replication_role = replica",
        "ALTER SYSTEM SET jit = on", "CREATE ROLE mine LOGIN", "ALTER ROLE neurigraph_request CREATEROLE", "GRANT neurigraph_owner TO neurigraph_request",
        "ALTER FUNCTION engine.owns(uuid) RESET search_path", "ALTER FUNCTION engine.owns(uuid) SET search_path = pg_temp", "DROP EXTENSION vector",
        "ALTER DATABASE neurigraph SET search_path = pg_temp", "ALTER DEFAULT PRIVILEGES FOR ROLE neurigraph_owner GRANT ALL ON TABLES TO PUBLIC",
        "CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION engine.refuse_change()", "CREATE PUBLICATION mine FOR ALL TABLES",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'neurigraph_owner'", "TRUNCATE engine.tokens", "SELECT neurigraph_erasure.permit(NULL, 'rows')", "SELECT engine.hold_writes_alone(NULL)",
    ],
)  # fmt: skip
async def test_the_request_role_makes_nothing_and_becomes_nobody(engine: Engine, stack: Stack, statement: str) -> None:
    async with await psycopg.AsyncConnection.connect(request_url(stack.postgres_url), autocommit=True) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute(statement)


async def test_there_is_no_way_out_of_the_database(engine: Engine) -> None:
    async with engine.postgres.as_service() as connection:
        for statement, wanted in (
            ("SELECT extname AS name FROM pg_extension ORDER BY 1", ["plpgsql", "vector"]),
            ("SELECT lanname AS name FROM pg_language ORDER BY 1", ["c", "internal", "plpgsql", "sql"]),
            ("SELECT fdwname AS name FROM pg_foreign_data_wrapper", []),
            ("SELECT proname AS name FROM pg_proc WHERE proname LIKE 'dblink%'", []),
        ):
            cursor = await connection.execute(statement)
            assert [row["name"] for row in await cursor.fetchall()] == wanted


async def test_a_path_of_the_callers_changes_no_answer(engine: Engine, stack: Stack) -> None:
    user = await engine.workspace.users.create(f"p{uuid4().hex[:12]}")
    async with await psycopg.AsyncConnection.connect(request_url(stack.postgres_url), autocommit=True) as connection:
        await connection.execute("SET search_path = pg_temp, public, pg_catalog")
        who = "SELECT set_config('engine.principal_kind', 'user', false), set_config('engine.principal_id', %s, false)"
        await connection.execute(who, [str(user.user_id)])
        asked = [(user.user_id, True), (uuid4(), False)]
        for node, owns in asked:
            assert await (await connection.execute("SELECT engine.owns(%s)", [node])).fetchone() == (owns,)
