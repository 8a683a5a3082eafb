"""What Postgres itself holds for the request role: no statement without a principal sees anything, none sees another's."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from engine.domain.history import Conversation, Turn
from engine.domain.search import SearchRequest
from engine.embedded import attached
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.wiring.addresses import request_url

TURNS = (Turn("Bob", "The walleye of Loon Lake."), Turn("Iris", "Noted."))
TABLES = ("metadata_records", "memory_items", "file_manifest", "delta_log")
SHARED = ("nodes", "users", "outbox", "sources", "idempotency", "hierarchy_log", "term_counts")


@pytest.fixture(scope="module")
async def request_connection(engine: Engine):
    async with attached(engine.settings.home, engine.settings.cache, progress=Silent()) as stack:
        async with await psycopg.AsyncConnection.connect(
            request_url(stack.postgres_url), autocommit=True
        ) as connection:
            yield connection


async def schema_with_content(engine: Engine) -> tuple[str, str]:
    user = await engine.workspace.users.create(f"r{uuid4().hex[:12]}")
    await engine.memory(user.user_id).records.remember(Conversation("c", TURNS))
    return (await engine.memory(user.user_id).nodes.shell(user.user_id)).schema_name, str(user.user_id)


async def count(connection, schema: str, table: str) -> int:
    cursor = await connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, table)))
    return (await cursor.fetchone())[0]


@pytest.mark.ledger("N31")
async def test_without_a_principal_every_table_is_empty(engine: Engine, request_connection) -> None:
    schema, user = await schema_with_content(engine)
    for table in TABLES:
        assert await count(request_connection, schema, table) == 0
    for table in SHARED:
        assert await count(request_connection, "engine", table) == 0


@pytest.mark.ledger("N28", "N31")
async def test_a_principal_sees_the_own_rows_and_no_others(engine: Engine, request_connection) -> None:
    mine, me = await schema_with_content(engine)
    theirs, they = await schema_with_content(engine)
    async with request_connection.transaction():
        await request_connection.execute(
            "SELECT set_config('engine.principal_kind', 'user', true), set_config('engine.principal_id', %s, true)",
            [me],
        )
        assert [await count(request_connection, mine, table) > 0 for table in TABLES] == [True] * len(TABLES)
        assert [await count(request_connection, theirs, table) for table in TABLES] == [0] * len(TABLES)
        assert await count(request_connection, "engine", "nodes") == 1
        cursor = await request_connection.execute("SELECT DISTINCT user_id FROM engine.term_counts")
        assert [str(row[0]) for row in await cursor.fetchall()] == [me]
        for user in (they, me):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                async with request_connection.transaction():
                    await request_connection.execute(
                        "INSERT INTO engine.term_counts (user_id, term, node_id, unit, documents) VALUES (%s, 1, %s, 'turn', 1)",
                        [user, they],
                    )
    assert await count(request_connection, mine, "memory_items") == 0  # the principal ended with its transaction


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM {}.delta_log", "UPDATE {}.delta_log SET authored_by = ''", "TRUNCATE {}.delta_log", "DROP SCHEMA {} CASCADE",
        "DELETE FROM {}.memory_items", "ALTER TABLE {}.memory_items DISABLE ROW LEVEL SECURITY", "CREATE TABLE {}.mine (a int)",
        "SET ROLE neurigraph_owner", "SET row_security = off; SELECT * FROM {}.memory_items", "SELECT engine.unknown_files('x', '{{}}')",
        "UPDATE engine.nodes SET user_id = user_id", "SELECT engine.create_node_schema(gen_random_uuid(), 'mine')",
        "CREATE SCHEMA mine", "CREATE TABLE public.mine (a int)", "SELECT * FROM engine.node_facts(gen_random_uuid(), 1)",
    ],
)  # fmt: skip
@pytest.mark.ledger("N31")
async def test_the_request_role_owns_nothing_and_cannot_bypass(
    engine: Engine, request_connection, statement: str
) -> None:
    schema, me = await schema_with_content(engine)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with request_connection.transaction():
            await request_connection.execute(
                "SELECT set_config('engine.principal_kind', 'user', true), set_config('engine.principal_id', %s, true)",
                [me],
            )
            await request_connection.execute(sql.SQL(statement).format(sql.Identifier(schema)))


async def test_every_table_forces_its_policies(engine: Engine) -> None:
    """But for the queue's, where the library reads from an error which key was taken: forced, Postgres would not say."""
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)"
            " AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'template', 'public', '_queue')"
        )
        assert await cursor.fetchall() == []


@pytest.mark.ledger("N28")
async def test_a_search_stays_in_the_own_graph(engine: Engine) -> None:
    await schema_with_content(engine)
    user = await engine.workspace.users.create(f"r{uuid4().hex[:12]}")
    answer = await engine.memory(user.user_id).search(SearchRequest("walleye of Loon Lake", widen="always"))
    assert (answer.hits, answer.items_searched) == ((), 0)
