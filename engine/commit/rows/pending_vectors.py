"""Nodes where something was written without its vectors: a job makes them."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from engine.stores.postgres import Connection
from engine.stores.statements import sql_text


async def note(connection: Connection, nodes: Iterable[UUID]) -> None:
    """Notes the nodes; nothing where there are none."""
    wanted = list(nodes)
    if wanted:
        await connection.execute(sql_text("embedding/pending_note"), {"nodes": wanted})
