"""Tokens of items that were stored before there were any; the vectors beside them stay as they are.

Nodes are noted when their tables are upgraded, when another version becomes the active one, whose vectors may be older than
tokens, and when a record is moved from a noted node.
"""

from __future__ import annotations

from engine.commit.rows import due
from engine.commit.rows.due import DueNode
from engine.derive.made import Made
from engine.lifecycle.canary import BATCH, Item, items_embedded, speakers_of
from engine.providers.active import ActiveModel
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text


class Tokens:
    """Makes the tokens that items of the active version lack; nothing where that has none."""

    def __init__(self, postgres: Postgres, active: ActiveModel) -> None:
        self._postgres, self._active = postgres, active

    async def page(self, node: DueNode) -> Made | None:
        model, schema = await self._active.follow(), node.schema_name
        if not model.has_tokens:
            return None
        version = model.version
        lacking = {"version": version.name, "after": node.after, "most": BATCH}
        rows = await self._postgres.fetch_as_service(
            sql_in("embedding/slot_tokens", schema, version.column), lacking, row=Item
        )
        if not rows:
            return Made({})
        made = await items_embedded(model, rows, await speakers_of(self._postgres, schema))
        filling = [
            {"row_id": row.row_id, "content_hash": row.content_hash, "tokens": one.tokens, "version": version.name}
            for row, one in zip(rows, made, strict=True)
        ]
        async with self._postgres.as_service() as connection, connection.cursor() as cursor:
            await connection.execute(sql_text("embedding/slot_hold"), {"version": version.name, "slot": version.slot})
            await cursor.executemany(sql_in("embedding/slot_tokens_fill", schema, version.column), filling)
            await due.advance(connection, node, rows[-1].row_id)
        return Made({"tokens": len(rows)}, rows[-1].row_id)
