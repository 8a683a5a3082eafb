"""Indexes of large nodes: built by a job while the nodes are read and written, dropped where a node became small.

Five for a node: of the vectors of the active slot (HNSW), of the terms, of the places in sessions, which a search uses once
these three are valid (engine.search_chosen), and of records and of slices, for changes. Without them, and in smaller nodes,
all items are read. They are built without a transaction, so a killed run leaves an invalid one, which the next run drops. One
process builds at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import StoreFailed
from engine.stores.limited import Connection
from engine.stores.limits import MARGIN
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_of, sql_text

_LOG = logging.getLogger(__name__)
LONGEST = 1500.0
"""Seconds that one index may take; the job ends before that where its own limit is shorter."""
SLOTS = {"embedding": "memory_items_meaning_a", "embedding_b": "memory_items_meaning_b"}
"""The index of the vectors of each slot."""


@dataclass(frozen=True, slots=True)
class LargeNodesReport:
    """Nodes whose indexes were built, indexes that were dropped, and nodes where that failed."""

    built: int
    dropped: int
    failed: int = 0


@dataclass(frozen=True, slots=True)
class _Work:
    schema_name: str
    vectors: str
    dimension: int
    large: bool
    needless: Sequence[str]


class LargeNodes:
    """Builds and drops the indexes of large nodes; for the service."""

    def __init__(self, postgres: Postgres, items: int) -> None:
        """`items`: a node with so many has indexes, one with less than half of them has none."""
        self._postgres, self._items = postgres, items

    async def run(self) -> LargeNodesReport:
        """One pass over all nodes; raises StoreUnavailable."""
        async with self._postgres.alone(LONGEST + MARGIN) as connection:
            if not any(await connection.fetch(sql_text("large_node/hold"), row=bool)):
                return LargeNodesReport(0, 0)
            try:
                await connection.execute(sql_text("large_node/settings"))
                return await self._done(connection)
            finally:
                if not connection.broken:
                    await connection.execute(sql_text("large_node/release"))

    async def _done(self, connection: Connection) -> LargeNodesReport:
        built = dropped = failed = 0
        for node in await connection.fetch(sql_text("large_node/work"), {"items": self._items}, row=_Work):
            try:
                for index in node.needless:
                    await connection.execute(sql_of("large_node/drop", schema=node.schema_name, index=index))
                    dropped += 1
                if node.large:
                    await self._build(connection, node)
                    built += 1
            except StoreFailed as error:  # of this node alone; the next run tries it again
                if connection.broken:
                    raise
                _LOG.warning("The indexes of %s could not be built: %s", node.schema_name, error.detail)
                failed += 1
        return LargeNodesReport(built, dropped, failed)

    async def _build(self, connection: Connection, node: _Work) -> None:
        named = {"schema": node.schema_name, "index": SLOTS[node.vectors], "vectors": node.vectors}
        await connection.execute(sql_of("large_node/meaning", **named, dimension=node.dimension))
        for name in ("terms", "sessions", "records", "versions", "analyse"):
            await connection.execute(sql_in(f"large_node/{name}", node.schema_name))
