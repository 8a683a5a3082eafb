"""Where the meaning of a node lies: the mean of the unit vectors of its live items, of the active version."""

from __future__ import annotations

from engine.commit.rows.due import DueNode
from engine.derive.made import Made
from engine.providers.active import ActiveModel
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text


class Centroids:
    """Makes the centroid of a node, in one step."""

    def __init__(self, postgres: Postgres, active: ActiveModel) -> None:
        self._postgres, self._active = postgres, active

    async def page(self, node: DueNode) -> Made:
        version = (await self._active.follow()).version
        statement = sql_in("centroid/make", node.schema_name, version.column)
        asked = {"node_id": node.node_id, "version": version.name}
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("embedding/required"), {"version": version.name})
            await connection.execute(sql_text("centroid/alone"), {"node_id": node.node_id})
            made = await connection.fetch(statement, asked, row=int)
        return Made({"made": len(made)})
