"""Databases of a test's own on the session's Postgres, with the engine's schemas in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import psycopg
from psycopg import conninfo, sql
from psycopg.types.json import Jsonb

from engine.embedded import Stack
from engine.stores.migrations import migrate_postgres, migrations
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.wiring.addresses import request_url

Administrator = psycopg.AsyncConnection[tuple[object, ...]]


def elsewhere(url: str, database: str) -> str:
    """The same server and role, another database."""
    return conninfo.make_conninfo(url, dbname=database)


@asynccontextmanager
async def administrator(stack: Stack, database: str = "neurigraph") -> AsyncIterator[Administrator]:
    """The superuser, in a database."""
    url = elsewhere(stack.postgres_admin_url, database)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        yield connection


@asynccontextmanager
async def new_database(stack: Stack, owner: str) -> AsyncIterator[str]:
    """An empty database with the vector types, gone at the end."""
    name = f"scratch_{uuid4().hex[:12]}"
    async with administrator(stack) as connection:
        place = {"name": sql.Identifier(name), "owner": sql.Identifier(owner)}
        await connection.execute(sql.SQL("CREATE DATABASE {name} OWNER {owner}").format(**place))
        try:
            async with administrator(stack, name) as inside:
                await inside.execute("CREATE EXTENSION vector")
            yield name
        finally:
            await connection.execute(sql.SQL("DROP DATABASE {name} WITH (FORCE)").format(**place))


@asynccontextmanager
async def opened(url: str, request: str, *, statement_timeout: float = 30) -> AsyncIterator[Postgres]:
    """The service's pool alone."""
    postgres = Postgres(url, request, size=2, statement_timeout=statement_timeout, connect_timeout=5)
    await postgres.open_service()
    try:
        yield postgres
    finally:
        await postgres.close()


async def migrated(stack: Stack, url: str) -> UUID:
    """The engine's schemas, made by the role of the URL, and a user in them."""
    request = elsewhere(request_url(stack.postgres_url), str(conninfo.conninfo_to_dict(url)["dbname"]))
    async with opened(url, request) as postgres:
        await migrate_postgres(postgres, migrations("postgres"))
        return await new_user(postgres)


async def new_user(postgres: Postgres) -> UUID:
    """A user with a root, past the graph."""
    user = uuid4()
    row = {
        "user_id": user,
        "workspace": "scratch",
        "handle": user.hex,
        "handle_key": user.hex,
        "name": "Ann",
        "key": "ann",
    }
    async with postgres.as_service() as connection:
        more = {"schemas": [f"s{user.hex}"], "payload": Jsonb({"node": {}})}
        await connection.execute(sql_text("user/provision"), row | more)
    return user
