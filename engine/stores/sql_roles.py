"""Roles of analysts in Postgres: each may log in and read ten views of one user's metadata, and nothing else (docs/sql.md).

    <name>                the analyst's, with a login; whom it reads for is in engine.sql_roles
    neurigraph_analysts   may read the views; every analyst's role is a member
    neurigraph_views      owns the views and their functions, and stands under the policies of the request role

Roles and views are made by the administrator's connection: the service may make no roles. The service notes whom a role
reads for, before the role is there for others, so no role is ever without.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg import sql

from engine.errors import Conflict, InvalidInput, NotFound
from engine.stores.limited import Connection, limited, translating
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_of, sql_text
from engine.stores.urls import url_parts

TIMEOUT = 5
"""Seconds to connect as an administrator."""
LONGEST = 60.0
"""Seconds that one of its statements may take."""
SHORTEST = 12
"""Characters of a password that somebody chose."""
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_RESERVED = re.compile(r"pg_|neurigraph|postgres|public$|none$")


@dataclass(frozen=True, slots=True)
class SqlRole:
    """A role of an analyst. `handle` is None where it reads for no user: the user, or the note, is gone."""

    role: str
    handle: str | None
    user_id: UUID | None
    created_at: datetime | None
    sessions: int


@dataclass(frozen=True, slots=True)
class IssuedRole:
    """A new role with its password, which is stored nowhere, and where to use it."""

    role: str
    user_id: UUID
    password: str
    host: str
    port: str
    database: str


@dataclass(frozen=True, slots=True)
class _State:
    strong: bool
    there: bool
    analyst: bool
    prepared: bool
    views: str | None


class SqlRoles:
    """Makes, lists and drops them. `admin_url`: of a role that may make roles, in the engine's database."""

    def __init__(self, postgres: Postgres, admin_url: str) -> None:
        self._postgres, self._admin_url = postgres, admin_url

    async def create(self, role: str, user_id: UUID, password: str | None = None) -> IssuedRole:
        """A role that reads for the user. Raises InvalidInput for its name or password, Conflict where there is such a role."""
        if not _NAME.fullmatch(role) or _RESERVED.match(role):
            raise InvalidInput(
                "The name of a role is 1 to 63 of a-z, 0-9, _, begins with a letter and not with pg_ or neurigraph."
            )
        if password is not None and (len(password) < SHORTEST or not password.isprintable()):
            raise InvalidInput(f"A password has {SHORTEST} printable characters or more.")
        chosen = password or secrets.token_urlsafe(24)
        async with administrating(self._admin_url) as connection, connection.transaction():
            await connection.execute(sql_text("schema/migrations_lock"))
            state = await _state(connection, role)
            if state.there:
                raise Conflict(f"There is a role {role}; `neurigraph sql-role drop` drops one of an analyst.")
            await _install(connection, state)
            verifier = connection.pgconn.encrypt_password(chosen.encode(), role.encode(), b"scram-sha-256").decode()
            named = {"role": sql.Identifier(role), "password": sql.Literal(verifier)}
            await connection.execute(sql_text("sql_role/create").format(**named))
            [oid] = await connection.fetch(sql_text("sql_role/oid"), {"role": role}, row=int)
            noted = {"role": role, "role_oid": oid, "user_id": user_id}
            await self._postgres.change_as_service(sql_text("sql_role/note"), noted)
        where = url_parts(self._admin_url)
        return IssuedRole(
            role, user_id, chosen, where.get("host", ""), where.get("port", "5432"), where.get("dbname", "")
        )

    async def drop(self, role: str) -> None:
        """Ends its sessions and drops it. Raises NotFound where it is no role of an analyst."""
        async with administrating(self._admin_url) as connection:
            if not (await _state(connection, role)).analyst:
                raise NotFound(f"There is no role of an analyst named {role}.")
            await self._postgres.change_as_service(sql_text("sql_role/forget"), {"role": role})
            named = {"role": sql.Identifier(role), "name": sql.Literal(role)}
            await connection.execute(sql_text("sql_role/drop").format(**named))


async def listed(postgres: Postgres) -> list[SqlRole]:
    """All roles of analysts."""
    return await postgres.fetch_as_service(sql_text("sql_role/list"), row=SqlRole)


async def renew_views(admin_url: str) -> None:
    """Makes the views anew where a release brought others; changes nothing where nobody has a role."""
    async with administrating(admin_url) as connection, connection.transaction():
        await connection.execute(sql_text("schema/migrations_lock"))
        state = await _state(connection, "neurigraph_analysts")
        if state.there and state.prepared:
            await _install(connection, state)


@asynccontextmanager
async def administrating(url: str) -> AsyncIterator[Connection]:
    """A connection of the administrator. Raises StoreUnavailable."""
    with translating():
        connecting = limited(LONGEST).connect(url, autocommit=True, connect_timeout=TIMEOUT)
        async with await connecting as connection:
            yield connection


async def _state(connection: Connection, role: str) -> _State:
    [state] = await connection.fetch(sql_text("sql_role/state"), {"role": role}, row=_State)
    return state


async def _install(connection: Connection, state: _State) -> None:
    """The groups and the views, where those that are there are not of this release."""
    texts = [sql_text(f"sql_role/{name}").as_string() for name in ("groups", "views", "no_large_objects")]
    mark = hashlib.sha256("".join(texts).encode()).hexdigest()
    if state.views == mark:
        return
    await connection.execute(sql_of("sql_role/groups", database=connection.info.dbname))
    if state.strong:
        await connection.execute(sql_text("sql_role/no_large_objects"))
    await connection.execute(sql_text("sql_role/views"))
    await connection.execute(sql_text("sql_role/mark").format(mark=sql.Literal(mark)))
