"""The session's servers: their disks are not waited for, and what the tests of other modules left is taken away.

The doctor looks at every node, so each of its examinations would take longer than the one before.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from psycopg import sql

from engine.embedded import attached
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.stores.tier import OWN

KEPT = ["derivations", "embedding_versions", "forgetting_key", "installation", "queue_scripts", "workspaces"]
"""Tables that hold what every engine finds, without any user."""
SCHEMAS_AT_ONCE = 50
"""A transaction can lock only so many tables."""

Administrator = psycopg.AsyncConnection[tuple[str]]


@asynccontextmanager
async def administrator(engine: Engine) -> AsyncIterator[Administrator]:
    async with (
        attached(engine.settings.home, engine.settings.cache, progress=Silent()) as stack,
        await psycopg.AsyncConnection.connect(stack.postgres_admin_url, autocommit=True) as connection,
    ):
        yield connection


async def sync_nothing(engine: Engine) -> None:
    """Postgres leaves its writes to the system: tests end servers and processes, never the machine."""
    async with administrator(engine) as connection:
        for setting in ("fsync", "full_page_writes"):
            await connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        await connection.execute("SELECT pg_reload_conf()")


async def empty(engine: Engine) -> None:
    """No user, no node, no commit and no file is left; the stores still belong together."""
    async with administrator(engine) as connection:
        await _empty_postgres(connection)
    await engine.neo4j.write("MATCH (n) WHERE NOT n:Migration AND NOT n:Installation DETACH DELETE n")
    objects = engine.settings.home / "objects"
    for folder in objects.iterdir():
        # The engine's own folder holds the mark of the installation, too.
        gone = objects / OWN / "quarantine" if folder.name == OWN.strip("/") else folder
        await asyncio.to_thread(shutil.rmtree, gone, ignore_errors=True)


async def _empty_postgres(connection: Administrator) -> None:
    await connection.execute("SET session_replication_role = replica")  # logs are append-only
    schemas = await _names(
        connection,
        "SELECT nspname FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid"
        " WHERE relname = 'metadata_records' AND nspname <> 'template'",
    )
    tables = await _names(
        connection,
        "SELECT relname FROM pg_class WHERE relnamespace = 'engine'::regnamespace AND relkind = 'r' AND relname <> ALL (%s)",
        KEPT,
    )
    listed = sql.SQL(", ").join(sql.Identifier("engine", table) for table in tables)
    await connection.execute(sql.SQL("TRUNCATE {}").format(listed))
    for first in range(0, len(schemas), SCHEMAS_AT_ONCE):
        some = sql.SQL(", ").join(map(sql.Identifier, schemas[first : first + SCHEMAS_AT_ONCE]))
        await connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(some))


async def _names(connection: Administrator, statement: str, *given: object) -> list[str]:
    return [name for (name,) in await (await connection.execute(statement, given or None)).fetchall()]
