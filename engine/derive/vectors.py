"""Vectors of items that a write left out, their tokens, and the mean of them at a node.

vectors    made as soon as the embedding service answers, so that a search finds items by meaning, too. Writes note their node.
The
           rows show the progress, so two runs at once are safe
tokens     of items that were stored before there were any; the vectors beside them stay as they are. Nodes are noted when their
           tables are upgraded, when another version becomes the active one, whose vectors may be older than tokens, and when a
           record is moved from a noted node
centroids  where the meaning of a node lies: the mean of the unit vectors of its live items, of the active version
"""

from __future__ import annotations

from engine.commit.rows import due
from engine.commit.rows.due import DueNode
from engine.derive.derivations import Made
from engine.domain.embedding import Pace
from engine.lifecycle.canary import BATCH, CanaryBuild, Item, NodeTables, items_embedded, speakers_of
from engine.progress import Silent
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text


class Vectors:
    """Makes the vectors of the active version that a node lacks, its shell's too."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, active: ActiveModel) -> None:
        self._postgres, self._neo4j, self._active = postgres, neo4j, active

    async def page(self, node: DueNode) -> Made:
        build = CanaryBuild(self._postgres, self._neo4j, await self._active.follow(), Pace(duty=1), Silent())
        await build.of_node(NodeTables(node.node_id, node.schema_name))
        if build.filled:
            self._active.patience.answered()
        return Made({"filled": build.filled}, waits=not await due.settled_vectors(self._postgres, node))


class ItemTokens:
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


class Centroids:
    """Makes the centroid of a node, in one step."""

    def __init__(self, postgres: Postgres, active: ActiveModel) -> None:
        self._postgres, self._active = postgres, active

    async def page(self, node: DueNode) -> Made:
        version = (await self._active.follow()).version
        statement = sql_in("centroid/make", node.schema_name, version.column)
        asked = {"node_id": node.node_id, "version": version.name}
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("commit/hold_writes"), {"user_id": node.user_id})
            await connection.execute(sql_text("embedding/required"), {"version": version.name})
            await connection.execute(sql_text("centroid/alone"), {"node_id": node.node_id})
            made = await connection.fetch(statement, asked, row=int)
        return Made({"made": len(made)})
