"""How far each source is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

from engine.domain.record import SourceAdvance
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text


async def advance(connection: Connection, advances: Sequence[SourceAdvance], commit_id: UUID) -> None:
    """Moves sources forward with this commit. Raises Conflict where another request was faster."""
    for one in advances:
        await connection.execute(sql_text("ingest/source_advance"), asdict(one) | {"commit_id": commit_id})
