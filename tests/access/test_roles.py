"""The roles under which the engine works: what each may, and how a database of before comes to that."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest
from psycopg import conninfo

from engine.embedded import Stack
from engine.errors import SettingsError
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.migrations import LEAST, is_older, migrate_postgres, migrations
from engine.stores.roles import ensure_roles, prepare_roles
from engine.wiring.addresses import request_url
from engine.wiring.open_engine import open_engine
from tests.access.databases import administrator, elsewhere, migrated, new_database, new_user, opened
from tests.clean_environment import CLEAN
from tests.processes import run_module

POWERS = "rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls"
OPEN = (
    "SELECT a.privilege_type FROM pg_database AS d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) AS a"
    " WHERE d.datname = current_database() AND a.grantee = 0"
    " UNION ALL SELECT a.privilege_type || ' in ' || n.nspname"
    " FROM pg_namespace AS n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a"
    " WHERE a.grantee = 0 AND n.nspname NOT IN ('pg_catalog', 'information_schema')"
)
"""What everybody may do with this database and its schemas."""


async def rows(connection, statement: str, *parameters: object) -> list[tuple[object, ...]]:
    return await (await connection.execute(statement, parameters)).fetchall()


@pytest.mark.ledger("N31")
async def test_neither_role_may_do_more_than_its_work(engine: Engine, stack: Stack) -> None:
    async with administrator(stack) as connection:
        for role in ("neurigraph_owner", "neurigraph_request"):
            statement = f"SELECT {POWERS}, ARRAY(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = r.oid"
            statement += " AND roleid <> 'neurigraph_request'::regrole) FROM pg_roles AS r WHERE rolname = %s"
            assert await rows(connection, statement, role) == [(False,) * 5 + ([],)]
        assert await rows(connection, OPEN) == [("CONNECT",)]
        owned = "SELECT classid::regclass, objid FROM pg_shdepend WHERE refobjid = 'neurigraph_request'::regrole AND deptype = 'o'"
        assert await rows(connection, owned) == []
        created = (
            "SELECT nspname FROM pg_namespace WHERE has_schema_privilege('neurigraph_request', oid, 'CREATE')"
            " UNION ALL SELECT datname FROM pg_database WHERE datname = current_database()"
            " AND (has_database_privilege('neurigraph_request', oid, 'CREATE') OR has_database_privilege('neurigraph_request', oid, 'TEMP'))"
        )
        assert await rows(connection, created) == []


async def test_a_home_of_before_is_weakened_when_it_starts(engine: Engine, stack: Stack) -> None:
    async with administrator(stack) as connection:
        await connection.execute("ALTER ROLE neurigraph_owner CREATEROLE CREATEDB")
        await connection.execute("ALTER ROLE neurigraph_request PASSWORD 'another' CREATEROLE")
        await connection.execute("GRANT TEMPORARY ON DATABASE neurigraph TO PUBLIC, neurigraph_request")
        await connection.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
        async with open_engine(engine.settings) as again:
            assert again.settings.home == engine.settings.home
        powers = f"SELECT {POWERS} FROM pg_roles WHERE rolname IN ('neurigraph_owner', 'neurigraph_request')"
        assert await rows(connection, powers) == [(False,) * 5] * 2
        assert await rows(connection, OPEN) == [("CONNECT",)]
    async with await psycopg.AsyncConnection.connect(request_url(stack.postgres_url)) as connection:
        assert await rows(connection, "SELECT has_database_privilege(current_database(), 'TEMP')") == [(False,)]


async def test_what_a_superuser_made_is_refused_until_it_is_prepared(
    engine: Engine, stack: Stack, tmp_path: Path
) -> None:
    """As where compose's service was the superuser: schemas, functions and policies go to a role that is none."""
    async with new_database(stack, "postgres") as name:
        admin, request = elsewhere(stack.postgres_admin_url, name), elsewhere(request_url(stack.postgres_url), name)
        service = conninfo.make_conninfo(elsewhere(stack.postgres_url, name), user="neurigraph_later", password="later")
        before = await migrated(stack, admin)
        async with opened(admin, request) as postgres:
            with pytest.raises(SettingsError, match=r"superuser.*neurigraph prepare.*NEURIGRAPH_POSTGRES_ADMIN_URL"):
                await ensure_roles(postgres, admin, request, None)
        with pytest.raises(SettingsError, match="another role"):
            await prepare_roles(admin, admin, request)
        urls = {
            "NEURIGRAPH_POSTGRES_URL": service,
            "NEURIGRAPH_POSTGRES_ADMIN_URL": admin,
            "NEURIGRAPH_POSTGRES_REQUEST_URL": request,
        }
        for line in ("changed owner", "The roles are ready."):
            typed = await asyncio.to_thread(run_module, "engine.cli", "prepare", env=CLEAN | urls, folder=tmp_path)
            assert typed.returncode == 0 and line in typed.stdout, typed.stderr
        assert "owner" not in typed.stdout  # the second time there was nothing to hand over
        try:
            async with opened(service, request) as postgres:
                await ensure_roles(postgres, service, request, None)
                assert await migrate_postgres(postgres, migrations("postgres")) == []
                after = await new_user(postgres)
                async with postgres.as_service() as connection:
                    counted = await (await connection.execute("SELECT count(*) AS n FROM engine.users")).fetchone()
                    assert counted == {"n": 2}
            async with administrator(stack, name) as connection:
                left = (
                    "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
                    " WHERE c.relowner <> 'neurigraph_later'::regrole AND c.relkind IN ('r', 'S', 'v', 'm')"
                    " AND (n.nspname IN ('engine', 'template', '_queue') OR n.nspname IN (%s, %s) OR c.relname IN ('neurigraph_migrations', 'neurigraph_functions'))"
                    " UNION ALL SELECT p.proname FROM pg_proc AS p WHERE p.proowner <> 'neurigraph_later'::regrole"
                    " AND p.pronamespace IN ('engine'::regnamespace, '_queue'::regnamespace)"
                    " UNION ALL SELECT polname FROM pg_policy WHERE polname = 'service' AND polroles <> ARRAY['neurigraph_later'::regrole]::oid[]"
                )
                assert await rows(connection, left, f"s{before.hex}", f"s{after.hex}") == []
        finally:
            async with administrator(stack, name) as connection:
                await connection.execute("DROP OWNED BY neurigraph_later CASCADE")
                await connection.execute("DROP ROLE neurigraph_later")


async def test_engines_that_start_at_once_close_the_database_of_their_service(engine: Engine, stack: Stack) -> None:
    async with new_database(stack, "neurigraph_owner") as name, administrator(stack, name) as connection:
        service, request = (elsewhere(url, name) for url in (stack.postgres_url, request_url(stack.postgres_url)))
        assert ("TEMPORARY",) in await rows(connection, OPEN)
        async with opened(service, request) as one, opened(service, request) as two, opened(service, request) as three:
            await asyncio.gather(*(ensure_roles(postgres, service, request, None) for postgres in (one, two, three)))
        assert await rows(connection, OPEN) == [("CONNECT",), ("USAGE in public",)]


SPOILT = {
    "ALTER ROLE neurigraph_managed CREATEROLE": "make roles",
    "ALTER ROLE neurigraph_managed CREATEDB": "make roles",
    "GRANT pg_execute_server_program TO neurigraph_managed": "files",
    "REVOKE CREATE ON DATABASE {name} FROM neurigraph_managed": "create schemas",
    "GRANT TEMPORARY ON DATABASE {name} TO PUBLIC": "objects",
    "GRANT CREATE ON SCHEMA public TO neurigraph_request": "serve requests",
    "ALTER ROLE neurigraph_request NOLOGIN": "may not log in",
    "DROP EXTENSION vector": "vector",
}
"""What an administrator may have left as it should not be, and what is said of it."""


async def test_a_managed_database_is_prepared_and_refused_where_anything_is_not_as_it_should_be(
    engine: Engine, stack: Stack
) -> None:
    async with new_database(stack, "postgres") as name, administrator(stack, name) as connection:
        admin, request = elsewhere(stack.postgres_admin_url, name), elsewhere(request_url(stack.postgres_url), name)
        service = conninfo.make_conninfo(elsewhere(stack.postgres_url, name), user="neurigraph_managed", password="m")
        try:
            await asyncio.gather(*(prepare_roles(admin, service, request) for _ in range(4)))
            for spoilt, says in SPOILT.items():
                await connection.execute(spoilt.format(name=name))
                async with opened(service, request) as postgres:
                    with pytest.raises(SettingsError, match=f"{says}.*neurigraph prepare"):
                        await ensure_roles(postgres, service, request, None)
                    if "pg_execute" in spoilt:  # memberships are the administrator's to take back
                        await connection.execute("REVOKE pg_execute_server_program FROM neurigraph_managed")
                    await ensure_roles(postgres, service, request, admin)
            await migrated(stack, service)
        finally:
            await connection.execute("ALTER ROLE neurigraph_request LOGIN")
            await connection.execute("DROP OWNED BY neurigraph_managed CASCADE")
            await connection.execute("DROP ROLE neurigraph_managed")


@pytest.mark.ledger("U07")
@pytest.mark.parametrize("product", ["Postgres", "pgvector", "Neo4j"])
async def test_a_server_that_is_too_old_is_refused_at_the_start_and_by_prepare(
    stack: Stack, settings: Settings, monkeypatch: pytest.MonkeyPatch, product: str
) -> None:
    """As if this release needed a newer one than what runs here: what was found and what is needed, in one line."""
    monkeypatch.setitem(LEAST, product, "2999.1")
    says = rf"^{product} [0-9.]+.* is too old: 2999.1 or newer is needed"
    with pytest.raises(SettingsError, match=says):
        async with open_engine(settings, warming=False):
            pass
    if product != "Neo4j":
        with pytest.raises(SettingsError, match=says):
            await prepare_roles(stack.postgres_admin_url, stack.postgres_url, request_url(stack.postgres_url))


@pytest.mark.parametrize(
    ("found", "least", "old"),
    [("15.20 (Debian 15.20-0+deb12u1)", "16", True), ("16.0", "16", False), ("18.1", "16", False), ("17beta1", "16", False),
     ("0.7.4", "0.8", True), ("0.8", "0.8", False), ("0.10.0", "0.8", False), ("5.26.1", "2026.1", True), ("2026.01.4", "2026.1", False)],
)  # fmt: skip
def test_versions_are_compared_by_their_numbers(found: str, least: str, old: bool) -> None:
    assert is_older(found, least) == old
