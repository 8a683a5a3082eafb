"""Archived nodes take no writes: checked before a change of their contents, their edges or their place.

New records and children are refused by the database itself, with their commit (engine.refuse_archived).
"""

from __future__ import annotations

from uuid import UUID

from engine.domain.principal import Principal
from engine.errors import Archived
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text


async def require_unarchived(postgres: Postgres, principal: Principal, *nodes: UUID) -> None:
    """Raises Archived where one of the nodes is archived, of those that the principal may read."""
    [archived] = await postgres.fetch(principal, sql_text("node/archived"), {"nodes": list(nodes)}, row=bool)
    if archived:
        raise Archived
