"""The tables of the queue: the library's own scripts, applied to the schema `_queue` and noted one by one.

A fresh schema gets the library's whole schema at once; one that an earlier version of the library made gets the scripts
that have come since, in the order of their names. All in one transaction under the lock of the migrations, so that
engines that start at the same time wait for each other.
"""

from __future__ import annotations

from pathlib import Path

from procrastinate.schema import SchemaManager

from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_text


async def install_queue(postgres: Postgres) -> list[str]:
    """Brings the queue's tables up to date; the names of the scripts that were new. Raises StoreUnavailable."""
    wanted = _scripts()
    async with postgres.as_service() as connection:
        applied = await _applied(connection)
        if wanted.keys() <= applied:
            return []
        await connection.execute(sql_text("schema/migrations_lock"))
        applied = await _applied(connection)  # another engine may have been faster
        missing = [name for name in wanted if name not in applied]
        await connection.execute(sql_text("job/queue_path"))
        if not applied:
            await connection.execute(SchemaManager.get_schema().encode())
        else:
            for name in missing:
                await connection.execute(wanted[name].read_bytes())
        for name in missing:
            await connection.execute(sql_text("job/queue_script_applied"), {"name": name})
        await connection.execute(sql_text("job/queue_guard"))
    return missing


def _scripts() -> dict[str, Path]:
    """The scripts that the library brings, by name, in order."""
    return {path.name: path for path in sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))}


async def _applied(connection: Connection) -> set[str]:
    return set(await connection.fetch(sql_text("job/queue_scripts_applied"), row=str))
