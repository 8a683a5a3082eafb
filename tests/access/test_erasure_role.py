"""The role of erasures: what it may, who makes it, what is said where it lacks, and that everything else works then."""

from __future__ import annotations

import logging

import psycopg
import pytest
from psycopg import conninfo, errors, sql

from engine.embedded import Stack
from engine.lifecycle.definition_check import DefinitionCheck
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.erasure import erasure_faults, grant_erasure
from engine.stores.migrations import migrate_postgres, migrations
from engine.stores.roles import ensure_roles, prepare_roles
from engine.wiring.addresses import request_url
from engine.wiring.open_engine import open_engine
from tests.access.append_only import forgetting, permit
from tests.access.databases import Administrator, administrator, elsewhere, new_database, new_user, opened


async def rows(connection: Administrator, statement: str, *given: object) -> list[tuple[object, ...]]:
    return await (await connection.execute(statement, given or None)).fetchall()  # type: ignore[arg-type]


RIGHTS = (
    "SELECT 'schema ' || n.nspname, a.privilege_type FROM pg_namespace AS n, aclexplode(n.nspacl) AS a"
    " WHERE a.grantee = 'neurigraph_erasure'::regrole AND n.nspname <> 'neurigraph_erasure'"
    " UNION ALL SELECT c.oid::regclass::text, a.privilege_type FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE a.grantee = 'neurigraph_erasure'::regrole"
    " UNION ALL SELECT format('%s.%s', t.attrelid::regclass, t.attname), a.privilege_type FROM pg_attribute AS t, aclexplode(t.attacl) AS a"
    " WHERE a.grantee = 'neurigraph_erasure'::regrole"
    " UNION ALL SELECT p.oid::regprocedure::text, a.privilege_type FROM pg_proc AS p, aclexplode(p.proacl) AS a"
    " WHERE a.grantee = 'neurigraph_erasure'::regrole AND p.pronamespace::regnamespace::text <> 'neurigraph_erasure' ORDER BY 1"
)
"""What the role was given, beside what it owns."""


@pytest.mark.ledger("N22", "N31")
async def test_nobody_is_the_role_and_it_may_enter_permits_alone(engine: Engine, stack: Stack) -> None:
    assert await erasure_faults(engine.postgres) == []
    async with administrator(stack) as connection:
        powers = "rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolpassword IS NULL"
        assert await rows(connection, f"SELECT {powers} FROM pg_authid WHERE rolname = 'neurigraph_erasure'") == [
            (False,) * 6 + (True,)
        ]
        members = "SELECT FROM pg_auth_members WHERE 'neurigraph_erasure'::regrole IN (roleid, member)"
        assert await rows(connection, members) == []
        assert await rows(connection, RIGHTS) == [
            ("engine.erasures.forgetting_id", "INSERT"),
            ("engine.erasures.purpose", "INSERT"),
            ("schema engine", "USAGE"),
        ]
        owned = (
            "SELECT pg_describe_object(classid, objid, 0) FROM pg_shdepend WHERE refobjid = 'neurigraph_erasure'::regrole"
            " AND deptype = 'o' AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 1"
        )
        found = [str(one) for (one,) in await rows(connection, owned)]
        assert found == ["function neurigraph_erasure.permit(uuid,text)", "schema neurigraph_erasure"]
        may = "SELECT rolname FROM pg_roles WHERE has_function_privilege(oid, 'neurigraph_erasure.permit(uuid,text)', 'EXECUTE') AND NOT rolsuper ORDER BY 1"
        assert await rows(connection, may) == [("neurigraph_erasure",), ("neurigraph_owner",)]


SPOILT = {
    "DROP SCHEMA neurigraph_erasure CASCADE": "permit is missing",
    "DROP FUNCTION neurigraph_erasure.permit": "permit is missing",
    "ALTER FUNCTION neurigraph_erasure.permit OWNER TO neurigraph_owner": "another",
    "ALTER FUNCTION neurigraph_erasure.permit SECURITY INVOKER": "another",
    "ALTER FUNCTION neurigraph_erasure.permit RESET search_path": "another",
    "ALTER SCHEMA neurigraph_erasure OWNER TO neurigraph_owner": "another",
    "CREATE OR REPLACE FUNCTION neurigraph_erasure.permit(p_forgetting uuid, p_purpose text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER"
    " SET search_path = pg_catalog, pg_temp AS 'BEGIN END'": "another",
    "CREATE FUNCTION neurigraph_erasure.more() RETURNS void LANGUAGE plpgsql AS 'BEGIN END'": "another",
    "GRANT EXECUTE ON FUNCTION neurigraph_erasure.permit TO neurigraph_request": "for others",
    "GRANT EXECUTE ON FUNCTION neurigraph_erasure.permit TO PUBLIC": "for others",
    "REVOKE EXECUTE ON FUNCTION neurigraph_erasure.permit FROM neurigraph_owner": "for others",
    "ALTER ROLE neurigraph_erasure LOGIN PASSWORD 'x'": "log in",
    "ALTER ROLE neurigraph_erasure SUPERUSER": "do more",
    "ALTER ROLE neurigraph_erasure BYPASSRLS CREATEROLE CREATEDB REPLICATION": "do more",
    "GRANT neurigraph_request TO neurigraph_erasure": "do more",
    "GRANT neurigraph_erasure TO neurigraph_owner": "member",
    "GRANT neurigraph_erasure TO neurigraph_owner WITH INHERIT FALSE, SET FALSE": "member",
    "GRANT neurigraph_erasure TO pg_monitor": "member",
}  # fmt: skip
"""What somebody may do to the role, and what is said of it."""


async def test_what_is_not_as_it_should_be_is_warned_of_and_prepared_again(
    engine: Engine, stack: Stack, caplog: pytest.LogCaptureFixture
) -> None:
    """An engine starts with it, and refuses nothing else."""
    async with new_database(stack, "neurigraph_owner") as name, administrator(stack, name) as connection:
        admin, service = (elsewhere(url, name) for url in (stack.postgres_admin_url, stack.postgres_url))
        request = elsewhere(request_url(stack.postgres_url), name)
        await prepare_roles(admin, service, request)
        async with opened(service, request) as postgres:
            await migrate_postgres(postgres, migrations("postgres"))
            user = await new_user(postgres)
            await grant_erasure(postgres)
            assert caplog.messages == []
            for spoilt, says in SPOILT.items():
                await connection.execute(spoilt)  # type: ignore[arg-type]
                await ensure_roles(postgres, service, request, None)
                caplog.clear()
                await grant_erasure(postgres)
                assert len(caplog.messages) == 1 and says in caplog.text and "neurigraph prepare" in caplog.text, spoilt
                await ensure_roles(postgres, service, request, admin)
                assert await erasure_faults(postgres) == [], spoilt
            await connection.execute("REVOKE ALL ON engine.erasures FROM neurigraph_erasure")
            await grant_erasure(postgres)
            async with postgres.as_service() as ours:
                running = await forgetting(ours, user)  # type: ignore[arg-type]
                await permit(ours, running)  # type: ignore[arg-type]
        caplog.clear()


@pytest.mark.ledger("U07")
async def test_an_engine_on_a_managed_store_without_the_role_serves(
    engine: Engine, stack: Stack, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """As after an upgrade before anybody ran `prepare`; a home has it made at its start."""
    async with administrator(stack) as connection:
        await connection.execute("DROP OWNED BY neurigraph_erasure CASCADE")
        await connection.execute("DROP ROLE neurigraph_erasure")
        async with opened(stack.postgres_url, request_url(stack.postgres_url)) as postgres:
            await ensure_roles(postgres, stack.postgres_url, request_url(stack.postgres_url), None)
            with caplog.at_level(logging.WARNING):
                await grant_erasure(postgres)
            assert "nothing can be forgotten here: There is no role neurigraph_erasure." in caplog.text
            async with postgres.as_service() as ours:
                with pytest.raises(errors.InvalidSchemaName):
                    async with ours.transaction():
                        await ours.execute("SELECT neurigraph_erasure.permit(gen_random_uuid(), 'rows')")
        assert await DefinitionCheck(engine.postgres, engine.neo4j).findings() == []
        async with open_engine(settings, warming=False) as again:
            assert await erasure_faults(again.postgres) == []
        assert len(await rows(connection, RIGHTS)) == 3


async def test_an_administrator_who_is_no_superuser_makes_it_and_is_no_member(engine: Engine, stack: Stack) -> None:
    """As on servers that others run: CREATEROLE, and owner of the database."""
    async with administrator(stack) as connection:
        await connection.execute("DROP OWNED BY neurigraph_erasure CASCADE")
        await connection.execute("DROP ROLE neurigraph_erasure")
        await connection.execute("CREATE ROLE keeper LOGIN CREATEROLE PASSWORD 'k'")
        await connection.execute(
            "GRANT neurigraph_owner, neurigraph_request TO keeper WITH ADMIN OPTION, INHERIT FALSE, SET FALSE"
        )
        try:
            async with new_database(stack, "keeper") as name:
                service = elsewhere(stack.postgres_url, name)
                request = elsewhere(request_url(stack.postgres_url), name)
                admin = conninfo.make_conninfo(service, user="keeper", password="k")
                for _ in range(2):
                    await prepare_roles(admin, service, request)
                    async with opened(service, request) as postgres:
                        await ensure_roles(postgres, service, request, None)
                        assert await erasure_faults(postgres) == []
                members = "SELECT member::regrole::text, admin_option, inherit_option, set_option FROM pg_auth_members WHERE roleid = 'neurigraph_erasure'::regrole"
                assert await rows(connection, members) == [("keeper", True, False, False)]
                async with await psycopg.AsyncConnection.connect(admin) as keeper:
                    with pytest.raises(errors.InsufficientPrivilege):
                        await keeper.execute("SET ROLE neurigraph_erasure")
                async with opened(service, request) as postgres:
                    await migrate_postgres(postgres, migrations("postgres"))
                    user = await new_user(postgres)
                    await grant_erasure(postgres)
                    async with postgres.as_service() as ours:
                        await permit(ours, await forgetting(ours, user))  # type: ignore[arg-type]
        finally:
            await connection.execute(sql.SQL("DROP OWNED BY neurigraph_erasure"))
            await connection.execute("DROP ROLE neurigraph_erasure")
            await connection.execute("DROP OWNED BY keeper CASCADE")
            await connection.execute("DROP ROLE keeper")
            await prepare_roles(stack.postgres_admin_url, stack.postgres_url, request_url(stack.postgres_url))
            await grant_erasure(engine.postgres)
