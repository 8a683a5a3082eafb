"""Access times and counts of what retrievals returned, written in batches off the answer's path.

An operation that returned something adds it to a buffer in memory. A background task writes that some seconds later: items and
records in the schema of their node, then the nodes' shells and the entities, one statement each. It is best effort: a store that
is down costs the counts of that batch and never an answer. What is not written when a process is killed is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from engine.domain.clock import Clock
from engine.errors import NeurigraphError
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

log = logging.getLogger(__name__)

MOST_NODES, MOST_ENTITIES = 10_000, 1000
"""Most in the buffer; what is returned of further ones until the next write is not counted. Entities are few, as their locks are
those of commits that mention them."""
LAST_WRITE = 5.0
"""Seconds that the last write may take when the engine is closed."""


class Returned(Protocol):
    """A part of an answer: a hit, a piece of a context."""

    @property
    def node_id(self) -> UUID: ...
    @property
    def record_id(self) -> UUID: ...
    @property
    def item_id(self) -> UUID | None: ...


@dataclass(slots=True)
class _Touched:
    """What was returned of one node since the last write."""

    at: datetime
    items: Counter[UUID] = field(default_factory=Counter)
    records: set[UUID] = field(default_factory=set)


@dataclass(slots=True)
class _Read:
    """How often an entity was returned since the last write, and when last."""

    at: datetime
    times: int = 0


class Touches:
    """The buffer and its background task."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, clock: Clock, interval: float) -> None:
        self._postgres, self._neo4j, self._clock, self._interval = postgres, neo4j, clock, interval
        self._waiting: dict[UUID, _Touched] = {}
        self._entities: dict[UUID, _Read] = {}
        self._task: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    def note(self, node: UUID, *, items: Iterable[UUID] = (), records: Iterable[UUID] = ()) -> None:
        """Counts what was returned of this node, in memory: awaits nothing, calls no store."""
        if node not in self._waiting and len(self._waiting) >= MOST_NODES:
            return
        touched = self._waiting.setdefault(node, _Touched(self._clock.now()))
        touched.at = self._clock.now()
        touched.items.update(items)
        touched.records.update(records)
        self._write_later()

    def note_parts(self, parts: Iterable[Returned]) -> None:
        """Counts the parts of an answer, in memory."""
        for one in parts:
            items = () if one.item_id is None else (one.item_id,)
            self.note(one.node_id, items=items, records=[one.record_id])

    def note_entities(self, entities: Iterable[UUID | None]) -> None:
        """Counts each of these entities once, in memory; None is none."""
        now = self._clock.now()
        for entity in {one for one in entities if one is not None}:
            if entity in self._entities or len(self._entities) < MOST_ENTITIES:
                read = self._entities.setdefault(entity, _Read(now))
                read.at, read.times = now, read.times + 1
        self._write_later()

    def _write_later(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._later())

    async def _later(self) -> None:
        while self._waiting or self._entities:
            await asyncio.sleep(self._interval)
            await self.write()

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Nothing is written inside the block."""
        async with self._writing:
            yield

    async def write(self) -> None:
        """Writes the buffer now."""
        async with self._writing:
            waiting, self._waiting = self._waiting, {}
            entities, self._entities = self._entities, {}
            try:
                for node in sorted(waiting):
                    await self._write_items(node, waiting[node])
                shells = [{"node_id": str(node), "at": touched.at} for node, touched in waiting.items()]
                if shells:
                    await self._neo4j.write(cypher("lifecycle/touched"), touched=shells)
                read = [
                    {"entity_id": str(one), "times": entities[one].times, "at": entities[one].at}
                    for one in sorted(entities)
                ]
                if read:
                    await self._neo4j.write(cypher("lifecycle/entities_read"), read=read)
            except NeurigraphError as error:
                log.warning("access times of nodes or entities were not written: %s", error.detail)

    async def _write_items(self, node: UUID, touched: _Touched) -> None:
        parameters = {
            "node": node,
            "items": list(touched.items),
            "counts": list(touched.items.values()),
            "records": list(touched.records),
            "at": touched.at,
        }
        try:
            async with self._postgres.as_service() as connection:
                await connection.execute(sql_text("node/touched"), parameters)
        except NeurigraphError as error:
            log.warning("access times of one node were not written: %s", error.detail)

    async def close(self) -> None:
        """Ends the background task and writes the buffer, for some seconds at most."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WRITE):
                await self.write()
