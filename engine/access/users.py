"""The users of one workspace."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.domain.node import User
from engine.domain.page import check_page
from engine.errors import NotFound
from engine.hierarchy.provisioning import Provisioning
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text


class WorkspaceUsers:
    """Users by handle and by id; the operations say what each call does (`engine.operations.workspace`)."""

    def __init__(self, postgres: Postgres, provisioning: Provisioning, workspace: str) -> None:
        self._postgres, self._provisioning, self._workspace = postgres, provisioning, workspace

    async def create(self, handle: str, display_name: str = "") -> User:
        user = await self._provisioning.user(self._workspace, handle, display_name)
        return user if user.created else await self.find(user.handle)

    async def find(self, handle: str) -> User:
        return await self._one("user/by_handle", handle=handle)

    async def get(self, user_id: UUID) -> User:
        return await self._one("user/by_id", user_id=user_id)

    async def page(self, *, after: str = "", limit: int = 100) -> tuple[User, ...]:
        check_page(limit)
        return await self._rows("user/list", after=after, limit=limit)

    async def _one(self, statement: str, **parameters: Any) -> User:
        for user in await self._rows(statement, **parameters):
            return user
        raise NotFound

    async def _rows(self, statement: str, **parameters: Any) -> tuple[User, ...]:
        everything = {"workspace": self._workspace, **parameters}
        return tuple(await self._postgres.fetch_as_service(sql_text(statement), everything, row=User))
