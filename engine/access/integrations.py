"""Integrations: the applications of a workspace that its users may grant nodes to."""

from __future__ import annotations

from uuid import uuid4

from engine.domain.grant import Integration
from engine.domain.look_alikes import look_alike_key
from engine.domain.names import clean_name
from engine.domain.page import check_page
from engine.errors import Conflict
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text


class WorkspaceIntegrations:
    """The integrations of one workspace; the operations say what each call does (`engine.operations.workspace`)."""

    def __init__(self, postgres: Postgres, workspace: str) -> None:
        self._postgres, self._workspace = postgres, workspace

    async def create(self, name: str) -> Integration:
        name = clean_name(name)
        parameters = {
            "integration_id": uuid4(),
            "workspace": self._workspace,
            "name": name,
            "key": look_alike_key(name),
        }
        [found] = await self._postgres.fetch_as_service(sql_text("integration/create"), parameters, row=Integration)
        if found.name != name:
            raise Conflict(f"The name looks like that of another integration, {found.name}.")
        return found

    async def list(self, *, after: str = "", limit: int = 100) -> list[Integration]:
        check_page(limit)
        parameters = {"workspace": self._workspace, "after": after, "limit": limit}
        return await self._postgres.fetch_as_service(sql_text("integration/list"), parameters, row=Integration)
