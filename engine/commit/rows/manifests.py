"""The files of a node's records."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from engine.stores.postgres import Connection, json_rows
from engine.stores.statements import sql_in

_COLUMNS = (
    *("file_id", "record_id", "file_name", "file_type", "file_content_type", "file_pointer"),
    *("compression_format", "size_bytes", "stored_bytes", "sha256", "now"),
)


async def enter(
    connection: Connection, schema: str, rows: Sequence[dict[str, Any]], parts: Collection[UUID] = ()
) -> None:
    """Enters the files of records. `parts`: those that lie at other nodes, too, so that others than the user are shown a part."""
    lines = json_rows({name: row[name] for name in _COLUMNS} for row in rows)
    await connection.execute(sql_in("file/manifest_insert", schema), {"rows": lines})
    if shared := [row["file_id"] for row in rows if row["file_id"] in parts]:
        await connection.execute(sql_in("file/manifest_part", schema), {"files": shared})
