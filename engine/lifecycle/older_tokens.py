"""Tokens of items that were stored before there were any: made in the background, beside the vectors that stay as they are.

Nodes are noted when their tables are upgraded, when another version becomes the active one, and when a record is moved from a
noted node. Postgres notes how far a node is, so a run is bounded, and the next one goes on there. Two runs at once do no harm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from time import monotonic
from uuid import UUID

from engine.commit.rows import due
from engine.commit.rows.due import DueNode
from engine.domain.embedding import Pace
from engine.lifecycle.canary import BATCH, Item, items_embedded, speakers_of
from engine.providers.active import Model
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text

PACE = Pace(duty=0.5, most=2000)
"""Of one run; a job begins the next."""


class OlderTokens:
    """Makes the tokens that items of the active version lack; for the service."""

    def __init__(self, postgres: Postgres, model: Model, pace: Pace = PACE) -> None:
        self._postgres, self._model, self._pace = postgres, model, pace
        self.filled = 0

    async def run(self) -> int:
        """One run over the nodes that are noted; how many items. Raises ProviderUnavailable, EmbeddingsChanged,
        StoreUnavailable; what was made stays."""
        if self._model.has_tokens:
            async for node in due.due_nodes(self._postgres, "tokens"):
                if self._exhausted:
                    break
                if node.current and node.schema_name:
                    await self._node(node, node.schema_name)
        return self.filled

    @property
    def _exhausted(self) -> bool:
        return self._pace.most is not None and self.filled >= self._pace.most

    async def _node(self, node: DueNode, schema: str) -> None:
        after, speakers = node.after, None
        while not self._exhausted:
            lacking = sql_in("embedding/slot_tokens", schema, self._model.version.column)
            page = {"version": self._model.name, "after": after, "most": BATCH}
            rows = await self._postgres.fetch_as_service(lacking, page, row=Item)
            if not rows:
                async with self._postgres.as_service() as connection:
                    await due.settle(connection, "tokens", node, after)
                return
            speakers = speakers or await speakers_of(self._postgres, schema)
            await self._fill(node, schema, rows, after, speakers)
            after = rows[-1].row_id

    async def _fill(
        self, node: DueNode, schema: str, rows: Sequence[Item], before: UUID, speakers: Mapping[UUID, Sequence[str]]
    ) -> None:
        started, version = monotonic(), self._model.version
        made = await items_embedded(self._model, rows, speakers)
        filling = [
            {"row_id": row.row_id, "content_hash": row.content_hash, "tokens": one.tokens, "version": version.name}
            for row, one in zip(rows, made, strict=True)
        ]
        async with self._postgres.as_service() as connection, connection.cursor() as cursor:
            await connection.execute(sql_text("embedding/slot_hold"), {"version": version.name, "slot": version.slot})
            await cursor.executemany(sql_in("embedding/slot_tokens_fill", schema, version.column), filling)
            await due.advance(connection, "tokens", node, before, rows[-1].row_id)
        self.filled += len(rows)
        await asyncio.sleep((monotonic() - started) * (1 / self._pace.duty - 1))
