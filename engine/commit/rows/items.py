"""New items of a node's records; what becomes of them later is history's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.stores.postgres import Connection
from engine.stores.statements import sql_in


async def insert(connection: Connection, schema: str, vectors: str, rows: Sequence[dict[str, Any]]) -> None:
    """Writes items with their vectors in the slot whose column is `vectors`."""
    async with connection.cursor() as cursor:
        await cursor.executemany(sql_in("item/insert", schema, vectors), rows)
