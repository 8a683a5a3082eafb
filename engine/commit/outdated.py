"""Nodes whose tables are of an older version, brought to the newest because a request needs it now."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text


async def upgrade(postgres: Postgres, nodes: Sequence[UUID]) -> None:
    """Upgrades these nodes, acting as the service; one that is in use for too long is left as it is."""
    async with postgres.as_service() as connection:
        await connection.execute(sql_text("node/upgrade"), {"nodes": list(nodes), "most": len(nodes)})
