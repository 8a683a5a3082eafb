"""The two Postgres roles of the engine, and the rights that they must not have.

    service   owns the engine's schemas and creates those of the nodes; no superuser, creates no roles and no databases
    request   serves requests: owns nothing, is a member of nothing, creates nothing, not even temporary objects

A third, of erasures, has no login; the engine starts without it, too (`stores/erasure.py`).

At run time the engine only checks this, and refuses to start where it does not hold: a role that may create roles is
one statement away from every right. The database is prepared once, as an administrator: an embedded server when it
starts, a managed one by `neurigraph prepare`. Repeating it changes nothing.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import psycopg
from psycopg import AsyncConnection, conninfo, sql

from engine.errors import NotFound, SettingsError
from engine.stores.erasure import erasure_faults, prepare_erasure
from engine.stores.limited import Connection, limited, translating
from engine.stores.migrations import check_postgres
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

TIMEOUT = 5
"""Seconds to connect as an administrator, or to try the request role."""
LONGEST_HAND_OVER = 300.0
"""Seconds that one statement may take which gives schemas to another owner."""
REMEDY = (
    "Run `neurigraph prepare` once, with the URL of an administrator's role in NEURIGRAPH_POSTGRES_ADMIN_URL and that"
    " of another role, which it makes where there is none, in NEURIGRAPH_POSTGRES_URL (docs/stores.md)."
)


async def ensure_roles(postgres: Postgres, service_url: str, request_url: str, admin_url: str | None) -> None:
    """Checks both roles; prepares them, and that of erasures, where an administrator's URL is known.

    Raises SettingsError, with what is wrong and what to do, and StoreUnavailable.
    """
    async with postgres.as_service() as connection:
        await check_postgres(connection)
    faults = await _faults(postgres, request_url)
    if admin_url is not None and (faults or await erasure_faults(postgres)):
        await prepare_roles(admin_url, service_url, request_url)
        faults = await _faults(postgres, request_url)
    if faults:
        raise SettingsError(f"{' '.join(faults)} {REMEDY}")


@dataclass(frozen=True, slots=True)
class _State:
    service: str
    strong: bool
    owner: str | None
    creates: bool
    request_there: bool
    request_barred: bool
    request_strong: bool
    request_creates: bool
    open: bool
    vector_there: bool


async def prepare_roles(admin_url: str, service_url: str, request_url: str) -> int:
    """Creates or restricts the roles, closes the database to others, transfers an earlier role's schemas; how many.

    Raises SettingsError where the URLs name one role or the server is too old, StoreUnavailable.
    """
    service, request = conninfo.conninfo_to_dict(service_url), conninfo.conninfo_to_dict(request_url)
    if conninfo.conninfo_to_dict(admin_url).get("user") == service.get("user"):
        raise SettingsError("NEURIGRAPH_POSTGRES_URL must name another role than the administrator's.")
    with translating():
        url = conninfo.make_conninfo(admin_url, dbname=service.get("dbname"))
        connecting = limited(LONGEST_HAND_OVER).connect(url, autocommit=True, connect_timeout=TIMEOUT)
        async with await connecting as connection:
            await check_postgres(connection)
            async with connection.transaction():
                await connection.execute(sql_text("schema/migrations_lock"))
                for role in (service, request):
                    named = {"role": sql.Literal(role.get("user")), "password": sql.Literal(role.get("password", ""))}
                    await connection.execute(sql_text("schema/role_prepare").format(**named))
                named_here = {
                    "database": connection.info.dbname,
                    "service": service.get("user"),
                    "request": request.get("user"),
                }
                identifiers = {name: sql.Identifier(str(value)) for name, value in named_here.items()}
                await connection.execute(sql_text("schema/database_prepare").format(**identifiers))
                await prepare_erasure(connection, str(service.get("user")))
            return await _hand_over(connection, str(service.get("user")))


async def _hand_over(connection: Connection, service: str) -> int:
    """By parts, because a transaction can lock only so many tables; the shared schema last, so that it can resume."""
    handed = 0
    while True:
        schemas = await connection.fetch(sql_text("schema/ownership_schemas"), {"service": service}, row=str)
        if not schemas:
            return handed
        named = {"service": sql.Literal(service), "schemas": sql.Literal(schemas)}
        await connection.execute(sql_text("schema/ownership_take").format(**named))
        handed += len(schemas)


async def _faults(postgres: Postgres, request_url: str) -> list[str]:
    """The faults, as sentences. The service mends what it may as the owner of its database."""
    state = await _state(postgres)
    # The second alone: another engine has just closed it, and this session does not know yet.
    if state.open or state.request_creates:
        with suppress(NotFound):  # it does not own the database: then this is a fault
            await _close(postgres)
        state = await _state(postgres)
    service = f"The Postgres role {state.service}"
    found = {
        f"{service} may do more than own schemas: it, or a role that it is a member of, is a superuser or may make roles or"
        " databases, replicate, or reach the server's files.": state.strong,
        f"The engine's tables belong to {state.owner}, not to {state.service}.": state.owner is not None,
        f"{service} may not create schemas.": not state.creates,
        "The extension vector is missing.": not state.vector_there,
        "There is no role neurigraph_request.": not state.request_there,
        "The role neurigraph_request may not log in.": state.request_barred,
        "The role neurigraph_request may do more than serve requests.": state.request_strong or state.request_creates,
        "Every role may create objects, or temporary ones, in this database.": state.open,
    }
    faults = [sentence for sentence, holds in found.items() if holds]
    return faults or await _refused(request_url)


async def _close(postgres: Postgres) -> None:
    async with postgres.as_service() as connection:
        await connection.execute(sql_text("schema/migrations_lock"))
        database = sql.Identifier(connection.info.dbname)
        await connection.execute(sql_text("schema/database_close").format(database=database))


async def _state(postgres: Postgres) -> _State:
    [state] = await postgres.fetch_as_service(sql_text("schema/roles_state"), row=_State)
    return state


async def _refused(request_url: str) -> list[str]:
    """Whether the request role's password is wrong; a server that does not answer is reported by the pool."""
    try:
        async with await AsyncConnection.connect(request_url, connect_timeout=TIMEOUT):
            return []
    except psycopg.OperationalError as error:
        wrong = "password authentication failed" in str(error)
        return ["The role neurigraph_request has another password."] if wrong else []
