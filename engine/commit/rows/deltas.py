"""The delta log of a node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from engine.domain.delta import Delta
from engine.stores.postgres import Connection, json_rows
from engine.stores.statements import sql_in

Chained = tuple[Delta, UUID | None]
"""A delta and the one before it."""


async def begin(connection: Connection, schema: str, deltas: Sequence[Delta]) -> None:
    """Logs the first deltas of new records; also in tables of an older version, which have no revisions."""
    rows = json_rows(row_of(delta, None) for delta in deltas)
    await connection.execute(sql_in("delta/insert", schema), {"rows": rows})


async def append(connection: Connection, schema: str, deltas: Sequence[Chained]) -> None:
    """Logs changes; a chain that went on meanwhile refuses them (Conflict)."""
    rows = [_logged(delta, previous) for delta, previous in deltas]
    async with connection.cursor() as cursor:
        await cursor.executemany(sql_in("delta/append", schema), rows)


def row_of(delta: Delta, previous: UUID | None) -> dict[str, Any]:
    """A delta as the log takes it."""
    fields = {name: {"before": one.before, "after": one.after} for name, one in delta.fields.items()}
    return {
        "delta_id": delta.delta_id,
        "subject_kind": delta.subject_kind,
        "subject_id": delta.subject_id,
        "effective_at": delta.effective_at,
        "payload": {"operation": delta.operation, "fields": fields, "reason": delta.reason},
        "previous_delta_id": previous,
        "authored_by": delta.author,
        "known_at": delta.known_at,
        "revision": delta.revision,
    }


def _logged(delta: Delta, previous: UUID | None) -> dict[str, Any]:
    row = row_of(delta, previous)
    return row | {"payload": Jsonb(row["payload"])}
