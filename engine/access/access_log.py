"""Who was refused what, at which node, for the user of the graph."""

from __future__ import annotations

from uuid import UUID

from engine.domain.grant import AccessEntry
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text


class AccessLog:
    """The access log of a graph: grants as they change, and refusals."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def page(
        self, principal: Principal, *, before: int | None = None, limit: int = 100
    ) -> tuple[AccessEntry, ...]:
        """Newest first, one page; `before`: the number of the last entry of the page before. Raises InvalidInput."""
        check_page(limit)
        parameters = {"before": before, "limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("access/log_page"), parameters, row=AccessEntry))

    async def refused(self, principal: Principal, node_id: UUID, operation: str) -> None:
        """Logs a refused request; the same line whether the node exists or not."""
        await self._postgres.change(principal, sql_text("access/refused"), {"node_id": node_id, "operation": operation})
