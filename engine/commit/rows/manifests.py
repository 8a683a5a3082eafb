"""The files of a node's records."""

from __future__ import annotations

from typing import Any

from engine.stores.postgres import Connection
from engine.stores.statements import sql_in


async def enter(connection: Connection, schema: str, row: dict[str, Any], *, part: bool) -> None:
    """Enters the file of a record. `part`: the file lies at other nodes, too, so that others than the user are shown a part."""
    await connection.execute(sql_in("file/manifest_insert", schema), row)
    if part:
        await connection.execute(sql_in("file/manifest_part", schema), {"file_id": row["file_id"]})
