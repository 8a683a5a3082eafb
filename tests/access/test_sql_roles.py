"""The role of an analyst reads its user's rows in twelve views, and nothing else, whatever its session sets or sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import conninfo

from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.embedded import Stack
from engine.errors import Conflict, InvalidInput, NotFound
from engine.neurigraph import Engine
from engine.stores.sql_roles import IssuedRole, SqlRoles, listed, renew_views
from engine.wiring.addresses import request_url
from engine.wiring.open_engine import open_engine
from tests.access.databases import administrator, elsewhere, migrated, new_database, opened
from tests.workshop import AT_MOST, Gate, fresh, job, workshop

VIEWS = (
    "access_log",
    "changes",
    "documents",
    "entities",
    "facts",
    "facts_now",
    "files",
    "ingests",
    "items",
    "nodes",
    "records",
    "relations",
)
Analyst = psycopg.AsyncConnection[tuple[object, ...]]


@dataclass(frozen=True)
class Person:
    """A user with something in each view, and the role that reads it."""

    user: User
    issued: IssuedRole
    ids: dict[str, list[str]]
    """The rows of each view, by their first column, as the role sees them."""

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Analyst]:
        async with await connect(self.issued) as connection:
            yield connection


async def connect(issued: IssuedRole) -> Analyst:
    return await psycopg.AsyncConnection.connect(
        host=issued.host, port=issued.port, dbname=issued.database, user=issued.role, password=issued.password, autocommit=True
    )  # fmt: skip


async def rows(connection: Analyst, statement: str, given: list[object] | None = None) -> list[tuple[object, ...]]:
    return await (await connection.execute(statement, given)).fetchall()  # type: ignore[arg-type]


async def seen(connection: Analyst) -> dict[str, list[str]]:
    """The rows of each view, by their first column."""
    return {
        view: sorted(str(one[0]) for one in await rows(connection, f"SELECT * FROM analysis.{view}")) for view in VIEWS
    }


async def person(engine: Engine, roles: SqlRoles) -> Person:
    name = f"a{uuid4().hex[:12]}"
    user = await engine.workspace.users.create(name, "Ann Harlan")
    memory = engine.memory(user.user_id)
    family = await memory.nodes.provision(NewNode(user.user_id, "Family"))
    report = await memory.records.remember(
        Conversation("c", (Turn("Ann", f"{name} met Dave at the lake. Dave Harlan is married to Ellen Harlan."),)),
        node_id=family.node_id,
    )
    await memory.history.change(
        Change("record", report.records[0].record_id, {"title": f"{name} again"}, family.node_id)
    )
    await memory.records.remember_text(
        "The lease", f"The lease of {name}.", source_id=f"lease-{name}", node_id=family.node_id
    )
    for street, year in (("Birch Street", 2023), ("Osprey Lane", 2024)):
        await memory.facts.write(WrittenFact(f"Ellen lives at {street}.", at=datetime(year, 6, 1, tzinfo=UTC)))
    with pytest.raises(NotFound):
        await memory.nodes.shell(uuid4())
    await engine.memory(user.user_id).grants.give(await grant(engine, family.node_id))
    await engine.derivations.run("communities")
    issued = await roles.create(f"reads_{name}", user.user_id)
    async with await connect(issued) as connection:
        return Person(user, issued, await seen(connection))


async def grant(engine: Engine, node: UUID) -> NewGrant:
    calendar = await engine.workspace.integrations.create(f"calendar-{uuid4().hex[:8]}")
    return NewGrant(node, "third_party", calendar.integration_id)


@pytest.fixture(scope="module")
def roles(engine: Engine, stack: Stack) -> SqlRoles:
    return SqlRoles(engine.postgres, stack.postgres_admin_url)


@pytest.fixture(scope="module")
async def two(engine: Engine, roles: SqlRoles) -> AsyncIterator[tuple[Person, Person]]:
    made = await person(engine, roles), await person(engine, roles)
    yield made
    for one in made:
        await roles.drop(one.issued.role)


@pytest.mark.ledger("U10")
async def test_each_role_sees_all_rows_of_its_user_and_none_of_others(two: tuple[Person, Person]) -> None:
    ann, bob = two
    for view in VIEWS:
        assert ann.ids[view] and bob.ids[view], view
        assert not {*ann.ids[view]} & {*bob.ids[view]}, view
    assert [len(ann.ids[view]) for view in ("nodes", "facts", "facts_now", "documents")] == [2, 2, 1, 1]
    async with ann.connected() as connection:
        shown = await rows(
            connection, "SELECT content, status, valid_to IS NULL FROM analysis.facts ORDER BY valid_from"
        )
        assert shown == [
            ("Ellen lives at Birch Street.", "superseded", False),
            ("Ellen lives at Osprey Lane.", "live", True),
        ]
        path = f"{ann.user.display_name}/Family"
        assert {path} == {
            one[0] for one in await rows(connection, "SELECT path FROM analysis.items WHERE kind <> 'fact'")
        }
        titles = await rows(connection, "SELECT title FROM analysis.records WHERE is_current ORDER BY title")
        assert (f"{ann.user.handle} again",) in titles
        past = await rows(
            connection, "SELECT count(*) > 0 FROM analysis.records WHERE NOT is_current AND known_to IS NOT NULL"
        )
        assert past == [(True,)]


async def test_what_a_record_held_is_current_no_more_when_it_ended(engine: Engine, roles: SqlRoles) -> None:
    one = await person(engine, roles)
    memory, counted = engine.memory(one.user.user_id), "SELECT count(*) FROM analysis.{} WHERE {}"
    looks = {
        "items": "is_current AND content LIKE '%lease%'",
        "documents": "is_current",
        "files": "file_name IS NOT NULL AND record_id IN (SELECT document_id FROM analysis.documents)",
    }
    try:
        async with one.connected() as connection:
            before = {view: await rows(connection, counted.format(view, look)) for view, look in looks.items()}
            [(record_id, node_id)] = await rows(connection, "SELECT document_id, node_id FROM analysis.documents")
        await memory.history.change(Change("record", UUID(str(record_id)), {"ended": True}, UUID(str(node_id))))
        async with one.connected() as connection:
            after = {view: await rows(connection, counted.format(view, look)) for view, look in looks.items()}
            [(there,)] = await rows(connection, "SELECT count(*) FROM analysis.items WHERE content LIKE '%lease%'")
    finally:
        await roles.drop(one.issued.role)
    assert all(number > 0 for [(number,)] in before.values()), before
    assert there, "earlier states are rows, too"
    assert after == {"items": [(0,)], "documents": [(0,)], "files": [(0,)]}


async def test_the_views_show_what_the_owner_reads_under_the_policies(
    engine: Engine, two: tuple[Person, Person]
) -> None:
    """The rows of the request role for the same user, from the tables themselves."""
    ann, _ = two
    schemas = [(await engine.memory(ann.user.user_id).nodes.shell(UUID(node))).schema_name for node in ann.ids["nodes"]]
    for view, table in (("items", "memory_items"), ("files", "file_manifest"), ("changes", "delta_log")):
        async with engine.postgres.as_service() as connection:
            found = [
                await (await connection.execute(f'SELECT count(*) AS n FROM "{one}".{table}')).fetchone()
                for one in schemas
            ]
        assert sum(one["n"] for one in found) == len(ann.ids[view]), view


@pytest.mark.parametrize(
    "before",
    [
        "SELECT set_config('engine.principal_kind', 'user', false), set_config('engine.principal_id', '{other}', false)",
        "SELECT set_config('engine.principal_id', '{other}', true)",
        "SET engine.whole_past = 'on'",
        "SET ROLE neurigraph_analysts",
        "SET search_path = pg_temp, public, pg_catalog, analysis",
        "SET default_transaction_read_only = off",
        "ALTER ROLE CURRENT_USER RESET ALL",
    ],
)
async def test_nothing_that_a_session_sets_shows_more(two: tuple[Person, Person], before: str) -> None:
    ann, bob = two
    async with ann.connected() as connection:
        await connection.execute("SET default_transaction_read_only = off")
        await connection.execute(before.format(other=bob.user.user_id))  # type: ignore[arg-type]
        async with connection.transaction():
            await connection.execute("SELECT set_config('engine.principal_id', %s, true)", [str(bob.user.user_id)])
            for view in VIEWS:
                found = await rows(connection, f"SELECT * FROM analysis.{view}")
                assert sorted(str(one[0]) for one in found) == ann.ids[view], view


@pytest.mark.ledger("U10")
async def test_the_policies_are_what_keeps_rows_back(two: tuple[Person, Person]) -> None:
    """Where they are to be switched off, Postgres refuses the statement: the functions stand under them."""
    async with two[0].connected() as connection:
        await connection.execute("SET row_security = off")
        for view in VIEWS:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                await rows(connection, f"SELECT * FROM analysis.{view}")


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE neurigraph_views", "SET ROLE neurigraph_request", "SET ROLE neurigraph_owner", "SET ROLE postgres", "SET ROLE {other}",
        "SET SESSION AUTHORIZATION {other}", "SET SESSION AUTHORIZATION postgres",
        "CREATE TEMP TABLE mine (a int)", "CREATE DOMAIN pg_temp.uuid AS pg_catalog.uuid", "SELECT 1 AS a INTO TEMP mine",
        "CREATE OPERATOR pg_temp.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = uuid_eq)",
        "CREATE FUNCTION pg_temp.evil() RETURNS boolean LANGUAGE sql RETURN true",
        "CREATE FUNCTION analysis.evil() RETURNS boolean LANGUAGE sql RETURN true", "CREATE FUNCTION public.evil() RETURNS int LANGUAGE sql RETURN 1",
        "CREATE TABLE public.mine (a int)", "CREATE TABLE analysis.mine (a int)", "CREATE VIEW analysis.mine AS SELECT 1", "CREATE SCHEMA mine",
        "CREATE OR REPLACE VIEW analysis.nodes AS SELECT 1 AS node_id", "DROP VIEW analysis.nodes", "ALTER VIEW analysis.nodes OWNER TO CURRENT_USER",
        "ALTER FUNCTION analysis.read_nodes() SET search_path = pg_temp", "ALTER FUNCTION analysis.read_nodes() SECURITY INVOKER",
        "CREATE RULE mine AS ON INSERT TO analysis.nodes DO INSTEAD NOTHING",
        "INSERT INTO analysis.nodes (name) VALUES ('x')", "UPDATE analysis.nodes SET name = 'x'", "DELETE FROM analysis.nodes",
        "INSERT INTO engine.sql_roles VALUES (CURRENT_USER, 1, '{user}')", "UPDATE engine.sql_roles SET user_id = '{user}'",
        "SELECT * FROM engine.sql_roles", "SELECT * FROM engine.nodes", "SELECT * FROM engine.users", "SELECT * FROM engine.tokens",
        "SELECT * FROM {schema}.memory_items", "SELECT * FROM template.memory_items", "SELECT * FROM _queue.procrastinate_jobs",
        "SELECT * FROM pg_authid", "SELECT * FROM pg_catalog.pg_user_mapping", "SELECT * FROM public.neurigraph_functions",
        "SELECT engine.can('read', '{user}')", "SELECT engine.owns('{user}')", "SELECT engine.principal_id()",
        "SELECT engine.create_token('a', 'user', '{user}', 'x', '\\x00', NULL)", "SELECT engine.settle_failure('{user}', 'done', '')",
        "SELECT analysis.begin()", "SELECT * FROM analysis.places()", "SELECT * FROM analysis.stores()",
        "COPY (SELECT 1) TO PROGRAM 'true'", "COPY (SELECT 1) TO '/tmp/neurigraph-mine'", "COPY analysis.nodes FROM PROGRAM 'true'",
        "SELECT pg_read_file('postgresql.conf')", "SELECT pg_ls_dir('.')", "SELECT lo_import('/etc/passwd')",
        "SELECT lo_create(0)", "SELECT lo_creat(-1)", "SELECT lo_from_bytea(0, 'x')",
        "CREATE ROLE mine LOGIN", "ALTER ROLE CURRENT_USER CREATEROLE", "ALTER ROLE CURRENT_USER CONNECTION LIMIT 100",
        "ALTER ROLE {other} PASSWORD 'mine'", "GRANT neurigraph_views TO CURRENT_USER", "GRANT neurigraph_request TO CURRENT_USER",
        "ALTER SYSTEM SET jit = on", "SET session_replication_role = replica",
        "ALTER DATABASE neurigraph SET search_path = pg_temp", "DROP EXTENSION vector", "CREATE PUBLICATION mine FOR ALL TABLES",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'neurigraph_owner'",
    ],
)  # fmt: skip
async def test_it_writes_nothing_makes_nothing_and_becomes_nobody(
    engine: Engine, two: tuple[Person, Person], statement: str
) -> None:
    ann, bob = two
    schema = (await engine.memory(ann.user.user_id).nodes.shell(ann.user.user_id)).schema_name
    text = statement.format(other=bob.issued.role, user=bob.user.user_id, schema=schema)
    async with ann.connected() as connection:
        await connection.execute("SET default_transaction_read_only = off")
        await connection.execute("SET search_path = pg_catalog, public")
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.ObjectNotInPrerequisiteState)):
            await connection.execute(text)  # type: ignore[arg-type]
        assert sorted(str(one[0]) for one in await rows(connection, "SELECT * FROM analysis.nodes")) == ann.ids["nodes"]


@pytest.mark.ledger("U10")
async def test_what_it_may_is_this_alone(engine: Engine, stack: Stack, two: tuple[Person, Person]) -> None:
    """By the catalog: the views, their functions, and what everybody may."""
    role = two[0].issued.role
    async with administrator(stack) as connection:

        async def names(statement: str) -> list[object]:
            return [one[0] for one in await (await connection.execute(statement, {"role": role})).fetchall()]

        powers = "SELECT (rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolconnlimit)::text FROM pg_roles WHERE rolname = %(role)s"
        assert await names(powers) == ["(f,f,f,f,f,5)"]
        member = "SELECT roleid::regrole::text FROM pg_auth_members WHERE member = {}::regrole"
        assert await names(member.format("%(role)s")) == ["neurigraph_analysts"]
        assert await names(member.format("'neurigraph_analysts'")) == []
        assert await names(member.format("'neurigraph_views'")) == ["neurigraph_request"]
        tables = (
            "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'p') AND relnamespace NOT IN"
            " ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) AND has_any_column_privilege(%(role)s, oid, '{}') ORDER BY 1"
        )
        assert await names(tables.format("SELECT")) == [f"analysis.{view}" for view in VIEWS]
        assert await names(tables.format("INSERT, UPDATE, REFERENCES")) == []
        callable_ = (
            "SELECT oid::regproc::text FROM pg_proc WHERE pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('engine', 'analysis', '_queue', 'template'))"
            " AND has_function_privilege(%(role)s, oid, 'EXECUTE') ORDER BY 1"
        )
        assert await names(callable_) == [f"analysis.read_{view}" for view in VIEWS if view != "facts_now"]
        schemas = "SELECT nspname FROM pg_namespace WHERE has_schema_privilege(%(role)s, oid, '{}') AND nspname !~ '^pg_toast' ORDER BY 1"
        assert await names(schemas.format("USAGE")) == ["analysis", "information_schema", "pg_catalog"]
        assert await names(schemas.format("CREATE")) == []
        unpinned = (
            "SELECT p.oid::regproc::text FROM pg_proc AS p WHERE p.pronamespace = 'analysis'::regnamespace"
            " AND NOT 'search_path=pg_catalog, pg_temp' = ANY (p.proconfig)"
        )
        assert await names(unpinned) == []
        logins = (
            "SELECT rolname FROM pg_roles WHERE rolname IN ('neurigraph_views', 'neurigraph_analysts') AND rolcanlogin"
        )
        assert await names(logins) == []


async def test_a_read_only_session_refuses_writes_until_it_says_otherwise_and_ends_what_takes_long(
    two: tuple[Person, Person],
) -> None:
    async with two[1].connected() as connection:
        shown = [
            await rows(connection, f"SHOW {name}") for name in ("default_transaction_read_only", "statement_timeout")
        ]
        assert shown == [[("on",)], [("1min",)]]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            await connection.execute("ALTER ROLE CURRENT_USER RESET ALL")


@pytest.mark.parametrize(
    ("limit", "value", "more"), [("temp_file_limit", "1GB", "-1"), ("log_min_messages", "fatal", "log")]
)
async def test_it_has_limits_that_it_cannot_raise(
    two: tuple[Person, Person], limit: str, value: str, more: str
) -> None:
    async with two[1].connected() as connection:
        assert await rows(connection, f"SHOW {limit}") == [(value,)]
        for change in (f"SET {limit} = {more}", f"ALTER ROLE CURRENT_USER SET {limit} = {more}", f"RESET {limit}"):
            await connection.execute("SET default_transaction_read_only = off")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "payload", ["x", "5", "{}", "[]", "null", '{"type": "abort_job_requested"}', '{"type": 1}', "[" * 7000]
)
async def test_what_it_notifies_ends_no_run_and_no_worker(
    engine: Engine, two: tuple[Person, Person], caplog: pytest.LogCaptureFixture, payload: str
) -> None:
    gate, name = Gate(), fresh("notified")
    async with workshop(engine, job(name, gate.work)) as jobs, two[0].connected() as connection:
        async with jobs.working(None):
            asked = await jobs.ask(name)
            await asyncio.wait_for(gate.entered.wait(), AT_MOST)
            said = payload.replace('"}', f'", "job_id": {asked.run_id}}}')
            channels = await rows(
                connection, "SELECT 'procrastinate_any_queue_v1' UNION SELECT 'procrastinate_queue_v1#' || %s", [name]
            )
            for (channel,) in channels:
                await connection.execute("SELECT pg_notify(%s, %s)", [channel, said])
            await asyncio.sleep(1)  # for a notification that would do something
            gate.let_out.set()
            assert (await jobs.outcome(asked, AT_MOST)).outcome == "succeeded"
    assert "stopping worker" not in caplog.text and gate.most == 1


async def test_no_statement_leaves_content_in_the_log_of_the_server(engine: Engine, two: tuple[Person, Person]) -> None:
    ann = two[0]
    async with ann.connected() as connection:
        for statement in (
            "SELECT content::int FROM analysis.items",
            "SELECT * FROM analysis.nodes WHERE name = repeat('q', 3)::int::text",
        ):
            with pytest.raises(psycopg.errors.DataError):
                await rows(connection, statement)
        await connection.execute("DO $$ BEGIN RAISE LOG '%', (SELECT content FROM analysis.items LIMIT 1); END $$")
        await connection.execute("SET debug_print_parse = on; SET debug_print_plan = on; SELECT 'walleye'")
    log = (engine.settings.home / "logs" / "postgres.log").read_text(encoding="utf-8")
    assert ann.user.handle not in log and "walleye" not in log and "invalid input syntax" not in log


async def test_changes_are_read_by_a_driver_also_where_one_counts_from_the_beginning(
    engine: Engine, roles: SqlRoles
) -> None:
    ann = await person(engine, roles)
    memory = engine.memory(ann.user.user_id)
    [record] = (await memory.records.remember_text("Chair", "The chair is oak.")).records
    corrected = Change("record", record.record_id, {"title": "Oak chair"}, ann.user.user_id, correction=True)
    await memory.history.change(corrected)
    async with ann.connected() as connection:
        assert (None,) in await rows(connection, "SELECT effective_at FROM analysis.changes")
    await roles.drop(ann.issued.role)


async def test_a_part_of_a_graph_is_read_by_its_top(engine: Engine, two: tuple[Person, Person]) -> None:
    """And the id of a node of somebody else shows nothing."""
    ann, bob = two
    [family] = [node for node in ann.ids["nodes"] if node != str(ann.user.user_id)]
    async with ann.connected() as connection:
        await connection.execute("SELECT set_config('analysis.below', %s, false)", [family])
        assert await rows(connection, "SELECT node_id FROM analysis.nodes") == [(UUID(family),)]
        assert await rows(connection, "SELECT count(*) FROM analysis.facts") == [(0,)]
        await connection.execute("SELECT set_config('analysis.below', %s, false)", [bob.ids["nodes"][0]])
        assert await rows(connection, "SELECT count(*) FROM analysis.items") == [(0,)]


@pytest.mark.ledger("U10")
async def test_a_dropped_role_is_gone_with_its_sessions(engine: Engine, roles: SqlRoles, user: User) -> None:
    name = f"gone_{uuid4().hex[:12]}"
    issued = await roles.create(name, user.user_id, "long enough for a test")
    with pytest.raises(Conflict):
        await roles.create(name, user.user_id)
    async with await connect(issued) as connection:
        assert await rows(connection, "SELECT count(*) FROM analysis.nodes") == [(1,)]
        [one] = [one for one in await listed(engine.postgres) if one.role == name]
        assert (one.user_id, one.handle, one.sessions) == (user.user_id, user.handle, 1)
        await roles.drop(name)
        with pytest.raises(psycopg.OperationalError):
            await rows(connection, "SELECT 1")
    with pytest.raises(psycopg.OperationalError):
        await connect(issued)
    assert name not in [one.role for one in await listed(engine.postgres)]
    with pytest.raises(NotFound):
        await roles.drop(name)


async def test_it_reads_nothing_when_its_user_is_gone_or_another_role_has_its_name(
    engine: Engine, stack: Stack, roles: SqlRoles, user: User
) -> None:
    name = f"left_{uuid4().hex[:12]}"
    issued = await roles.create(name, user.user_id)
    try:
        async with administrator(stack) as admin, await connect(issued) as connection:
            await admin.execute("UPDATE engine.sql_roles SET role_oid = 1 WHERE role_name = %s", [name])
            for view in VIEWS:
                with pytest.raises(psycopg.errors.InsufficientPrivilege, match="reads for no user"):
                    await rows(connection, f"SELECT * FROM analysis.{view}")
            await admin.execute("DELETE FROM engine.sql_roles WHERE role_name = %s", [name])
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="reads for no user"):
                await rows(connection, "SELECT * FROM analysis.nodes")
        assert [one.user_id for one in await listed(engine.postgres) if one.role == name] == [None]
    finally:
        await roles.drop(name)


@pytest.mark.parametrize(
    "name", ["postgres", "neurigraph_owner", "neurigraph_x", "pg_x", "a b", 'a"b', "A", "", "a" * 64, "public"]
)
async def test_names_of_other_roles_are_refused(roles: SqlRoles, user: User, name: str) -> None:
    with pytest.raises(InvalidInput):
        await roles.create(name, user.user_id)
    with pytest.raises(NotFound):
        await roles.drop(name)


async def test_a_password_of_ones_own_has_a_length(roles: SqlRoles, user: User) -> None:
    with pytest.raises(InvalidInput):
        await roles.create(f"short_{uuid4().hex[:8]}", user.user_id, "short")


async def test_views_of_another_release_are_made_anew_at_the_start(
    engine: Engine, stack: Stack, two: tuple[Person, Person]
) -> None:
    ann, _ = two
    async with administrator(stack) as admin, ann.connected() as connection:
        await admin.execute("DROP VIEW analysis.ingests")
        await admin.execute("COMMENT ON SCHEMA analysis IS 'another'")
        async with open_engine(engine.settings):
            assert await rows(connection, "SELECT count(*) FROM analysis.ingests") == [(len(ann.ids["ingests"]),)]
        await admin.execute("DROP VIEW analysis.ingests")
        await renew_views(stack.postgres_admin_url)  # the mark is the same: nothing to do
        with pytest.raises(psycopg.errors.UndefinedTable):
            await rows(connection, "SELECT * FROM analysis.ingests")
        await admin.execute("COMMENT ON SCHEMA analysis IS NULL")
        await renew_views(stack.postgres_admin_url)
        assert await seen(connection) == ann.ids


async def test_an_administrator_who_is_no_superuser_makes_and_drops_roles(
    stack: Stack, two: tuple[Person, Person]
) -> None:
    """In a database of its own, where nobody had a role before; the roles of one database read nothing in another one."""
    async with new_database(stack, "neurigraph_owner") as name, administrator(stack, name) as superuser:
        service, request = (elsewhere(url, name) for url in (stack.postgres_url, request_url(stack.postgres_url)))
        user = await migrated(stack, service)
        try:
            await superuser.execute("CREATE ROLE weak_admin LOGIN CREATEROLE PASSWORD 'weak'")
            for group in ("neurigraph_request", "neurigraph_views", "neurigraph_analysts"):  # as if it had made them
                await superuser.execute(f"GRANT {group} TO weak_admin WITH ADMIN TRUE, INHERIT FALSE, SET FALSE")  # type: ignore[arg-type]
            await superuser.execute(f"GRANT CREATE ON DATABASE {name} TO weak_admin")  # type: ignore[arg-type]
            admin = conninfo.make_conninfo(
                elsewhere(stack.postgres_admin_url, name), user="weak_admin", password="weak"
            )
            async with opened(service, request) as postgres:
                roles = SqlRoles(postgres, admin)
                await superuser.execute("UPDATE engine.nodes SET state = 'live'")
                issued = await roles.create(f"weak_{uuid4().hex[:12]}", user)
                async with await connect(issued) as connection:
                    assert await rows(connection, "SELECT node_id FROM analysis.nodes") == [(user,)]
                async with await connect(replace(two[0].issued, database=name)) as connection:
                    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="reads for no user"):
                        await rows(connection, "SELECT node_id FROM analysis.nodes")
                await superuser.execute("COMMENT ON SCHEMA analysis IS 'another'")
                await renew_views(admin)
                await roles.drop(issued.role)
        finally:
            await superuser.execute("DROP OWNED BY weak_admin CASCADE")
            await superuser.execute("DROP ROLE weak_admin")
