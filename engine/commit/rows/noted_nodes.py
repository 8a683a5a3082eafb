"""Nodes whose items lack something that a newer release makes of them: jobs fill it in the background."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

PAGE = 100


@dataclass(frozen=True, slots=True)
class NotedNode:
    """A node that is noted. `after`: the item up to which it is filled."""

    node_id: UUID
    user_id: UUID
    schema_name: str
    after: UUID


async def noted_nodes(postgres: Postgres, lacking: str) -> AsyncIterator[NotedNode]:
    """All nodes that are noted for what they lack, of all users; for the service. Raises StoreUnavailable."""
    after = UUID(int=0)
    while True:
        page = {"lacking": lacking, "after": after, "most": PAGE}
        nodes = await postgres.fetch_as_service(sql_text("item/older_nodes"), page, row=NotedNode)
        for node in nodes:
            yield node
        if len(nodes) < PAGE:
            return
        after = nodes[-1].node_id
