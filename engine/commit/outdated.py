"""Nodes whose tables are of an older version, brought to the newest because a request needs it now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar
from uuid import UUID

from engine.errors import NodeOutdated
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

T = TypeVar("T")


async def on_current(postgres: Postgres, nodes: Sequence[UUID], act: Callable[[], Awaitable[T]]) -> T:
    """The result of an act that requires these nodes to be current; the service upgrades outdated ones, and it is repeated.

    One that is in use for too long is left as it is: the act raises NodeOutdated again.
    """
    try:
        return await act()
    except NodeOutdated:
        async with postgres.as_service() as connection:
            await connection.execute(sql_text("node/upgrade"), {"nodes": list(nodes), "most": len(nodes)})
        return await act()
