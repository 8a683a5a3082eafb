"""What analysts have: statements on the graph of a user, the data dictionary, roles that read by SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from engine.errors import StoreTimeout, StoreUnavailable
from engine.knowledge.dictionary import differences, page
from engine.naming.configuration import Domain
from engine.stores.analyses import Analysis
from engine.stores.limits import ending_within
from engine.stores.neo4j import STORE, Neo4j
from engine.stores.postgres import Postgres
from engine.stores.sql_roles import SqlRole, SqlRoles, listed

Table = tuple[list[str], list[dict[str, Any]]]
"""The names of the columns, also where there is no row, and the rows."""


class Analysts:
    """For the operator alone: a statement reads all of a user's graph. Each is sent as a read, which writes nothing."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, domain: Domain) -> None:
        self._postgres, self._neo4j, self._kinds = postgres, neo4j, domain.labels.values()
        self._types = {
            "functional": sorted(one.name for one in domain.relations if one.functional),
            "symmetric": sorted(one.name for one in domain.relations if one.symmetric),
        }

    async def run(self, analysis: Analysis, user_id: UUID, typed: Mapping[str, str], seconds: float) -> Table:
        """The rows of a statement; `typed`: its parameters as texts. Raises InvalidInput, StoreUnavailable."""
        values = self._types | analysis.filled(typed) | {"user_id": str(user_id)}
        try:
            with ending_within(seconds):
                names, rows = await self._neo4j.table(analysis.text, **values)
        except StoreTimeout as error:
            hint = "--seconds gives it more time, a lower limit less to do"
            raise StoreUnavailable(STORE, f"{analysis.name} took longer than {seconds:g} s; {hint}.") from error
        return list(names), [dict(zip(names, row, strict=True)) for row in rows]

    async def dictionary(self) -> str:
        """What the stores hold and what each part is for, as Markdown."""
        return await page(self._postgres, self._neo4j)

    async def undescribed(self) -> list[str]:
        """What a sample of the graph has that the dictionary does not say."""
        return await differences(self._neo4j, self._kinds)

    async def roles(self) -> list[SqlRole]:
        """The roles in Postgres that read the rows of a user."""
        return await listed(self._postgres)

    def administered(self, admin_url: str) -> SqlRoles:
        """What makes and drops them, as an administrator of Postgres, whom the engine itself does not know."""
        return SqlRoles(self._postgres, admin_url)
